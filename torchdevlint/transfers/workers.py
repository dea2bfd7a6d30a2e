"""Workers of a loader: the processes in which its items are made, and what is placed on a device there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.events import PlacedInWorker
from torchdevlint.knowledge.rows import LoaderType, ObjectType, StartMethod, WorkerInfo
from torchdevlint.lattice import Placement
from torchdevlint.values import NONE, UNKNOWN, Const, Object, Value, options

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


FORK = Const("fork")

STARTED = "<started>"
"""The slot that tells that processes are not started as they are by default."""

_INFO = ObjectType("WorkerInfo")


@contextmanager
def of(run: Run, row: LoaderType, call: Call) -> Iterator[None]:
    """Run what a loader does for an item where it is done: in a forked process, if it surely has workers."""
    outer = run.worker
    run.worker = call.node if _forks(run, row, call) else None
    yield
    run.worker = outer


def _forks(run: Run, row: LoaderType, call: Call) -> bool:
    """Tell whether a loader surely has workers that are forked: a spawned one has a CUDA of its own."""
    number, context = call.keywords.get(row.workers), call.keywords.get(row.context)
    if number is None or call.open:
        return False
    if context is not None and context.value != NONE:
        return context.value == FORK and _positive(number.value)
    return run.store.get(0, STARTED) is None and _positive(number.value)


def _positive(number: Value) -> bool:
    return all(isinstance(n, Const) and isinstance(n.value, int) and n.value > 0 for n, _ in options(number))


def placed(run: Run, node: cst.CSTNode, text: str, after: Placement) -> None:
    """Record that something was placed by the code of a worker."""
    if run.worker is not None:
        run.emit(PlacedInWorker(node, run.world, text, after, run.worker))


def info(run: Run, row: WorkerInfo, call: Call, receiver: Argument | None) -> Value:
    """Tell the code of a worker that it runs in one."""
    return Object(run.new_key(), _INFO) if run.worker is not None else UNKNOWN


def start_method(run: Run, row: StartMethod, call: Call, receiver: Argument | None) -> Value:
    """Note that processes are started in another way than by a fork."""
    first = call.get(0, "method")
    if first is None or first.value != FORK:
        run.store.set(0, STARTED, True)
    return NONE
