"""The process that has imported torch: it reads jobs from standard input and forks for each, a few at a time.

Where there is no fork, it is started for each job and runs that job itself.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import selectors
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TextIO

from torchdevlint.harness.execution import execute
from torchdevlint.harness.jobs import Job, Outcome, load_job, load_outcome

# what nearly every script needs; the first optimizer imports dynamo, which takes longer than most scripts
_WARM = ("torch", "numpy", "torch.utils.data", "torch._dynamo", "torchdevlint.harness.simulator")


@dataclass(slots=True)
class _Child:
    """A forked process: its job's number, the end of a pipe that tells its outcome, and when it has to be done."""

    number: int
    process: int
    pipe: int
    deadline: float
    seconds: float
    said: bytearray = field(default_factory=bytearray)


def warm_up() -> str | None:
    """Import what scripts need, and return why torch cannot be imported, if it cannot."""
    for name in _WARM:
        try:
            importlib.import_module(name)
        except ImportError as error:
            if name == _WARM[0]:
                return str(error)
    return None


def serve(jobs: Sequence[Job], workers: int, emit: Callable[[int, Outcome], None]) -> None:
    """Run jobs in forked processes, at most ``workers`` at a time, and emit each outcome with the job's number.

    No process is left when this ends, whatever ends it.
    """
    running: dict[int, _Child] = {}
    try:
        _serve(deque(enumerate(jobs)), workers, running, emit)
    finally:
        for child in running.values():
            _kill(child)


def _serve(
    waiting: deque[tuple[int, Job]], workers: int, running: dict[int, _Child], emit: Callable[[int, Outcome], None]
) -> None:
    with selectors.DefaultSelector() as selector:
        while waiting or running:
            while waiting and len(running) < workers:
                child = _start(*waiting.popleft())
                running[child.pipe] = child
                selector.register(child.pipe, selectors.EVENT_READ)
            nearest = min(child.deadline for child in running.values())
            ready = [key.fd for key, _ in selector.select(max(0.0, nearest - time.monotonic()))]
            for child in list(running.values()):
                outcome = _ended(child, child.pipe in ready)
                if outcome is not None:
                    selector.unregister(child.pipe)
                    del running[child.pipe]
                    os.close(child.pipe)
                    emit(child.number, outcome)


def attempt(job: Job) -> Outcome:
    """Return the outcome of a job; that of one which the harness cannot run at all is "broken"."""
    try:
        return execute(job)
    except Exception as error:  # noqa: BLE001 (told to the user in one sentence, by the process that can)
        return Outcome("broken", note=f"{type(error).__name__}: {error}")


def _start(number: int, job: Job) -> _Child:
    reading, writing = os.pipe()
    sys.stdout.flush()
    # the child never gets further than this line
    process = os.fork() or _work(reading, writing, job)
    os.close(writing)
    return _Child(number, process, reading, time.monotonic() + job.seconds, job.seconds)


def _work(reading: int, writing: int, job: Job) -> NoReturn:
    """Run a job in a child, write its outcome on a line, and end: nothing of the parent's may run a second time."""
    try:
        os.close(reading)
        os.setsid()
        with os.fdopen(writing, "w", encoding="utf-8") as stream:
            stream.write(attempt(job).dump() + "\n")
    finally:
        os._exit(0)


def _ended(child: _Child, ready: bool) -> Outcome | None:
    """Return a child's outcome if it has one by now; it and whatever it started are gone then."""
    if ready:
        part = os.read(child.pipe, 2**20)
        child.said += part
        # a grandchild may hold the pipe open: the end of the line is the end
        if part and not part.endswith(b"\n"):
            return None
        if part:
            # it ends by itself now; what it started may not
            os.waitpid(child.process, 0)
            _kill(child)
            return load_outcome(child.said.decode())
        _kill(child)
        status = os.waitstatus_to_exitcode(os.waitpid(child.process, 0)[1])
        return Outcome("died", note=f"the process ended with status {status}")
    if time.monotonic() < child.deadline:
        return None
    _kill(child)
    os.waitpid(child.process, 0)
    return Outcome("too long", note=f"still running after {child.seconds:g} s")


def _kill(child: _Child) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.process, signal.SIGKILL)


def own_output() -> TextIO:
    """Return a stream to standard output, where nothing else writes from now on: it goes to standard error."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return stream


def main(arguments: Sequence[str], lines: Iterator[str]) -> int:
    """Run the jobs that stand on the lines, and write `[number, outcome]` for each; return the exit status.

    ``arguments`` is the number of workers; 0 stands for a run without fork, of the first job only.
    """
    (workers,) = map(int, arguments)
    stream = own_output()
    missing = warm_up()
    if missing is not None:
        stream.write(json.dumps({"missing": missing}) + "\n")
        stream.close()
        return 2
    jobs = [load_job(line) for line in lines]

    def emit(number: int, outcome: Outcome) -> None:
        stream.write(f"[{number}, {outcome.dump()}]\n")
        stream.flush()

    if workers:
        serve(jobs, workers, emit)
    else:
        emit(0, attempt(jobs[0]))
    stream.close()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], iter(sys.stdin)))
    except KeyboardInterrupt:
        # whoever started this process is interrupted too, and says so
        sys.exit(130)
