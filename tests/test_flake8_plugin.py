"""The real flake8 runs the plugin: on all kinds of text, and on through whatever goes wrong in one file."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NoReturn

import pytest

import torchdevlint
from torchdevlint.flake8_plugin import Plugin
from torchdevlint.options import NotAnalysed, Options, on_by_default

BUG = "import torch\n\nx = torch.ones(3)\nx.cuda()\nprint(x)\n"
FOUND = [("TDL201", 4, 1)]


class Run(SimpleNamespace):
    """What a run of flake8 gave: exit status, findings as (code, line, column), output, complaints."""

    status: int
    found: list[tuple[str, int, int]]
    out: str
    err: str


def flake8(*arguments: str, cwd: Path, stdin: bytes | None = None, path: Path | None = None) -> Run:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    result = subprocess.run(
        [sys.executable, "-m", "flake8", *arguments],
        cwd=cwd,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        env=environment,
        check=False,
    )
    out = result.stdout.decode("utf-8")
    found = []
    for line in out.splitlines():
        _, row, column, text = line.split(":", 3)
        found.append((text.split()[0], int(row), int(column)))
    return Run(status=result.returncode, found=found, out=out, err=result.stderr.decode("utf-8"))


def lint(tmp_path: Path, source: str | bytes, *arguments: str, select: str = "TDL201") -> Run:
    content = source.encode() if isinstance(source, str) else source
    (tmp_path / "train.py").write_bytes(content)
    return flake8("--select", select, *arguments, "train.py", cwd=tmp_path)


def test_a_file(tmp_path: Path) -> None:
    run = lint(tmp_path, BUG)
    assert (run.status, run.found, run.err) == (1, FOUND, "")
    assert run.out.startswith("train.py:4:1: TDL201 ")


def test_standard_input(tmp_path: Path) -> None:
    arguments = ("--select", "TDL201", "--stdin-display-name", "src/unsaved.py", "-")
    run = flake8(*arguments, cwd=tmp_path, stdin=BUG.encode())
    assert (run.status, run.found, run.err) == (1, FOUND, "")
    assert run.out.startswith("src/unsaved.py:4:1: TDL201 ")


def test_an_editor_buffer_of_a_file_that_is_different_on_disk(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUG, "utf-8")
    run = flake8("--select", "TDL", "--stdin-display-name", "train.py", "-", cwd=tmp_path, stdin=b"import torch\n")
    assert (run.status, run.found) == (0, [])


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("\n\n   \n", [], id="blank"),
        pytest.param("# torch.device\n", [], id="only a comment"),
        pytest.param(BUG.rstrip("\n").replace("\nprint(x)", ""), FOUND, id="no newline at the end"),
        pytest.param(BUG.replace("\n", "\r\n"), FOUND, id="carriage returns"),
        pytest.param("\ufeff" + BUG, FOUND, id="byte order mark"),
        pytest.param("\ufeff" + BUG.replace("\n", "\r\n"), FOUND, id="byte order mark and carriage returns"),
        pytest.param(
            "import torch\n\ndef f(x: torch.Tensor):\n\tif x is not None:\n\t\tx.cuda()\n\treturn x\n",
            [("TDL201", 5, 3)],
            id="tabs",
        ),
        pytest.param(BUG.replace("\n\n", "\n\x0c\n"), FOUND, id="form feed"),
        pytest.param(BUG.replace("x.cuda()", "print('😀é'); x.cuda()"), [("TDL201", 4, 14)], id="astral character"),
        pytest.param(
            b"# -*- coding: latin-1 -*-\n" + BUG.replace("x.cuda()", "print('\xe9'); x.cuda()").encode("latin-1"),
            [("TDL201", 5, 13)],
            id="latin-1 cookie",
        ),
    ],
)
def test_kinds_of_text(tmp_path: Path, source: str | bytes, found: list[tuple[str, int, int]]) -> None:
    run = lint(tmp_path, source)
    assert (run.found, run.err) == (found, "")
    content = source.encode() if isinstance(source, str) else source
    assert flake8("--select=TDL201", "-", cwd=tmp_path, stdin=content).found == found


@pytest.mark.parametrize(
    ("comment", "silent"),
    [("# noqa", True), ("# noqa: TDL201", True), ("# NOQA:E501,TDL201", True), ("# noqa: TDL101", False)],
)
def test_noqa_is_left_to_flake8(tmp_path: Path, comment: str, silent: bool) -> None:
    source = BUG.replace("x.cuda()", f"x.cuda()  {comment}")
    assert lint(tmp_path, source).found == ([] if silent else FOUND)
    assert lint(tmp_path, source, "--disable-noqa").found == FOUND


def test_file_level_noqa(tmp_path: Path) -> None:
    assert lint(tmp_path, "# flake8: noqa: TDL201\n" + BUG).found == []


def test_per_file_ignores(tmp_path: Path) -> None:
    (tmp_path / ".flake8").write_text("[flake8]\nselect = TDL201\nper-file-ignores =\n    scripts/*: TDL201\n", "utf-8")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "a.py").write_text(BUG, "utf-8")
    (tmp_path / "b.py").write_text(BUG, "utf-8")
    run = flake8(cwd=tmp_path)
    assert [Path(line.split(":")[0]) for line in run.out.splitlines()] == [Path("b.py")]


def test_test_files_may_hardcode_a_device(tmp_path: Path) -> None:
    source = "import torch\n\nx = torch.ones(3, device='cuda')\nprint(x)\n"
    (tmp_path / "test_a.py").write_text(source, "utf-8")
    (tmp_path / "a.py").write_text(source, "utf-8")
    run = flake8("--select=TDL501", "a.py", "test_a.py", cwd=tmp_path)
    assert [line.split(":")[0] for line in run.out.splitlines()] == ["a.py"]


def test_a_syntax_error(tmp_path: Path) -> None:
    source = BUG + "def f(:\n"
    alone = lint(tmp_path, source, select="TDL")
    assert (alone.status, alone.out, alone.err) == (0, "", "")
    with_e9 = lint(tmp_path, source, select="TDL,E9")
    assert with_e9.status == 1
    assert [code for code, _, _ in with_e9.found] == ["E999"]


STUB = """
import sys
from types import ModuleType, SimpleNamespace

def analyse(text, *, options):
    if "crash" in text:
        raise ValueError("bad\\n  thing")
    return (SimpleNamespace(code="TDL101", message="found", line=1, column=0),)

engine = ModuleType("torchdevlint.engine")
engine.analyse = analyse
sys.modules["torchdevlint.engine"] = engine
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_internal_error_does_not_stop_the_next_file(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / "sitecustomize.py").write_text(STUB, "utf-8")
    for name, text in {"a.py": "", "b.py": "# crash\n", "c.py": ""}.items():
        (tmp_path / name).write_text("import torch  # device\n" + text, "utf-8")
    files = ("a.py", "b.py", "c.py")

    run = flake8("--select=TDL", f"--jobs={jobs}", *files, cwd=tmp_path, path=tmp_path / "stub")
    internal = "TDL000 internal error: ValueError: bad thing"
    assert run.out.splitlines() == ["a.py:1:1: TDL101 found", f"b.py:1:1: {internal}", "c.py:1:1: TDL101 found"]
    assert run.err == f"b.py: {internal}\n"
    assert run.status == 1

    # deselecting TDL000 hides nothing
    run = flake8("--select=TDL1", f"--jobs={jobs}", *files, cwd=tmp_path, path=tmp_path / "stub")
    assert run.out.splitlines() == ["a.py:1:1: TDL101 found", "c.py:1:1: TDL101 found"]
    assert run.err == f"b.py: {internal}\n"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Put an empty engine in place of the real one, and undo what a test tells the plugin about the options."""
    for attribute in ("_selection", "_idle"):
        monkeypatch.setattr(Plugin, attribute, getattr(Plugin, attribute))
    stub = ModuleType("torchdevlint.engine")
    monkeypatch.setitem(sys.modules, "torchdevlint.engine", stub)
    return stub


def run_plugin(text: str = "import torch  # device\n", filename: str = "train.py") -> list[tuple[int, int, str]]:
    plugin = Plugin(ast.parse(text), text.splitlines(keepends=True), filename)
    return [(line, column, message) for line, column, message, _ in plugin.run()]


def test_what_the_gate_refuses_needs_no_engine(engine: ModuleType) -> None:
    assert run_plugin("import os\n") == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (NotAnalysed("a reason"), "not analysed: a reason"),
        (RecursionError("maximum recursion depth exceeded"), "not analysed: nested too deeply"),
    ],
)
def test_what_is_not_analysed_says_so(
    engine: ModuleType, capsys: pytest.CaptureFixture[str], error: Exception, message: str
) -> None:
    def analyse(text: str, *, options: Options) -> NoReturn:
        raise error

    engine.analyse = analyse  # type: ignore[attr-defined]
    assert run_plugin() == [(1, 0, f"TDL000 {message}")]
    assert capsys.readouterr().err == ""


def test_a_long_error_message_is_cut(engine: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def analyse(text: str, *, options: Options) -> NoReturn:
        raise KeyError("x" * 1000)

    engine.analyse = analyse  # type: ignore[attr-defined]
    ((_, _, message),) = run_plugin(filename="a.py")
    assert len(message) < 250
    assert message.endswith("x…")
    assert capsys.readouterr().err == f"a.py: {message}\n"


def test_the_plugin_hands_over_path_and_selection(engine: ModuleType) -> None:
    seen = []

    def analyse(text: str, *, options: Options) -> list[SimpleNamespace]:
        seen.append((options.filename, options.wants("TDL101"), options.wants("TDL901"), text))
        return [SimpleNamespace(code=code, message="found", line=2, column=3) for code in ("TDL101", "TDL901")]

    engine.analyse = analyse  # type: ignore[attr-defined]
    text = "import torch  # device\n"
    Plugin.parse_options(Namespace(select=["TDL"]))
    assert run_plugin() == [(2, 3, "TDL101 found")]
    Plugin.parse_options(Namespace(select=["TDL9"]))
    assert run_plugin() == [(2, 3, "TDL901 found")]
    Plugin.parse_options(Namespace(select=["E"]))
    assert run_plugin() == []
    assert seen == [("train.py", True, False, text), ("train.py", False, True, text)]


def test_flake8_lists_the_plugin(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "flake8", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert f"torchdevlint: {torchdevlint.__version__}" in result.stdout.replace("\n", " ")


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/helpers/a.py", True),
        ("src/tests/a.py", True),
        ("test/a.py", True),
        ("test_a.py", True),
        ("src/a_test.py", True),
        ("src/conftest.py", True),
        (r"src\tests\a.py", True),
        ("test.py", False),
        ("contest.py", False),
        ("latest/a.py", False),
        ("test_a/a.py", False),
        ("stdin", False),
    ],
)
def test_test_files_are_known_by_their_path(path: str, is_test: bool) -> None:
    assert Options(filename=path).is_test_file is is_test


def test_default_options_leave_advice_out() -> None:
    assert Options().wants is on_by_default
    assert [code for code in ("TDL000", "TDL101", "TDL904") if Options().wants(code)] == ["TDL000", "TDL101"]
