"""Notebooks: findings by cell and line, fixes of the cells' sources alone, and what is no notebook."""

from __future__ import annotations

import ast
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cells import code, notebook

from torchdevlint.checking import editing
from torchdevlint.checking.documents import NotEditable
from torchdevlint.cli.main import main
from torchdevlint.flake8_plugin import Plugin
from torchdevlint.gate import NBQA_MARK
from torchdevlint.selection import Selection

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent
FIRST = (
    "%matplotlib inline\nimport torch\nfrom torch import nn\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'"
)
SECOND = (
    "%%time\nmodel = nn.Linear(4, 2).to(device)\nlabels = torch.ones(8, 2)\nout = model(torch.ones(8, 4).to(device))"
)
THIRD = "ä = '😀\\t'; loss = nn.functional.mse_loss(out, labels)\nloss.backward()"
CELLS = (FIRST, SECOND, THIRD)
SAID = "`labels` is on cpu (cell 3, line 3) but `out` is on cuda (cell 3, line 2)"
FOUND = f"TDL103 [*] {SAID}\n[*] 1 fixable with --fix"
FIX = ("mse_loss(out, labels)", "mse_loss(out, labels.to(out.device))")


def write(path: Path, data: Any, **form: Any) -> bytes:
    path.write_text(json.dumps(data, **{"indent": 1, "ensure_ascii": False, **form}) + "\n", "utf-8")
    return path.read_bytes()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.ipynb", notebook(*CELLS))
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["check", "--no-cache", *options]) == 1
    return capsys.readouterr().out


def test_a_finding_is_told_by_cell_and_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys) == f"a.ipynb:cell 4:1:19: {FOUND}\n"
    assert main(["check", "--no-cache", "a.ipynb", "--select", "TDL5"]) == 0


def test_the_cache_remembers_cells(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["check", "--cache-dir", "kept"]) == 1
        assert capsys.readouterr().out == f"a.ipynb:cell 4:1:19: {FOUND}\n"
    (project / "a.ipynb").write_bytes(b"\xff")
    assert main(["check", "--cache-dir", "kept"]) == 1
    assert capsys.readouterr().out == "a.ipynb:1:1: TDL000 not analysed: it is not encoded as UTF-8\n"


def test_full(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, "--output-format", "full").splitlines()
    assert lines[1] == "        --> a.ipynb:cell 4:1:19"
    assert lines[2].startswith("       1 | ä = '😀")
    assert "cell 3:3 | labels = torch.ones(8, 2)" in lines


def test_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [found] = json.loads(told(capsys, "--output-format", "json"))
    assert (found["cell"], found["location"]) == (4, {"row": 1, "column": 19})
    assert (found["trace"][0]["cell"], found["trace"][0]["location"]["row"]) == (3, 3)
    assert found["fix"]["edits"][0]["cell"] == 4


@pytest.mark.parametrize("as_list", [True, False])
def test_services_are_told_the_place_in_the_file(
    project: Path, capsys: pytest.CaptureFixture[str], *, as_list: bool
) -> None:
    write(project / "a.ipynb", notebook(*CELLS, as_list=as_list))
    lines = (project / "a.ipynb").read_text("utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "mse_loss" in text)
    column = lines[line - 1].index("nn.functional") + 1
    assert f"file=a.ipynb,line={line},col={column},endLine={line}," in told(capsys, "--output-format", "github")
    [found] = json.loads(told(capsys, "--output-format", "gitlab"))
    assert found["location"]["positions"]["begin"] == {"line": line, "column": column}
    assert found["description"].endswith("(in cell 4)")
    [result] = json.loads(told(capsys, "--output-format", "sarif"))["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (line, column)
    assert result["locations"][0]["logicalLocations"] == [{"name": "cell 4", "kind": "module"}]
    [replacement] = result["fixes"][0]["artifactChanges"][0]["replacements"]
    place = replacement["deletedRegion"]["startColumn"] - 1
    assert lines[line - 1][:place].endswith("mse_loss(out, labels")
    case = ET.fromstring(told(capsys, "--output-format", "junit")).find(".//testcase")  # noqa: S314 (our own)
    assert case is not None
    assert case.get("line") == str(line)


def test_a_fingerprint_survives_a_cell_before(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [before] = json.loads(told(capsys, "--output-format", "json"))
    write(project / "a.ipynb", notebook("x = 1", *CELLS))
    [after] = json.loads(told(capsys, "--output-format", "json"))
    assert (before["cell"], after["cell"]) == (4, 5)
    assert before["fingerprint"] == after["fingerprint"]


FORMS = [
    {},
    {"indent": None},
    {"ensure_ascii": True},
    {"indent": "\t", "separators": (" ,", " : ")},
    {"sort_keys": True},
]


@pytest.mark.parametrize("as_list", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_a_fix_changes_the_source_of_its_cell_and_nothing_else(
    project: Path, capsys: pytest.CaptureFixture[str], form: dict[str, Any], *, as_list: bool
) -> None:
    before = write(project / "a.ipynb", notebook(*CELLS, as_list=as_list), **form)
    assert main(["check", "--no-cache", "--fix"]) == 0
    assert (project / "a.ipynb").read_bytes() == before.replace(*(text.encode() for text in FIX))


def test_line_ends_and_a_mark_stay(project: Path) -> None:
    text = json.dumps(notebook(*CELLS), indent=1).replace("\n", "\r\n")
    before = b"\xef\xbb\xbf" + text.encode()
    (project / "a.ipynb").write_bytes(before)
    assert main(["check", "--no-cache", "--fix"]) == 0
    assert (project / "a.ipynb").read_bytes() == before.replace(*(one.encode() for one in FIX))


def test_a_diff_is_one_of_cells(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "--diff").splitlines() == [
        "--- a.ipynb:cell 4", "+++ a.ipynb:cell 4", "@@ -1,2 +1,2 @@", f"-{THIRD.splitlines()[0]}",
        f"+{THIRD.splitlines()[0].replace(*FIX)}", " loss.backward()", "\\ No newline at end of file",
    ]  # fmt: skip


def test_comments(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (project / "a.ipynb").read_bytes()
    assert main(["check", "--no-cache", "--add-noqa", "--reason", "größer"]) == 0
    after = (project / "a.ipynb").read_bytes()
    assert after == before.replace(b"(out, labels)", "(out, labels)  # noqa: TDL103 größer".encode())
    assert main(["check", "--no-cache"]) == 0
    write(project / "a.ipynb", notebook("%time f(x)  # noqa: TDL103"))
    assert "a.ipynb:cell 2:1:13: TDL001" in told(capsys, "--report-unused-noqa")


def test_a_baseline(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--no-cache", "--baseline", "b.json", "--write-baseline"]) == 0
    write(project / "a.ipynb", notebook("x = 1", *CELLS))
    assert main(["check", "--no-cache", "--baseline", "b.json"]) == 0


def test_a_cell_that_is_no_python_does_not_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project / "a.ipynb", notebook("install torch", *CELLS))
    assert told(capsys).splitlines() == [
        "a.ipynb:cell 2:1:9: TDL000 syntax error: invalid syntax",
        f"a.ipynb:cell 5:1:19: TDL103 [*] {SAID.replace('cell 3', 'cell 4')}",
        "[*] 1 fixable with --fix",
    ]
    assert main(["check", "--no-cache", "--fix-only"]) == 1
    said = "torchdevlint: a.ipynb:cell 2:1:9 is left as it is: syntax error: invalid syntax\n"
    assert said in capsys.readouterr().err
    assert FIX[1] in (project / "a.ipynb").read_text("utf-8")


def test_what_is_shown_is_not_thrown_away(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = f"{FIRST}\nx = torch.ones(3)"
    write(project / "a.ipynb", notebook(first, "x.to(device)\nx.to(device)", "%time x.to(device)"))
    assert told(capsys).startswith("a.ipynb:cell 3:1:1: TDL201 ")
    write(project / "a.ipynb", notebook(first, "  x\n  x.to(device);"))
    assert told(capsys).startswith("a.ipynb:cell 3:2:3: TDL201 ")


def test_a_cell_that_is_meant_to_fail(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = notebook(*CELLS)
    cells["cells"][-1]["metadata"] = {"tags": ["hide-input", "raises-exception"]}
    write(project / "a.ipynb", cells)
    assert main(["check", "--no-cache"]) == 0
    assert capsys.readouterr().out == ""
    for tags in ([], "raises-exception", ["hide-input"]):
        cells["cells"][-1]["metadata"] = {"tags": tags}
        write(project / "a.ipynb", cells)
        assert told(capsys) == f"a.ipynb:cell 4:1:19: {FOUND}\n"


TEXT = {"output_type": "stream"}
DEFINED = "def f():\n    loss = nn.functional.mse_loss(out, labels)\n    return nn.functional.l1_loss(out, labels)"
POINTED = (
    "\x1b[0;36mf\x1b[0;34m()\x1b[0m\n      1 def f()\n\x1b[0;32m----> 2\x1b[0;31m "
    "    loss = nn.functional.mse_loss(out, labels)"
)


def error(name: str, *frames: Any) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "traceback": list(frames)}


@pytest.mark.parametrize(
    ("outputs", "behind", "silent"),
    [
        ([TEXT, error("RuntimeError", 1, POINTED)], [TEXT], True),
        ([error("TypeError", "\n", POINTED)], [TEXT], True),
        ([error("RuntimeError", POINTED)], [], False),
        ([error("NameError", POINTED)], [TEXT], False),
        ([error("RuntimeError", POINTED.replace("----> 2", "      2"))], [TEXT], False),
        ([{"ename": "RuntimeError"}, 1], [1], False),
        (None, 3, False),
    ],
)
def test_a_line_whose_error_was_left_there(
    project: Path, capsys: pytest.CaptureFixture[str], outputs: Any, behind: Any, silent: bool
) -> None:
    cells = notebook(FIRST, SECOND, DEFINED, "loss = f()", "print(1)")
    cells["cells"][-2]["outputs"], cells["cells"][-1]["outputs"] = outputs, behind
    write(project / "a.ipynb", cells)
    assert main(["check", "--no-cache"]) == (not silent)
    assert capsys.readouterr().out.startswith("" if silent else "a.ipynb:cell 4:2:12: TDL103")


def test_nobody_imports_a_notebook(project: Path) -> None:
    text = (
        "import torch\n\nclass A(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.linear = torch.nn.Linear(4, 4)\n\n    def forward(self, x):\n"
        "        return self.linear(x) + torch.zeros(3, 4)\n"
    )
    (project / "b.py").write_text(text)
    assert main(["check", "--no-cache", "b.py"]) == 1
    write(project / "a.ipynb", notebook(text))
    assert main(["check", "--no-cache", "a.ipynb"]) == 0


def test_await_and_another_language(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project / "a.ipynb", notebook("await f()", *CELLS))
    assert told(capsys).startswith("a.ipynb:cell 5:")
    assert main(["check", "--no-cache", "--fix"]) == 0
    for metadata in ({"language_info": {"name": "R"}}, {"kernelspec": {"language": "julia"}}):
        write(project / "a.ipynb", notebook("x <- (", **metadata))
        assert main(["check", "--no-cache"]) == 0
    for metadata in ({"language_info": {"name": "ipython"}}, {"kernelspec": {}}, {"language_info": 3}):
        write(project / "a.ipynb", notebook(*CELLS, **metadata))
        assert main(["check", "--no-cache"]) == 1
    cells = [code("SELECT (", vscode={"languageId": "sql"}), code("x = 1", vscode={"languageId": "python"})]
    write(project / "a.ipynb", {**notebook(), "cells": cells, "metadata": None})
    assert main(["check", "--no-cache"]) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "it is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("{} {}", "it is not JSON: Extra data: line 1 column 4 (char 3)"),
        ("[]", "it is JSON, but no notebook"),
        ("{}", "it is JSON, but no notebook"),
        ('{"cells": [], "nbformat": "4"}', "it is JSON, but no notebook"),
        ('{"worksheets": [], "nbformat": 3}', "it is of nbformat 3, and notebooks are read from nbformat 4 on"),
        ('{"cells": [3], "nbformat": 4}', "cell 1 of it is none"),
        ('{"cells": [{"cell_type": "code"}], "nbformat": 4}', "cell 1 of it has no source"),
        ('{"cells": [{"cell_type": "code", "source": [3]}], "nbformat": 4}', "cell 1 of it has no source"),
        ("[" * 100_000, "it is nested too deeply"),
        (f'{{"cells": [], "nbformat": 4, "x": {"1" * 5000}}}', "it holds a number of too many digits"),
    ],
)
def test_what_is_no_notebook(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    reason: str,
) -> None:
    (project / "a.ipynb").write_text(text)
    assert told(capsys) == f"a.ipynb:1:1: TDL000 not analysed: {reason}\n"
    assert main(["check", "--no-cache", "--fix-only"]) == 1
    assert main(["check", "--no-cache", "--add-noqa"]) == 1
    assert (project / "a.ipynb").read_text() == text
    with pytest.raises(NotEditable):
        editing.load(project / "a.ipynb")
    capsys.readouterr()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["check", "-", "--stdin-filename", "a.ipynb", "--fix"]) == 2
    assert capsys.readouterr().err == f"torchdevlint: a.ipynb: {reason}\n"


@pytest.mark.parametrize("text", ["", " \n", '{"cells": [], "nbformat": 4}'])
def test_a_notebook_without_cells(project: Path, text: str) -> None:
    (project / "a.ipynb").write_text(text)
    assert main(["check", "--no-cache"]) == 0


def test_standard_input(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = (project / "a.ipynb").read_bytes()

    def given_input(content: bytes, *options: str) -> int:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return main(["check", "-", "--stdin-filename", "x.ipynb", *options])

    assert given_input(data) == 1
    assert capsys.readouterr().out == f"x.ipynb:cell 4:1:19: {FOUND}\n"
    assert given_input(data, "--fix") == 0
    assert capsys.readouterr().out == data.decode().replace(*FIX)
    assert given_input(data, "--diff") == 1
    assert capsys.readouterr().out.startswith("--- x.ipynb:cell 4\n")
    assert given_input(b"\xff") == 2
    assert capsys.readouterr().err == "torchdevlint: x.ipynb: it is not encoded as UTF-8\n"


# with the real programs


def test_the_installed_command(project: Path) -> None:
    done = subprocess.run(
        [SCRIPTS / "torchdevlint", "check", "--no-cache", "."], cwd=project, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, f"a.ipynb:cell 4:1:19: {FOUND}\n", "")


@pytest.mark.skipif(shutil.which("nbqa", path=str(SCRIPTS)) is None, reason="nbqa is not installed")
def test_nbqa(project: Path) -> None:
    # nbQA counts code cells only
    done = subprocess.run(
        [sys.executable, "-m", "nbqa", "flake8", "a.ipynb", "--isolated", "--select", "TDL"],
        cwd=project, check=False, capture_output=True, text=True,
    )  # fmt: skip
    there = SAID.replace("(cell 3, line 3)", "(line 3 of another cell)")
    there = there.replace("(cell 3, line 2)", "(line 2 of another cell)")
    assert done.stdout == f"a.ipynb:cell_3:1:19: TDL103 {there}\n"


def test_what_nbqa_makes_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plugin, "_selection", Selection())
    mark = f"{NBQA_MARK}1a2b3c\n"
    text = (
        f"{mark}import torch\nx = torch.ones(3)\n\n\n{mark}  x.cpu()\n  x.cpu()\n\n\n"
        f"{mark}model = torch.nn.Linear(4, 2).cuda()\nlabels = torch.ones(8, 2)\n"
        "torch.nn.functional.mse_loss(model(torch.ones(8, 4).cuda()), labels)\n"
    )
    plugin = Plugin(ast.Module([], []), text.splitlines(keepends=True))
    found = [(line, column, told) for line, column, told, _ in plugin.run() if "TDL50" not in told]
    assert [one[:2] for one in found] == [(7, 2), (14, 0)]
    assert "`labels` is on cpu (line 2) but" in found[1][2]


# what docs/notebooks.md shows

PAGE = (ROOT / "docs" / "notebooks.md").read_text("utf-8")


def test_the_page(tmp_path: Path) -> None:
    third = "loss = nn.functional.mse_loss(outputs, labels)\nloss.backward()"
    write(tmp_path / "analysis.ipynb", notebook(FIRST, SECOND.replace("out ", "outputs "), third))
    commands = re.findall(r"```console\n(.*)\n```", PAGE)
    [output] = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert [command.split()[0] for command in commands] == ["torchdevlint", "nbqa"]
    done = subprocess.run(
        [sys.executable, "-m", *commands[0].split()], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, output)
    if shutil.which("nbqa", path=str(SCRIPTS)) is not None:
        done = subprocess.run(
            [sys.executable, "-m", *commands[1].split()], cwd=tmp_path, check=False, capture_output=True, text=True
        )
        assert (done.returncode, done.stdout.count("TDL103")) == (1, 1)
