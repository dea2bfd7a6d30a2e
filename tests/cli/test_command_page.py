"""What docs/command.md says of the command is so: its options, keys, forms and examples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from torchdevlint.checking.settings import KEYS, load
from torchdevlint.cli.main import main
from torchdevlint.reports import FORMATS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")


def test_every_option_that_is_told_exists(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    real = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) - {"--all"}
    assert told <= real
    assert real - told <= {"--help", "--stdin-filename", "--jobs", "--select", "--ignore", "--reason"}


def test_every_key_and_form_is_told() -> None:
    words = set(re.findall(r"`([a-z-]+)`", PAGE))
    assert set(KEYS) <= words
    assert set(FORMATS) <= words


def test_the_settings_of_the_readme_are_settings(tmp_path: Path) -> None:
    [text] = re.findall(r"```toml\n(\[tool\.torchdevlint\]\n.*?)```", README, re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(text)
    assert load(tmp_path / "pyproject.toml").ignore == ("TDL302",)


def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    [block] = re.findall(r"```console\n(torchdevlint check \..*?)```", README, re.DOTALL)
    (tmp_path / "train.py").write_text((ROOT / "docs" / "examples" / "train.py").read_text("utf-8"))
    statuses = []
    for line in block.splitlines():
        command = line.partition("#")[0].split()
        done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, check=False, capture_output=True)
        assert b"Traceback" not in done.stderr
        statuses.append(done.returncode)
    assert statuses == [1, 1, 1, 0, 0, 0, 0, 0]
