"""The environment of the process: what reads it once, and variables that are set after that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import DebuggingLeftOn, SetTooLate
from torchdevlint.interpreter import clocks
from torchdevlint.knowledge.rows import Begin, Clock, Debugging, Environment, Leave, ObjectType, SetVariables
from torchdevlint.lattice import Concrete, Placement
from torchdevlint.state import BEGUN
from torchdevlint.values import NONE, UNKNOWN, Const, Container, Imported, Object, Value

_OFF = ("0", "")
"""Values of a variable that turn its switch off."""
_NO_DEVICE = ("", "-1")
"""Values of the variable that lists the devices, with which none is visible.

https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html
"""

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


def native(run: Run) -> None:
    """Note that the code uses what exists with an accelerator only."""
    run.facts.native |= not run.is_guarded


def halved(run: Run, call: Call) -> None:
    """Note that something is made in half precision (`from_pretrained(…, torch_dtype=torch.float16)`)."""
    values = (argument.value for argument in call.keywords.values())
    if any(isinstance(value, Imported) and value.name in run.knowledge.half for value in values):
        native(run)


def begin(run: Run, row: Begin, call: Call, receiver: Argument | None) -> Value:
    """Ask for what only an initialised runtime knows."""
    begun(run, call.node, call.text)
    native(run)
    run.waits += 1  # `synchronize` does, and what the others do is not told apart
    return UNKNOWN


def leave(run: Run, row: Leave, call: Call, receiver: Argument | None) -> Value:
    """End the program."""
    run.left = True
    return UNKNOWN


def clock(run: Run, row: Clock, call: Call, receiver: Argument | None) -> Object:
    """Read a clock: only the difference to another reading of it says anything."""
    reading = Object(run.new_key(), _READING)
    clocks.read(run, call.node, reading.key)
    return reading


def set_variables(run: Run, row: SetVariables, call: Call, receiver: Argument | None) -> Value:
    """Set variables of the process by a call."""
    given = [argument.value for argument in call.arguments]
    values: list[tuple[object, Value]] = [(name, a.value) for name, a in call.keywords.items()] if row.mapping else []
    if given and isinstance(given[0], Container):
        values.extend(run.items(given[0]).exact)
    elif len(given) == 2 and isinstance(given[0], Const) and not row.mapping:
        values.append((given[0].value, given[1]))
    for name, value in values:
        set_variable(run, row, Const(name), value, call.node)
    return NONE


def set_variable(run: Run, row: Environment | SetVariables, name: Value, value: Value, node: cst.CSTNode) -> None:
    """Record that a variable was set after it was read for the only time, or that it is a switch for debugging."""
    run.facts.chosen |= not isinstance(name, Const) or name.value in row.once
    if not isinstance(name, Const):
        return
    earlier = run.store.get(0, BEGUN)
    if name.value in row.once and earlier is None and isinstance(value, Const) and value.value in _NO_DEVICE:
        run.world |= lattice.HOST_ONLY
    if isinstance(earlier, tuple) and name.value in row.once:
        run.emit(SetTooLate(node, run.world, str(name.value), earlier[1], earlier[0]))
    effect = dict(row.debugging).get(str(name.value))
    if effect is not None and isinstance(value, Const) and value.value not in _OFF:
        _left_on(run, node, f"{name.value}={value.value}", effect, name.value in row.repeats)


def debugging(run: Run, row: Debugging, call: Call, receiver: Argument | None) -> Value:
    """Turn a switch for debugging on or off."""
    mode = call.get(0, row.mode) if row.mode else None
    if mode is None or mode.value == Const(True):
        _left_on(run, call.node, call.text, row.effect)
    else:
        run.facts.debugging_ends = True
    return UNKNOWN


def _left_on(run: Run, node: cst.CSTNode, text: str, effect: str, repeats: bool = False) -> None:
    """Record a switch that the program turns on in every run, by itself."""
    if run.activation == 0 and all(guard in lattice.ACCELERATORS for guard, _ in run.world):
        run.emit(DebuggingLeftOn(node, run.world, text, effect, repeats))
