"""Files and folders that are not what they seem: one of them never ends the run for all others."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from torchdevlint.checking import sources
from torchdevlint.cli.main import main

THROWN_AWAY = "import torch\n\nx = torch.ones(3)\nx.to('cpu')\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(THROWN_AWAY)
    return tmp_path


def files(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line.split(":")[0] for line in capsys.readouterr().out.splitlines()]


def test_a_link_to_itself_is_left_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").symlink_to("a.py")
    assert main(["check"]) == 1
    assert files(capsys) == ["train.py"]


def test_an_empty_path_is_misuse(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", ""]) == 2
    assert capsys.readouterr().err == "torchdevlint: a path is empty; . is this folder\n"


@pytest.mark.skipif(os.name == "nt", reason="no pipe has a path of a folder there")
def test_a_pipe_is_not_read(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(project / "a.py")
    assert main(["check", "train.py", "a.py"]) == 2
    assert capsys.readouterr().err == "torchdevlint: a.py is neither a file nor a folder\n"
    assert main(["check"]) == 1
    assert files(capsys) == ["train.py"]


def test_what_is_too_large_is_neither_parsed_nor_split_into_tokens(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ast, "parse", pytest.fail)
    monkeypatch.setattr(sources, "silence", pytest.fail)
    (project / "train.py").write_text(f"{THROWN_AWAY}y = '{'a' * 200_001}'\n")
    assert main(["check"]) == 1
    assert capsys.readouterr().out == ("train.py:1:1: TDL000 not analysed: a line is longer than 200,000 characters\n")


def test_what_is_large_and_of_no_interest_is_no_finding(project: Path) -> None:
    (project / "train.py").write_text(f"y = '{'a' * 200_001}'\n")
    assert main(["check"]) == 0
