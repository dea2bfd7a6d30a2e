"""Clocks: when a script reads one, and what the accelerator was given to do by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.costs import Timed
from torchdevlint.interpreter.frames import Loop
from torchdevlint.lattice import Placement
from torchdevlint.names import text_of
from torchdevlint.records import dataclass
from torchdevlint.values import Object, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.run import Run


@dataclass(frozen=True, slots=True)
class Launch:
    """What the accelerator was given to do last: where, when (``moment``), in which loop, and the waits before it."""

    node: cst.CSTNode
    place: Placement
    moment: int
    waits: int
    loop: Loop | None


@dataclass(frozen=True, slots=True)
class Instant:
    """The reading of a clock: when and in which loop, the waits before it, and what had been launched last."""

    node: cst.CSTNode
    moment: int
    waits: int
    loop: Loop | None
    launch: Launch | None


def _loop(run: Run) -> Loop | None:
    return run.frame.loops[-1] if run.frame.loops else None


def launched(run: Run, node: cst.CSTNode, place: Placement) -> None:
    """Note that the accelerator was given something to do, unless a method of a module did so: its caller does."""
    if not run.frame.in_module and not all(lattice.is_host(p.device) for p in place):
        run.pace.launch = Launch(node, place, run.new_key(), run.waits, _loop(run))


def read(run: Run, node: cst.CSTNode, key: int) -> None:
    """Note that a clock was read; the reading is the object of a key."""
    run.pace.instants[key] = Instant(node, key, run.waits, _loop(run), run.pace.launch)


def elapsed(run: Run, end: Value, start: Value) -> None:
    """Record a difference of two readings between which the accelerator was given something that nothing waited for.

    In a loop over batches that stands between them each step waits for the next batch: what is not waited for is no
    more than the last one.
    """
    if not isinstance(end, Object) or not isinstance(start, Object):
        return
    last, first = run.pace.instants.get(end.key), run.pace.instants.get(start.key)
    if last is None or first is None or last.launch is None:
        return
    launch = last.launch
    if launch.moment < first.moment or launch.waits != last.waits:
        return
    if launch.loop is not None and launch.loop.batches and launch.loop is not first.loop:
        return
    loop = first.loop.node if first.loop is not None else None
    run.emit(Timed(last.node, run.world, text_of(launch.node), launch.node, launch.place, loop))
