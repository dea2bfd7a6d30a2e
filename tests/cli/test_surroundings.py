"""What the command finds around it: processors, a terminal, a Python without a reader of TOML, odd text."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import sys
from pathlib import Path

import pytest

from torchdevlint.checking import outcomes, running, settings, sources
from torchdevlint.cli import telling
from torchdevlint.cli.main import main
from torchdevlint.options import on_by_default

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Terminal(io.StringIO):
    """Standard error of a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_system_that_cannot_say_which_processors_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert running.jobs_by_default() == 7


@pytest.mark.parametrize(("patience", "told"), [(60.0, False), (-1.0, True)])
def test_a_terminal_is_told_how_far_the_work_is_where_it_takes_time(
    monkeypatch: pytest.MonkeyPatch, patience: float, told: bool
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(telling, "PATIENCE", patience)
    with telling.progress(4) as advance:
        advance(3)
    assert ("checking" in terminal.getvalue() and "75%" in terminal.getvalue()) is told


def test_settings_are_read_where_python_has_no_reader_of_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 0))
    monkeypatch.setitem(sys.modules, "tomli", tomllib)
    monkeypatch.setitem(sys.modules, "tomllib", None)  # an import of it fails
    spec = importlib.util.spec_from_file_location("settings_of_old", settings.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "settings_of_old", module)
    spec.loader.exec_module(module)
    assert module.tomllib is tomllib


def test_a_line_that_is_not_there_has_no_comment() -> None:
    comments = sources.silence(["x = '''a\n", "'''  # noqa: TDL101\n"])
    assert [comments.last_line(line) for line in (1, 2, 7)] == [2, 2, 7]


def test_half_a_character_in_a_notebook_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = {"cell_type": "code", "source": "x = '\ud800'", "metadata": {}, "outputs": [], "execution_count": None}
    book = tmp_path / "a.ipynb"
    book.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert main(["check", "--no-cache", str(book)]) == 1
    assert "TDL000 syntax error: 'utf-8' codec can't encode character" in capsys.readouterr().out
    (found,) = outcomes.check(outcomes.Task("a.py", on_by_default, text="import torch\nx = '\ud800'\n")).findings
    assert (found.code, found.message.partition("codec")[0]) == ("TDL000", "syntax error: 'utf-8' ")
