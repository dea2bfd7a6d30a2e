"""The command line: its commands, its exit statuses, and one sentence where there is nothing to do."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import torchdevlint
from torchdevlint import cli
from torchdevlint.cli import verify as command
from torchdevlint.cli.failure import Failure
from torchdevlint.cli.main import main
from torchdevlint.harness import verification
from torchdevlint.harness.declarations import Backend
from torchdevlint.harness.verdicts import Seen, Verdict
from torchdevlint.harness.verification import Limits, Row

Capture = pytest.CaptureFixture[str]


def leaves(arguments: Sequence[str]) -> object:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return end.value.code


def test_version(capsys: Capture) -> None:
    assert leaves(["--version"]) == 0
    assert capsys.readouterr().out == f"torchdevlint {torchdevlint.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["verify", "--help"]])
def test_help(arguments: list[str], capsys: Capture) -> None:
    assert leaves(arguments) == 0
    assert capsys.readouterr().out.startswith("usage: torchdevlint")


WRONG = [
    [],
    ["walk"],
    ["run"],
    ["run", "--devices", "0", "x.py"],
    ["run", "--report", "xml", "x.py"],
    ["verify", "--backend", "tpu"],
    ["verify", "--workers", "0"],
    ["verify", "--seconds", "soon"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_ends_with_2(arguments: list[str], capsys: Capture) -> None:
    assert leaves(arguments) == 2
    assert "usage: torchdevlint" in capsys.readouterr().err


def test_there_may_be_no_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchdevlint.cli.main.main", lambda: 3)
    monkeypatch.setattr(sys, "stdout", None)  # as under `pythonw`
    assert cli.command() == 3


def test_the_usage_of_the_command_is_told(capsys: Capture) -> None:
    assert leaves(["rule", "--sideways", "TDL101", "more"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("usage: torchdevlint rule")
    assert said.endswith("torchdevlint rule: error: unrecognized arguments: --sideways more\n")


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(verification, "verify", interrupt)
    monkeypatch.setattr("sys.argv", ["torchdevlint", "verify"])
    assert cli.command() == 130


def test_an_interrupt_of_the_imports_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "torchdevlint.cli.main":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "torchdevlint.cli.main")
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    assert cli.command() == 130


# run


def test_there_has_to_be_a_script(tmp_path: Path, capsys: Capture) -> None:
    assert main(["run", str(tmp_path / "no.py")]) == 2
    assert capsys.readouterr().err == f"torchdevlint: there is no script {tmp_path / 'no.py'}\n"
    assert main(["run", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"torchdevlint: {tmp_path} is a folder, not a script\n"


@pytest.mark.needs_torch
@pytest.mark.parametrize("name", ["no_such_module_of_anybody", "no_such_module_of_anybody.part", ".part"])
def test_there_has_to_be_a_module(name: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert main(["run", "-m", name]) == 2
    assert capsys.readouterr().err.startswith(f"torchdevlint: there is no module {name}")


def test_there_has_to_be_a_torch(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    script = tmp_path / "x.py"
    script.touch()
    assert main(["run", str(script)]) == 2
    assert capsys.readouterr().err.startswith("torchdevlint: run needs PyTorch, which cannot be imported: ")


# verify


def rows(verdict: Verdict) -> list[Row]:
    return [Row("TDL101", "tdl101_x/bad.py", "cpu", "ok", Seen(verdict, "so"), "2.13.0", "CPU")]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What verify was asked for; it has seen what stands last."""
    given: list[object] = [Verdict.CONFIRMED]

    def verify(paths: object, backends: object, limits: object, workers: object) -> list[Row]:
        verdict = given[-1]
        given.extend((paths, backends, limits, workers))
        assert isinstance(verdict, Verdict)
        return rows(verdict)

    monkeypatch.setattr(verification, "verify", verify)
    return given


def test_defaults(asked: list[object], capsys: Capture) -> None:
    assert main(["verify"]) == 0
    assert asked[1:] == [[Path("fixtures")], [Backend.CPU, Backend.SIM], Limits(20, 4096), 2]
    assert capsys.readouterr().out.endswith("1 confirmed, 0 refuted, 0 unproven, 0 skipped, 0 undeclared\n")


def test_options(asked: list[object], capsys: Capture) -> None:
    options = (
        "--backend cuda --backend cpu --backend cuda --workers 3 --seconds 4 --megabytes 5 --output-format json a b"
    )
    assert main(["verify", *options.split()]) == 0
    assert asked[1:] == [[Path("a"), Path("b")], [Backend.CUDA, Backend.CPU], Limits(4, 5), 3]
    assert json.loads(capsys.readouterr().out)[0]["seen"] == "confirmed"


STATUSES = {
    Verdict.CONFIRMED: 0,
    Verdict.SKIPPED: 0,
    Verdict.UNPROVEN: 0,
    Verdict.REFUTED: 1,
    Verdict.UNDECLARED: 1,
}


@pytest.mark.parametrize("verdict", Verdict)
def test_the_exit_status_tells_of_what_is_wrong(asked: list[object], verdict: Verdict) -> None:
    asked.append(verdict)
    assert main(["verify"]) == STATUSES[verdict]


def test_evidence_is_written(asked: list[object], tmp_path: Path) -> None:
    file = tmp_path / "evidence.json"
    assert main(["verify", "--evidence", str(file)]) == 0
    first = file.read_text("utf-8")
    assert json.loads(first)[0]["device"] == "CPU"
    asked.append(Verdict.CONFIRMED)
    assert main(["verify", "--evidence", str(file)]) == 0
    assert file.read_text("utf-8") == first


def test_evidence_that_cannot_be_written_is_told(asked: list[object], tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "evidence.json"
    file.write_text("{", "utf-8")
    assert main(["verify", "--evidence", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"torchdevlint: the evidence cannot be written to {file}: ")


def test_what_cannot_be_verified_is_told(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "bad.py").write_text("# runtime: cpu\n", "utf-8")
    assert main(["verify", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"torchdevlint: {tmp_path / 'bad.py'}: line 1: `` is no prediction\n"


def test_a_failure_is_what_a_command_raises() -> None:
    chosen = argparse.Namespace(backend=None, seconds=1, megabytes=1, workers=1, paths=[Path("/no/such/folder")])
    with pytest.raises(Failure, match=r"^/no/such/folder: there is no such file or folder$"):
        command.execute(chosen)


@pytest.mark.skipif(os.name == "nt", reason="a pipe there fails in another way")
@pytest.mark.parametrize("command", [["rules"], ["rule", "--all"], ["config"]])
def test_a_reader_that_has_seen_enough_ends_the_command(command: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "torchdevlint", *command], check=False, stdout=writing, stderr=subprocess.PIPE
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")
