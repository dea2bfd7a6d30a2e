"""A file that is mended is written whole or not at all, where it stands and under the names that it has."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from trees import KEPT, READ, Capture

from torchdevlint.checking import fixing
from torchdevlint.checking.documents import Document
from torchdevlint.checking.fixing import FixTask, mended
from torchdevlint.cli.main import main


def test_a_link_stays_one(file: Path) -> None:
    real = file.rename(file.with_name("real.txt"))
    file.symlink_to(real)
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0
    assert file.is_symlink()
    assert real.read_text() == KEPT


def test_a_file_of_several_names_stays(file: Path, capsys: Capture) -> None:
    other = file.with_name("other.txt")
    os.link(file, other)
    why = "torchdevlint: train.py is left as it is: it has other names (hard links), which would keep the old text\n"
    assert main(["check", "--fix", "--unsafe-fixes"]) == 1
    assert capsys.readouterr().err.startswith(why)
    assert main(["check", "--add-noqa"]) == 1
    assert capsys.readouterr().err.startswith(why)
    assert main(["check", "--diff", "--unsafe-fixes"]) == 1
    assert capsys.readouterr().err == "1 finding would be fixed\n"
    assert file.read_text() == other.read_text() == READ
    other.unlink()
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0


def test_a_read_only_file_stays(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert main(["check", "--fix", "--unsafe-fixes"]) == 1
    assert capsys.readouterr().err.startswith("torchdevlint: train.py is left as it is: it is read-only\n")
    assert file.read_text() == READ


def test_a_file_that_changes_meanwhile_stays(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def meddle(job: FixTask, original: Document) -> fixing.Mended:
        done = mended(job, original)
        file.write_text("# somebody else was here\n")
        return done

    monkeypatch.setattr(fixing, "mended", meddle)
    assert main(["check", "--fix", "--unsafe-fixes"]) == 1
    assert "train.py is left as it is: it changed meanwhile" in capsys.readouterr().err
    assert file.read_text() == "# somebody else was here\n"


def test_a_full_disk_loses_nothing(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert main(["check", "--fix", "--unsafe-fixes"]) == 1
    assert "train.py is left as it is: No space left on device" in capsys.readouterr().err
    assert file.read_text() == READ
    assert [path.name for path in file.parent.iterdir()] == ["train.py"]


def test_a_kill_leaves_each_file_old_or_new(tmp_path: Path) -> None:
    files = [tmp_path / f"a{number:03}.py" for number in range(200)]
    for reached in (0, 30, 60, 90):
        for path in files:
            path.write_text(READ)
        command = [sys.executable, "-m", "torchdevlint", "check", "--fix-only", "--unsafe-fixes", "-j", "1", "."]
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
        while files[reached].read_text() != KEPT and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert files[reached].read_text() == KEPT
        assert {path.read_text() for path in files} <= {READ, KEPT}
