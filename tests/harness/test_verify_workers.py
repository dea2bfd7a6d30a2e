"""Scripts run in processes of their own, forked or not, and what breaks there is told in one sentence."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from torchdevlint.harness import execution, warm, workers
from torchdevlint.harness.jobs import Cost, Error, Job, Measures, Move, Outcome, Probe, load_job, load_outcome
from torchdevlint.harness.workers import HarnessError, run_jobs

needs_torch = pytest.mark.needs_torch


def job(folder: Path, text: str, **settings: object) -> Job:
    script = folder / "script.py"
    script.write_text(text, "utf-8")
    return Job(str(script), str(script), "cpu", str(folder), **settings)


def test_jobs_and_outcomes_survive_the_way_through_json(tmp_path: Path) -> None:
    sent = job(tmp_path, "", probes=(Probe("name", "a.py", name="x"), Probe("move", "b.py", 1, 2, 3, 4)), seconds=1.5)
    assert load_job(sent.dump()) == sent
    move = Move(("cpu", "a"), ("cpu", "b"), ("cuda:0", "c"))
    error = Error(("ValueError", "Exception"), "no\nway", "a.py", 3, "x = 1", "torch")
    cost = Cost("synchronisation", "a.py", 3, 9)
    for outcome in (
        Outcome("ended"),
        Outcome("raised", error, Measures((move,), (1, 2), (5,), 3, 4, (cost,)), "out\n", "2", "CPU"),
    ):
        assert load_outcome(outcome.dump()) == outcome


def test_no_jobs_need_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere")
    assert run_jobs([]) == []


@needs_torch
@pytest.mark.parametrize(
    "fork",
    [False, pytest.param(True, marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="forked processes are meant"))],
)
def test_a_script_runs_as_main_in_a_folder_of_its_own(tmp_path: Path, fork: bool) -> None:
    text = "import os, sys\nhere = os.path.dirname(__file__)\n"
    text += "print(__name__, sys.argv == [__file__], sys.path[0] == here, os.getcwd())\n"
    (outcome,) = run_jobs([job(tmp_path, text)], fork=fork)
    assert outcome.ending == "ended"
    assert outcome.output == f"__main__ True True {tmp_path}\n"


@needs_torch
def test_without_fork_a_script_that_ends_its_process_has_died(tmp_path: Path) -> None:
    (outcome,) = run_jobs([job(tmp_path, "import os\nos._exit(3)\n")], fork=False)
    assert outcome.ending == "died"


@needs_torch
def test_without_fork_a_script_may_take_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_START", 0.0)
    (outcome,) = run_jobs([job(tmp_path, "while True: pass\n", seconds=0.1)], fork=False)
    assert (outcome.ending, outcome.note) == ("too long", "still running after 0.1 s")


@needs_torch
def test_what_the_harness_cannot_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"script\.py cannot be run on cpu: AttributeError: .*NoSuch"):
        run_jobs([job(tmp_path, "", optimizer="NoSuch")])


def test_a_torch_that_cannot_be_imported_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocking = tmp_path / "blocking"
    blocking.mkdir()
    (blocking / "torch.py").write_text("raise ImportError('no torch here')\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(blocking), os.environ.get("PYTHONPATH", "")]))
    with pytest.raises(HarnessError, match=r"^PyTorch cannot be imported: no torch here$"):
        run_jobs([job(tmp_path, "")])


def test_a_process_that_breaks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_MODULE", "no_such_module_of_anybody")
    with pytest.raises(HarnessError, match="ended before it had run them all"):
        run_jobs([job(tmp_path, "")])


def test_memory_is_limited_where_the_system_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[tuple[int, tuple[int, int]]] = []

    class Resource:
        RLIMIT_DATA = 2

        @staticmethod
        def getrlimit(which: int) -> tuple[int, int]:
            return 5, 9

        @staticmethod
        def setrlimit(which: int, values: tuple[int, int]) -> None:
            limits.append((which, values))

    monkeypatch.setitem(sys.modules, "resource", Resource)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    execution.limit_memory(job(tmp_path, ""))
    assert limits == []
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "resource", Resource)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: Resource)
    execution.limit_memory(job(tmp_path, "", megabytes=1))
    execution.limit_memory(Job("", "", "cuda", ""))
    assert limits == [(2, (2**20, 9))]


def test_only_torch_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "_WARM", ("json", "no_such_package_of_anybody"))
    assert warm.warm_up() is None
    monkeypatch.setattr(warm, "_WARM", ("no_such_package_of_anybody",))
    assert warm.warm_up() == "No module named 'no_such_package_of_anybody'"


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Send what the warm process says to a file, and let it import nothing."""
    file = tmp_path / "said"
    monkeypatch.setattr(warm, "_WARM", ("json",))
    monkeypatch.setattr(warm, "own_output", lambda: file.open("w", encoding="utf-8"))
    return file


def test_the_warm_process_answers_on_standard_output(
    said: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def execute(one: Job) -> Outcome:
        return Outcome("ended", output=one.script)

    def serve(jobs: Sequence[Job], count: int, emit: object) -> None:
        assert callable(emit)
        assert (len(jobs), count) == (1, 2)
        emit(0, Outcome("died"))

    monkeypatch.setattr(warm, "execute", execute)
    monkeypatch.setattr(warm, "serve", serve)
    one = job(tmp_path, "")
    assert warm.main(["0"], iter(io.StringIO(one.dump() + "\n"))) == 0
    assert said.read_text("utf-8") == f"[0, {execute(one).dump()}]\n"
    assert warm.main(["2"], iter([one.dump()])) == 0
    assert said.read_text("utf-8") == f"[0, {Outcome('died').dump()}]\n"


def test_the_warm_process_says_that_torch_is_missing(said: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "_WARM", ("no_such_package_of_anybody",))
    assert warm.main(["2"], iter([])) == 2
    assert said.read_text("utf-8") == '{"missing": "No module named \'no_such_package_of_anybody\'"}\n'


@needs_torch
def test_long_output_is_cut(tmp_path: Path) -> None:
    (outcome,) = run_jobs([job(tmp_path, "print('x' * 300_000)\n")])
    assert outcome.output == "x" * 100_000


class Cuda:
    """Stands for torch and for `torch.cuda` where there is one GPU."""

    @property
    def cuda(self) -> Cuda:
        return self

    def device_count(self) -> int:
        return 1

    def get_device_name(self, index: int) -> str:
        return f"H{index}"


def test_a_real_gpu_is_told_by_its_name() -> None:
    assert execution.set_up(Cuda(), Job("", "", "cuda", "")) == ("H0", None)
    with pytest.raises(execution.NoDevice, match=r"^needs 2 CUDA devices, there are 1$"):
        execution.set_up(Cuda(), Job("", "", "cuda", "", devices=2))


def test_a_torch_that_cannot_simulate_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    from torchdevlint.harness import simulator

    def install(machine: simulator.Machine) -> None:
        raise simulator.SimulationError(f"a build for the CPU is needed for {machine.devices}")

    monkeypatch.setattr(simulator, "install", install)
    with pytest.raises(execution.NoDevice, match=r"^a build for the CPU is needed for 1$"):
        execution.set_up(Cuda(), Job("", "", "sim", ""))


@needs_torch
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forked processes are meant")
def test_an_interrupt_leaves_no_process(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    one = job(tmp_path, f"import os, time\nopen({str(marker)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "torchdevlint.harness.warm", "1"]
    path = os.pathsep.join(workers.search_path())
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        # where these tests run in the background, interrupts are ignored, and would be by the process too
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (no thread is running here)
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(one.dump().encode())
    process.stdin.close()
    while not (marker.exists() and marker.read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert process.stderr.read() == b""
    process.stderr.close()
    while is_running(int(marker.read_text())):
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # a process that has ended and that nobody waited for is one still
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
