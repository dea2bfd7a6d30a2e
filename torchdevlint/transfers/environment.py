"""The environment of the process: what reads it once, and variables that are set after that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import SetTooLate
from torchdevlint.interpreter import clocks
from torchdevlint.knowledge.rows import Begin, Clock, ObjectType, SetVariables
from torchdevlint.lattice import Concrete, Placement
from torchdevlint.state import BEGUN
from torchdevlint.values import NONE, UNKNOWN, Const, Container, Object, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

_READING = ObjectType("reading of a clock")


def begun(run: Run, node: cst.CSTNode, text: str) -> None:
    """Note that the accelerator's runtime is initialised, by what first does so."""
    if run.store.get(0, BEGUN) is None:
        run.store.set(0, BEGUN, (node, text))


def begun_at(run: Run, node: cst.CSTNode, text: str, placement: Placement) -> None:
    """Note that the runtime is initialised where something is surely placed on that accelerator."""
    if all(isinstance(p.device, Concrete) and p.device.type == lattice.ACCELERATOR for p in placement):
        begun(run, node, text)


def begin(run: Run, row: Begin, call: Call, receiver: Argument | None) -> Value:
    """Ask for what only an initialised runtime knows."""
    begun(run, call.node, call.text)
    run.waits += 1  # `synchronize` does, and what the others do is not told apart
    return UNKNOWN


def clock(run: Run, row: Clock, call: Call, receiver: Argument | None) -> Object:
    """Read a clock: only the difference to another reading of it says anything."""
    reading = Object(run.new_key(), _READING)
    clocks.read(run, call.node, reading.key)
    return reading


def set_variables(run: Run, row: SetVariables, call: Call, receiver: Argument | None) -> Value:
    """Set variables of the process by a call."""
    first = call.arguments[0].value if call.arguments else UNKNOWN
    names: list[object] = list(call.keywords) if row.mapping else []
    if isinstance(first, Container):
        names.extend(name for name, _ in run.items(first).exact)
    elif isinstance(first, Const) and not row.mapping:
        names.append(first.value)
    for name in names:
        set_variable(run, row.once, Const(name), call.node)
    return NONE


def set_variable(run: Run, once: tuple[str, ...], name: Value, node: cst.CSTNode) -> None:
    """Record that a variable was set after it was read for the only time."""
    earlier = run.store.get(0, BEGUN)
    if isinstance(earlier, tuple) and isinstance(name, Const) and name.value in once:
        run.emit(SetTooLate(node, run.world, str(name.value), earlier[1], earlier[0]))
