"""What is unchanged is not analysed again, what changed is; a cache that is damaged or cannot be written is none."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from torchdevlint.checking import cache, outcomes
from torchdevlint.checking.outcomes import Outcome, Task
from torchdevlint.cli.main import main
from torchdevlint.selection import Selection

FOUND = "import torch\n\nx = torch.ones(3)\nx.to('cpu')\n"
CLEAN = "import torch\n\nx = torch.ones(3)\nx = x.to('cpu')\n"
ALL = Selection(("TDL",), (), ()).wants


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORCHDEVLINT_CACHE_DIR")
    (tmp_path / "train.py").write_text(FOUND)
    return tmp_path


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths of the files that are analysed, as they come."""
    paths: list[str] = []
    real = outcomes.check

    def noting(task: Task) -> Outcome:
        paths.append(task.path)
        return real(task)

    monkeypatch.setattr(outcomes, "check", noting)
    return paths


def entries(folder: Path) -> list[Path]:
    return [path for path in folder.glob("??/*") if path.is_file()]


def test_what_is_unchanged_is_not_analysed_again(
    project: Path, analysed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    reports = []
    for _ in range(2):
        assert main(["check", "--output-format", "json"]) == 1
        reports.append(capsys.readouterr().out)
    assert analysed == ["train.py"]
    assert reports[0] == reports[1]
    assert '"trace"' in reports[0]


def test_another_text_is_analysed_even_if_its_time_is_older(project: Path, analysed: list[str]) -> None:
    assert main(["check"]) == 1
    (project / "train.py").write_text(CLEAN)
    os.utime(project / "train.py", (1, 1))
    assert main(["check"]) == 0
    (project / "train.py").write_text(FOUND)
    assert main(["check"]) == 1
    assert len(analysed) == 3
    assert len(entries(project / cache.FOLDER)) == 1


@pytest.mark.parametrize("options", [["--select", "TDL3"], ["--disable-noqa"], ["--report-unused-noqa"]])
def test_other_options_are_another_outcome(project: Path, analysed: list[str], options: list[str]) -> None:
    main(["check"])
    main(["check", *options])
    assert len(analysed) == 2


def test_another_version_is_another_outcome(
    project: Path, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["check"])
    monkeypatch.setattr(cache, "version", lambda name: f"another {name}")
    main(["check"])
    assert len(analysed) == 2


@pytest.mark.parametrize("damage", [b"", b"\x00" * 40, b"\x82\xa6digest\xa1x\xa7outcome\x01"])
def test_a_damaged_entry_is_none(project: Path, analysed: list[str], damage: bytes) -> None:
    main(["check"])
    [entry] = entries(project / cache.FOLDER)
    whole = entry.read_bytes()
    entry.write_bytes(damage)
    assert main(["check"]) == 1
    assert len(analysed) == 2
    assert entry.read_bytes() == whole


def test_no_cache_is_none(project: Path, analysed: list[str]) -> None:
    for _ in range(2):
        assert main(["check", "--no-cache"]) == 1
    assert len(analysed) == 2
    assert not (project / cache.FOLDER).exists()


def test_it_stands_where_it_is_said_to(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main(["check"])
    assert (project / cache.FOLDER / ".gitignore").read_text() == "*\n"
    monkeypatch.setenv("TORCHDEVLINT_CACHE_DIR", str(project / "here"))
    main(["check"])
    main(["check", "--cache-dir", "there"])
    assert all(entries(project / name) for name in (cache.FOLDER, "here", "there"))


def test_a_cache_that_cannot_be_written_changes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "taken").write_text("a file")
    assert main(["check", "--cache-dir", "taken"]) == 1
    assert main(["check", "--cache-dir", "taken/deeper"]) == 1
    assert capsys.readouterr().err == ""
    assert (project / "taken").read_text() == "a file"


def test_a_full_disk_leaves_no_half_entry(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert main(["check"]) == 1
    assert list((project / cache.FOLDER).glob("??/*")) == []


def test_a_file_that_goes_away_meanwhile_leaves_no_half_entry(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(self: Path, missing_ok: bool = False) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    monkeypatch.setattr(Path, "unlink", gone)
    assert main(["check"]) == 1


def test_what_could_not_be_analysed_or_read_is_not_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text("import torch\nx = (\n")
    assert main(["check"]) == 1
    assert entries(project / cache.FOLDER) == []
    outcome = cache.opened(project / cache.FOLDER)(Task("missing.py", ALL))
    assert [found.code for found in outcome.findings] == ["TDL000"]


def test_a_text_that_was_given_is_not_kept(project: Path) -> None:
    checks = cache.opened(project / cache.FOLDER)
    assert checks(Task("stdin", ALL, FOUND)) == outcomes.check(Task("stdin", ALL, FOUND))
    assert entries(project / cache.FOLDER) == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_processes_share_it(project: Path, jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    for i in range(20):
        (project / f"train{i}.py").write_text(FOUND)
    reports = []
    for _ in range(2):
        assert main(["check", "-j", jobs]) == 1
        reports.append(capsys.readouterr().out)
    assert reports[0] == reports[1]
    assert len(entries(project / cache.FOLDER)) == 21


def test_an_outcome_comes_back_as_it_was(project: Path) -> None:
    for path in sorted((Path(__file__).parents[2] / "fixtures").glob("tdl1*/bad*.py"))[:20]:
        checks = cache.opened(project / cache.FOLDER)
        task = Task(str(path), ALL)
        assert checks(task) == checks(task) == outcomes.check(replace(task, text=path.read_text("utf-8")))


def test_clean_removes_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check"])
    assert main(["clean"]) == 0
    assert not (project / cache.FOLDER).exists()
    assert main(["clean"]) == 0
    assert capsys.readouterr().err == f"{project / cache.FOLDER} is removed\n"


def test_it_stands_beside_the_configuration(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.torchdevlint]\n")
    (project / "below").mkdir()
    os.chdir(project / "below")
    main(["check", ".."])
    assert entries(project / cache.FOLDER)
    assert main(["clean"]) == 0
    assert not (project / cache.FOLDER).exists()


def test_clean_takes_the_configuration_that_check_took(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "other").mkdir()
    (project / "other" / "own.toml").write_text("[tool.torchdevlint]\n")
    main(["check", "--config", "other/own.toml"])
    main(["check", "--isolated"])
    assert main(["clean", "--isolated"]) == 0
    assert [path.exists() for path in (project / cache.FOLDER, project / "other" / cache.FOLDER)] == [False, True]
    assert main(["clean", "--config", "other/own.toml"]) == 0
    assert not (project / "other" / cache.FOLDER).exists()
    assert main(["clean", "--config", "nowhere.toml"]) == 2
    assert capsys.readouterr().err.endswith("torchdevlint: nowhere.toml: No such file or directory\n")


def test_clean_removes_nothing_else(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["clean", "--cache-dir", "."]) == 2
    assert capsys.readouterr().err == "torchdevlint: . is no cache of torchdevlint, and stays\n"
    assert (project / "train.py").exists()
    main(["check"])
    monkeypatch.setattr("shutil.rmtree", lambda _: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    assert main(["clean"]) == 2
    assert capsys.readouterr().err == "torchdevlint: the cache is not removed: Permission denied\n"
    (project / "pyproject.toml").write_text("[tool")
    assert main(["clean"]) == 2
    assert "this is not TOML" in capsys.readouterr().err


def test_an_entry_is_no_program(project: Path) -> None:
    main(["check"])
    [entry] = entries(project / cache.FOLDER)
    entry.write_bytes(b"cos\nsystem\n(S'touch betrayed'\ntR.")
    done = subprocess.run([sys.executable, "-m", "torchdevlint", "check"], check=False, capture_output=True)
    assert done.returncode == 1
    assert not (project / "betrayed").exists()
