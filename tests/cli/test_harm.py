"""Whatever happens, a run ends with a sentence and a status; it never runs what it reads, and writes nowhere else."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from torchdevlint.checking import cache, discovery, outcomes
from torchdevlint.checking.outcomes import Outcome, Task
from torchdevlint.cli.main import main
from torchdevlint.reports import FORMATS

COMMAND = Path(sys.executable).with_name("torchdevlint")
FOUND = "import torch\n\nx = torch.ones(3)\nx.to('cpu')\n"
BETRAYAL = "open('betrayed', 'w').write('this was run')\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(FOUND)
    return tmp_path


def run(*command: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, check=False, capture_output=True, text=True, **options
    )
    assert "Traceback" not in done.stderr
    return done


FLAKE8 = [sys.executable, "-m", "flake8", "--select", "TDL", "."]


@pytest.mark.parametrize(
    "command",
    [[COMMAND, "check", "."], [COMMAND, "check", "--unsafe-fixes", "--diff", "."], FLAKE8],
    ids=["check", "diff", "flake8"],
)
def test_the_code_that_is_read_is_not_run(project: Path, command: list[str | Path]) -> None:
    for name in ("train.py", "__init__.py", "conftest.py", "setup.py", "sitecustomize.py"):
        (project / name).write_text(BETRAYAL + FOUND + "print(x)\n")
    assert "train.py" in run(*command).stdout
    assert not (project / "betrayed").exists()


def test_modules_of_the_project_are_not_taken_for_ours(project: Path) -> None:
    for name in ("torch", "libcst", "flake8", "rich", "pathspec", "torchdevlint", "types", "ast"):
        (project / f"{name}.py").write_text(BETRAYAL)
    assert "train.py:4:1: TDL201" in run(COMMAND, "check", ".").stdout
    assert not (project / "betrayed").exists()


def test_nothing_is_asked_of_the_network(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(*arguments: object, **keywords: object) -> socket.socket:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", offline)
    monkeypatch.setattr(socket, "getaddrinfo", offline)
    for form in FORMATS:
        assert main(["check", "--output-format", form]) == 1
    assert main(["check", "--unsafe-fixes", "--fix-only"]) == 0


def test_nothing_is_written_but_the_cache_and_what_is_asked_for(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHDEVLINT_CACHE_DIR", str(project / "kept"))

    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in project.rglob("*") if path.is_file()}

    before = files()
    for form in FORMATS:
        main(["check", "--output-format", form])
    main(["check", "--unsafe-fixes", "--diff"])
    main(["check", "--no-cache", "-o", "report.txt"])
    after = files()
    written = {name for name in after if after[name] != before.get(name)}
    assert {name for name in written if not name.startswith(str(project / "kept"))} == {str(project / "report.txt")}


def test_a_file_that_goes_away_meanwhile_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = discovery.find

    def find(*arguments: object) -> Iterator[str]:
        found = list(real(*arguments))  # type: ignore[arg-type]
        (project / "train.py").unlink()
        return iter(found)

    monkeypatch.setattr(discovery, "find", find)
    assert main(["check"]) == 1
    assert capsys.readouterr().out == "train.py:1:1: TDL000 not read: No such file or directory\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").chmod(0)
    assert main(["check"]) == 1
    assert capsys.readouterr().out == "train.py:1:1: TDL000 not read: Permission denied\n"


def test_a_folder_in_place_of_a_file_is_told(project: Path) -> None:
    (project / "train.py").unlink()
    (project / "train.py").mkdir()
    assert run(COMMAND, "check", ".").returncode == 0
    assert run(COMMAND, "check", "train.py").returncode == 0


def test_a_reader_that_stops_reading_is_no_trouble(project: Path) -> None:
    (project / "train.py").write_text(FOUND * 300)
    with subprocess.Popen([COMMAND, "check", "--output-format", "jsonl"], stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        process.wait()
    assert process.returncode in (0, 1, 2, 141)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """What runs in the background of a shell ignores interrupts, and so does all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="an interrupt is another thing there")
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_the_run_and_leaves_no_process(project: Path, jobs: str) -> None:
    for i in range(40):
        (project / f"train{i}.py").write_text(FOUND * 40)
    command = [COMMAND, "check", "--cache-dir", "kept", "-j", jobs]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True, start_new_session=True) as process:
        until = time.monotonic() + 60
        while not (project / "kept" / cache.TAG).exists():  # the files are being checked
            assert time.monotonic() < until
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_a_process_that_dies_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in range(40):
        (project / f"train{i}.py").write_text(FOUND)
    monkeypatch.setattr(outcomes, "check", killed)
    assert main(["check", "--no-cache", "-j", "2"]) == 2
    assert capsys.readouterr().err == (
        "torchdevlint: a process ended before its files were checked, as where memory runs out; try fewer (-j)\n"
    )


def killed(task: Task) -> Outcome:
    """End the process, as a system does that has no memory left."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError
