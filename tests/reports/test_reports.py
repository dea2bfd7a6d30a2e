"""Reports: each form holds every finding, where it is, and what its readers need."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from torchdevlint.checking.outcomes import Outcome, Task, check
from torchdevlint.cli.main import main
from torchdevlint.options import on_by_default
from torchdevlint.reports import FORMATS, Report
from torchdevlint.reports.report import fingerprints, fixable, relative, rules

SCHEMA = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text("utf-8"))
TRAINING = """\
import torch
from torch import nn

model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.cuda()
labels = torch.ones(8, 2)
outputs = model(torch.ones(8, 4).cuda())
größe, loss = "✓✓", nn.functional.mse_loss(
    outputs,
    labels,
)
loss.backward()
optimizer.step()
"""


@pytest.fixture
def report(tmp_path: Path) -> Report:
    made = []
    for name, text in {"a b.py": TRAINING, "clean.py": "x = 1\n", "broken.py": "def f(:\n", "ä.py": TRAINING}.items():
        (tmp_path / name).write_text(text, "utf-8")
        made.append(check(Task(str(tmp_path / name), on_by_default)))
    return Report(tuple(made), tmp_path)


def render(form: str, report: Report) -> str:
    return FORMATS[form](report)


def test_there_is_something_to_tell(report: Report) -> None:
    assert [finding.code for _, finding in report.findings()] == [
        "TDL302", "TDL502", "TDL103", "TDL000", "TDL302", "TDL502", "TDL103",
    ]  # fmt: skip


def test_concise(report: Report) -> None:
    told = render("concise", report).splitlines()
    assert len(told) == 8
    assert told[7].startswith("[*] ")
    assert told[2].startswith(f"{report.root}/a b.py:9:21: TDL103 [*] `labels` is on cpu (line 7) but")


def test_full(report: Report) -> None:
    told = render("full", report)
    assert "\x1b" not in told
    block = told.split("\n\n")[2].splitlines()
    assert block[0].startswith("TDL103 label-not-moved [error] [*] `labels` is on cpu (line 7) but")
    assert block[1] == f"  --> {report.root}/a b.py:9:21"
    assert block[2:10] == [
        ' 9 | größe, loss = "✓✓", nn.functional.mse_loss(', "   |                     ^^^^^^^^^^^^^^^^^^^^^^^",
        "10 |     outputs,", "   |     ^^^^^^^^", "11 |     labels,", "   |     ^^^^^^^", "12 | )", "   | ^",
    ]  # fmt: skip
    assert " 7 | labels = torch.ones(8, 2)" in told
    assert "^ made by `torch.ones`: `labels` is on cpu" in told
    assert "= help: Move the target to the device of the prediction" in told
    assert "\nFound 3 errors, 4 warnings in 3 files.\n[*] " in told


def test_full_has_colours_on_a_terminal(report: Report) -> None:
    told = render("full", replace(report, colour=True))
    assert "\x1b[" in told
    assert re.sub(r"\x1b\[[0-9;]*m", "", told) == render("full", report)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("print(x.cuda().numpy())", "[*] 1 fixable with --fix"),
        ("x.cpu()\nprint(x)", "1 fixable with --fix --unsafe-fixes"),
        (
            "print(x.cuda().numpy())\ny = torch.ones(3)\ny.cpu()\nprint(y)",
            "[*] 1 fixable with --fix (1 more with --unsafe-fixes)",
        ),
        ("x.cpu()", ""),
    ],
)
def test_what_is_fixable_is_counted(lines: str, told: str, tmp_path: Path) -> None:
    task = Task("a.py", lambda code: code in ("TDL113", "TDL201"), f"import torch\n\nx = torch.ones(3)\n{lines}\n")
    assert fixable(Report((check(task),), tmp_path)) == told


def test_full_of_nothing(tmp_path: Path) -> None:
    assert render("full", Report((Outcome("a.py"),), tmp_path)) == "No device bugs found.\n"


def test_full_of_one(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.ones(3)\nx.to('cpu')\n")
    told = render("full", Report((check(Task(str(tmp_path / "a.py"), on_by_default)),), tmp_path))
    assert told.endswith("Found 1 error in 1 file.\n")


def test_full_leaves_out_the_middle_of_a_long_statement(tmp_path: Path) -> None:
    middle = "".join(f"    {number},\n" for number in range(50))
    (tmp_path / "a.py").write_text(
        f"import torch\n\nx = torch.ones(3)\nx.to(\n    'cpu', *[\n\t{middle.strip()}\n    ],\n\n)\n"
    )
    outcome = check(Task(str(tmp_path / "a.py"), on_by_default))
    told = render("full", Report((outcome,), tmp_path)).splitlines()
    assert "   | …" in told
    assert len(told) < 20


def test_full_shows_nothing_that_steers_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.ones(3)\n\nif x:\n\tx.to('\x1b[31m')\n")
    told = render("full", Report((check(Task(str(tmp_path / "a.py"), on_by_default)),), tmp_path))
    assert "\x1b" not in told
    assert "6 |     x.to('�[31m')" in told


def test_json(report: Report) -> None:
    found = json.loads(render("json", report))
    assert len(found) == 7
    assert found[2].keys() >= {"code", "name", "severity", "message", "filename", "location", "end_location", "trace"}
    assert (found[2]["location"], found[2]["end_location"]) == ({"row": 9, "column": 21}, {"row": 12, "column": 2})
    assert found[2]["trace"][0]["location"] == {"row": 7, "column": 10}
    assert found[2]["fix"] == {
        "applicability": "safe",
        "message": "Move the target to the device of the prediction",
        "edits": [
            {
                "content": ".to(outputs.device)",
                "cell": None,
                "location": {"row": 11, "column": 11},
                "end_location": {"row": 11, "column": 11},
            }
        ],
    }
    assert found[3]["fix"] is None
    assert found[3]["name"] == "not-analysed"
    assert (found[3]["help"], found[3]["url"], found[3]["severity"]) == (None, None, "error")
    assert [json.loads(line) for line in render("jsonl", report).splitlines()] == found


def test_github(report: Report) -> None:
    told = render("github", report).splitlines()
    assert told[2].startswith(
        "::error title=torchdevlint (TDL103 label-not-moved),file=a b.py,line=9,col=21,endLine=12,endColumn=2::"
    )
    assert told[0].startswith("::warning ")


def test_github_escapes(tmp_path: Path) -> None:
    path = str(tmp_path / "a,b:c%.py")
    Path(path).write_text("import torch\n\nx = torch.ones(3)\nx.to('cpu')\n")
    assert ",file=a%2Cb%3Ac%25.py,line=4," in render("github", Report((check(Task(path, on_by_default)),), tmp_path))


def test_gitlab(report: Report) -> None:
    found = json.loads(render("gitlab", report))
    assert len(found) == 7
    for one in found:  # https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
        assert one["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert one["description"]
        assert one["check_name"]
        assert one["fingerprint"]
        assert one["location"]["positions"]["begin"]["line"] > 0
    assert found[2]["location"]["path"] == "a b.py"
    assert len({one["fingerprint"] for one in found}) == 7


def test_sarif_is_what_the_standard_says(report: Report) -> None:
    log = json.loads(render("sarif", report))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    run = log["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(rules())
    for result in run["results"]:
        if "ruleIndex" in result:
            assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    found = run["results"][2]
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 9, "startColumn": 21, "endLine": 12, "endColumn": 2}
    assert found["relatedLocations"][0]["message"]["text"] == "made by `torch.ones`: `labels` is on cpu"
    [change] = found["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "a%20b.py"
    assert change["replacements"][0]["deletedRegion"]["startLine"] == 11
    assert len(found["codeFlows"][0]["threadFlows"][0]["locations"]) == len(found["relatedLocations"]) + 1
    assert run["results"][4]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "%C3%A4.py"


def test_sarif_of_files_elsewhere(report: Report) -> None:
    log = json.loads(render("sarif", replace(report, root=report.root / "folder")))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    artifact = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"].startswith("file:///")
    assert "uriBaseId" not in artifact


def test_sarif_describes_each_rule(report: Report) -> None:
    for rule in json.loads(render("sarif", report))["runs"][0]["tool"]["driver"]["rules"]:
        assert rule["shortDescription"]["text"].endswith(".")
        assert rule["fullDescription"]["text"]
        assert rule["helpUri"].startswith("https://")


def test_junit(report: Report) -> None:
    root = ET.fromstring(render("junit", report).encode())  # noqa: S314 (our own document)
    assert root.attrib == {"name": "torchdevlint", "tests": "8", "failures": "7"}
    assert [suite.get("failures") for suite in root] == ["3", "0", "1", "3"]
    assert [case.get("name") for case in root[1]] == ["torchdevlint"]
    failure = root[0][2][0]
    assert failure.get("type") == "error"
    assert failure.text is not None
    assert "a b.py:9:21: TDL103" in failure.text


def test_junit_writes_what_xml_can(tmp_path: Path) -> None:
    told = render("junit", Report((Outcome("a\x01b.py"),), tmp_path))
    assert ET.fromstring(told.encode())[0].get("name") == "a\ufffdb.py"  # noqa: S314


def test_fingerprints_survive_moved_lines(report: Report) -> None:
    before = fingerprints(report)
    path = Path(report.outcomes[0].path)
    path.write_text("# one\n# two\n" + path.read_text("utf-8"), "utf-8")
    again = check(Task(str(path), on_by_default))
    assert fingerprints(replace(report, outcomes=(again, *report.outcomes[1:]))) == before
    assert len(set(before)) == len(before)


def test_the_same_line_twice_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import torch\n\n\ndef f(x: torch.Tensor):\n    x.cuda()\n\n\ndef g(x: torch.Tensor):\n    x.cuda()\n"
    )
    report = Report((check(Task(str(path), lambda code: code == "TDL201")),), tmp_path)
    assert len(set(fingerprints(report))) == 2


def test_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert relative(str(tmp_path / "a" / "b.py"), tmp_path) == "a/b.py"

    def elsewhere(*_: object) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr("os.path.relpath", elsewhere)
    assert relative("D:/b.py", tmp_path) == "D:/b.py"


# the command


@pytest.mark.parametrize("form", FORMATS)
def test_each_form_can_be_asked_for(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(TRAINING, "utf-8")
    assert main(["check", "--output-format", form]) == 1
    told = capsys.readouterr().out
    assert "TDL103" in told
    assert main(["check", "--output-format", form, "-o", "report"]) == 1
    assert capsys.readouterr().out == ""
    assert Path("report").read_text("utf-8") == told


def test_a_report_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(TRAINING, "utf-8")
    assert main(["check", "-o", "no/report"]) == 2
    assert capsys.readouterr().err == "torchdevlint: no/report cannot be written: No such file or directory\n"


def test_statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(TRAINING, "utf-8")
    Path("b.py").write_text("import torch\n\nx = torch.ones(3)\nx.cuda()\n")
    assert main(["check", "--statistics"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "2\tTDL502\tunguarded-cuda-call", "1\tTDL103\tlabel-not-moved", "1\tTDL201\tdiscarded-move",
        "1\tTDL302\toptimizer-order",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parents[2].glob("fixtures/*/bad.py")), ids=lambda p: p.parent.name
)
def test_traces_are_sentences(path: Path) -> None:
    for finding in check(Task(str(path), on_by_default)).findings:
        for step in finding.trace:
            assert "Possibility" not in step.text
            assert len(step.text) < 400
