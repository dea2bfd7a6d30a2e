"""Autocast: for which type of device a block casts, and which modules are called in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.incidents import CastElsewhere, DeviceObjectGiven
from torchdevlint.knowledge.rows import Autocast
from torchdevlint.lattice import ANY, Concrete, Placement
from torchdevlint.names import text_of
from torchdevlint.transfers import precision
from torchdevlint.transfers.devices import parse
from torchdevlint.transfers.operands import function_text
from torchdevlint.values import Const, Device, Form, Opaque, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def autocast(run: Run, row: Autocast, call: Call, receiver: Argument | None) -> Value:
    """Return a context in which operations are cast on one type of device, if it is surely enabled."""
    precision.note(run, row.precision, call)
    given = None if row.type else call.get(0, "device_type")
    made = run.opaque("context")
    place = lattice.on(Concrete(row.type)) if row.type else _place(run, call, given)
    enabled = call.get(row.enabled, "enabled")
    if place != ANY and not call.open and (enabled is None or enabled.value == Const(True)):
        run.casts[made.key] = (call.node, place)
    return made


def _place(run: Run, call: Call, given: Argument | None) -> Placement:
    """Return the devices whose operations are cast; an object that stands for a device is refused."""
    match given.value if given is not None else None:
        case Const(value=str(text)) if (device := parse(text)) is not None:
            return lattice.on(Concrete(device.type))
        case Device(form=Form.OBJECT | Form.ASKED) as value:
            assert given is not None
            text = text_of(given.node)
            run.emit(DeviceObjectGiven(call.node, run.world, function_text(call), text, value.proof, given.node))
            return ANY
        case Device() as value:
            return lattice.without_index(value.placement)
        case _:
            return ANY


def entered(run: Run, value: Value) -> None:
    """Enter a context, which may be one that casts."""
    if isinstance(value, Opaque) and value.key in run.casts:
        run.casting = run.casts[value.key]


def met(run: Run, state: Placement, text: str) -> None:
    """Record where a module is that is called in a block that casts."""
    if run.casting is not None:
        node, place = run.casting
        run.facts.cast_states.setdefault(node, []).append((state, run.world))
        run.emit(CastElsewhere(node, run.world, text, state, place))
