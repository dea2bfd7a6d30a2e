"""Devices as the runtime sets and names them: `torch.device(…)`, the current device, the default device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.events import CudaCalled
from torchdevlint.facts import PROVEN
from torchdevlint.interpreter.run import DISTRIBUTED
from torchdevlint.knowledge.rows import (
    Arguments,
    Count,
    CurrentDevice,
    DefaultDevice,
    DeviceContext,
    DeviceNumber,
    DeviceType,
    EnvironmentRow,
    Option,
    Query,
    SetDevice,
)
from torchdevlint.lattice import ANY, Concrete, Symbol, SymbolKind
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import DEFAULT_DEVICE
from torchdevlint.transfers import groups
from torchdevlint.transfers.collectives import group_made
from torchdevlint.transfers.devices import choose_device, named, parse, place_of, reliance, sent_by_type
from torchdevlint.transfers.environment import begun
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Const,
    Device,
    Flag,
    Form,
    Object,
    Opaque,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def _as_place(value: Device) -> Device:
    """Return a device that `torch.device` was asked for: nobody does so with the device of a tensor."""
    placement = frozenset(
        replace(p, device=replace(p.device, kind=SymbolKind.PLACE))
        if isinstance(p.device, Symbol) and p.device.kind is SymbolKind.DEVICE_OF
        else p
        for p in value.placement
    )
    return replace(value, placement=placement, form=value.form if value.form is Form.ASKED else Form.OBJECT)


def device(run: Run, row: DeviceType, call: Call, receiver: Argument | None) -> Value:
    """`torch.device(…)`: a literal keeps its node until it decides where something lives."""
    first = call.get(0, "device") or call.get(0, "type")
    index = call.get(1, "index")
    if first is None:
        return UNKNOWN
    value = first.value
    if isinstance(value, Const):
        found = parse(value.value)
        if found is None:
            return UNKNOWN
        if index is not None:
            if not isinstance(index.value, Const) or not isinstance(index.value.value, int):
                run.facts.chosen = True
                key = index.value.key if isinstance(index.value, Opaque) else run.new_key()
                symbol = Symbol(key, SymbolKind.PLACE, text_of(index.node), lattice.on(found))
                return Device(lattice.on(symbol), form=Form.OBJECT)
            found = Concrete(found.type, index.value.value)
        return Device(lattice.on(found), value.node if lattice.is_accelerator(found) else None, form=Form.OBJECT)
    if isinstance(value, Device):
        return _as_place(value)
    placement = place_of(run, first)
    return Device(placement, form=Form.OBJECT) if placement is not None else UNKNOWN


def set_device(run: Run, row: SetDevice, call: Call, receiver: Argument | None) -> Value:
    """Make a device the current one: from here on the accelerator is there."""
    first = call.arguments[0] if call.arguments else None
    if row.begins:
        begun(run, call.node, call.text)
    if first is not None and isinstance(first.value, Const):
        run.emit(CudaCalled(call.node, run.world, call.text, reliance(run)))
    else:
        run.world |= {(row.type, True), (DISTRIBUTED, True)}
    run.facts.accelerated = run.facts.chosen = True
    return NONE


def current(run: Run, row: DeviceContext, call: Call, receiver: Argument | None) -> Value:
    """Choose the current device for a block."""
    run.facts.chosen = True
    return run.opaque(f"{call.text}(…)")


def default_device(run: Run, row: DefaultDevice, call: Call, receiver: Argument | None) -> Value:
    """Set where factories make tensors that are given no device."""
    first = call.arguments[0] if call.arguments else None
    if first is None:
        return NONE
    placement = sent_by_type(run, first) if row.legacy else place_of(run, first)
    run.store.set(0, DEFAULT_DEVICE, placement if placement is not None else ANY)
    return NONE


def environment(run: Run, row: EnvironmentRow, call: Call, receiver: Argument | None) -> Value:
    """Note that an accelerator is there, by a call that needs one."""
    first = call.arguments[0].value if call.arguments else None
    backend = call.keywords.get("backend")
    given = backend.value if backend is not None else first
    group_made(run, row, given)
    named = row.argument != "" and isinstance(given, Const) and given.value == row.argument
    if not row.argument or given is None or named:
        run.world |= {(row.type, True)}
        run.facts.guards = True
    if named:
        run.world |= {(DISTRIBUTED, True)}  # each of the processes has an accelerator of its own
    if row.processes:
        groups.join(run, row, call)
    return NONE


def query(run: Run, row: Query | Count, call: Call, receiver: Argument | None) -> Value:
    """Ask whether an accelerator is there: a guard."""
    if isinstance(row, Query) and row.begins:
        begun(run, call.node, call.text)
    run.facts.guards = True
    if isinstance(row, Query):
        run.facts.portable.add(run.frame.scope)
    return Flag(frozenset({(row.type, True)}), frozenset({(row.type, False)}))


def current_device(run: Run, row: CurrentDevice, call: Call, receiver: Argument | None) -> Value:
    """Return the device that the runtime names: of one type, or whatever there is."""
    if row.begins:
        begun(run, call.node, call.text)
    if row.type:
        return Device(lattice.on(Concrete(row.type)), call=call.node)
    return Device(lattice.on(Symbol(run.new_key(), SymbolKind.PLACE, f"`{call.text}()`")))


def option(run: Run, row: Option, call: Call, receiver: Argument | None) -> Value:
    """Declare an argument of the command line; one that is an accelerator where nobody gives it is noted."""
    assert receiver is not None
    assert isinstance(receiver.value, Object)
    default = call.keywords.get("default")
    if default is not None and _may_be_accelerator(run, default.value):
        texts = [a.value.value for a in call.arguments if isinstance(a.value, Const)]
        words = [text for text in texts if isinstance(text, str)]
        long = [word for word in words if word.startswith("--")]
        for word in (*long, *words)[:1]:
            run.options.setdefault(receiver.value.key, {})[word] = None
    return UNKNOWN


def _may_be_accelerator(run: Run, value: Value) -> bool:
    """Tell whether a value is a device that is, or may be, an accelerator."""
    chosen = choose_device(run, value)
    if isinstance(chosen, Device):
        return any(lattice.is_accelerator(p.device) for p in chosen.placement)
    device = parse(chosen.value) if isinstance(chosen, Const) and isinstance(chosen.value, str) else None
    return device is not None and lattice.is_accelerator(device)


def arguments(run: Run, row: Arguments, call: Call, receiver: Argument | None) -> Value:
    """Return a namespace of command-line arguments."""
    keeps_to_host(run, row.unplaced, call)
    run.facts.works |= run.activation == 0
    made = run.opaque(f"{call.text}(…)")
    run.arguments.add(made.key)
    for name, argument in call.keywords.items() if row.holds else ():
        run.set_attribute(made.key, name, named(run, argument.value, name))
    parser = receiver.value if receiver is not None else None
    for name in run.options.get(parser.key, ()) if isinstance(parser, Object) else ():
        place = run.derive(made, name)
        run.store.remember(made.key, name.lstrip("-").replace("-", "_"), place)
        run.facts.carriers.setdefault(place.key, set()).add(PROVEN)  # as good as a module that is moved there
    return made


def keeps_to_host(run: Run, unplaced: tuple[tuple[str, object], ...] | None, call: Call) -> bool:
    """Tell whether one of these arguments keeps to the host what else leaves it; None is of what does not."""
    if unplaced is None:
        return False
    if any(call.keywords[name].value == Const(kept) for name, kept in unplaced if name in call.keywords):
        return True
    run.facts.accelerated = True
    return False


def number(run: Run, row: DeviceNumber, call: Call, receiver: Argument | None) -> Value:
    """Return the number of the device of a tensor: where it is, and -1 on the host."""
    assert receiver is not None
    if isinstance(receiver.value, Opaque):
        run.facts.tensors.add(receiver.value.key)
    return Device(run.placement_of(receiver.value), number=call.node)
