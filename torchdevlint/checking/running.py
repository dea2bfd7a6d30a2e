"""Works on many files, in one process or in several, in an order that depends on neither."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")

FEW = 12
"""Up to this many files, other processes take longer to start than to help."""
MAX_CHUNK = 16
MOST = 61
"""Windows waits for no more processes at a time."""


class Died(Exception):
    """A process of several ended before its work did; the text is a sentence."""


def jobs_by_default() -> int:
    """Return how many processes may run side by side."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # where the system cannot say
        return os.cpu_count() or 1


def run(
    work: Callable[[_Task], _Done],
    tasks: Sequence[_Task],
    jobs: int,
    advance: Callable[[int], object] = lambda _: None,
) -> list[_Done]:
    """Return what comes of the tasks, in their order. ``advance`` is told of each one that is done."""
    return list(_each(work, tasks, jobs, advance))


def _each(
    work: Callable[[_Task], _Done], tasks: Sequence[_Task], jobs: int, advance: Callable[[int], object]
) -> Iterator[_Done]:
    if jobs <= 1 or len(tasks) <= FEW:
        for task in tasks:
            yield work(task)
            advance(1)
        return
    chunk = max(1, min(MAX_CHUNK, len(tasks) // (jobs * 4)))
    pool = ProcessPoolExecutor(min(jobs, len(tasks), MOST), initializer=_end_at_an_interrupt)
    try:
        for outcome in pool.map(work, tasks, chunksize=chunk):
            yield outcome
            advance(1)
    except BrokenProcessPool:
        raise Died("a process ended before its files were checked, as where memory runs out; try fewer (-j)") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _end_at_an_interrupt() -> None:
    """Let an interrupt end this process and nothing else: what is to be said of it, the first process says."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
