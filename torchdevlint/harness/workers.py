"""Starts the processes that run jobs, and collects their outcomes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from torchdevlint.harness.jobs import Job, Outcome, load_outcome

_MODULE = "torchdevlint.harness.warm"
# what importing torch may take, on a slow disk, before the first job begins
_START = 120.0


class HarnessError(Exception):
    """No script can be run, for a reason that one sentence tells."""


def run_jobs(jobs: Sequence[Job], workers: int = 2, *, fork: bool = hasattr(os, "fork")) -> list[Outcome]:
    """Run jobs, ``workers`` at a time, and return their outcomes in the same order.

    With ``fork``, all are forked from one process that has imported torch; else each is a new process. Raises
    `HarnessError` where torch is missing, a job cannot be run at all, or the process that runs the jobs breaks.
    """
    outcomes = _outcomes(jobs, workers, fork) if jobs else []
    for job, outcome in zip(jobs, outcomes, strict=True):
        if outcome.ending == "broken":
            raise HarnessError(f"{job.script} cannot be run on {job.backend}: {outcome.note}")
    return outcomes


def _outcomes(jobs: Sequence[Job], workers: int, fork: bool) -> list[Outcome]:
    with tempfile.TemporaryDirectory(prefix="torchdevlint-") as folder:
        if fork:
            said = _talk(folder, workers, jobs)
            found = dict(map(_read, said.splitlines()))
            if len(found) != len(jobs):
                raise HarnessError("the process that runs the scripts ended before it had run them all")
            return [found[number] for number in range(len(jobs))]
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda job: _run_alone(folder, job), jobs))


def _run_alone(folder: str, job: Job) -> Outcome:
    try:
        said = _talk(folder, 0, [job], timeout=_START + job.seconds)
    except subprocess.TimeoutExpired:
        return Outcome("too long", note=f"still running after {_START + job.seconds:g} s")
    return _read(said)[1] if said else Outcome("died", note="the process ended and told nothing")


def _talk(folder: str, workers: int, jobs: Sequence[Job], timeout: float | None = None) -> str:
    """Start the process, give it the jobs, and return what it says."""
    done = subprocess.run(  # noqa: S603 (this Python and this package)
        [sys.executable, "-m", _MODULE, str(workers)],
        input="".join(job.dump() + "\n" for job in jobs),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(search_path())},
        timeout=timeout,
        check=False,
    )
    if done.stdout.startswith("{"):
        raise HarnessError(f"PyTorch cannot be imported: {json.loads(done.stdout)['missing']}")
    return done.stdout


def search_path() -> list[str]:
    """Return what `PYTHONPATH` says, without what depends on the working directory, and this package's parent."""
    given = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return [*(str(Path(entry).absolute()) for entry in given), str(Path(__file__).parents[2])]


def _read(line: str) -> tuple[int, Outcome]:
    number, fields = json.loads(line)
    return number, load_outcome(json.dumps(fields))
