"""Devices as values: literals, f-strings, conditionals, variables, and what an argument says about a place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import CudaCalled, DeviceNamed, LegacyTyped, NumberAsDevice
from torchdevlint.incidents import Reliance
from torchdevlint.interpreter import conditions
from torchdevlint.knowledge.rows import DeviceType, Follow, Make, Move, MoveKind, Query
from torchdevlint.lattice import Concrete, Condition, Placement, Possibility, Symbol, SymbolKind
from torchdevlint.names import row_of, text_of
from torchdevlint.records import replace
from torchdevlint.transfers import groups
from torchdevlint.values import (
    UNKNOWN,
    Choice,
    Const,
    Device,
    Form,
    Imported,
    Object,
    Opaque,
    Tensor,
    Unknown,
    Value,
    options,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument
    from torchdevlint.interpreter.run import Run

DEVICE = re.compile(r"(cpu|cuda|mps|xpu|hpu|npu|mlu|ipu|xla|meta|mtia|vulkan|musa|privateuseone)(?::(\d{1,4}))?\Z")


def parse(text: object) -> Concrete | None:
    """Return the device that a literal names (`"cuda:1"`, an index), or None."""
    if isinstance(text, str):
        match = DEVICE.match(text)
        if match:
            return Concrete(match[1], int(match[2]) if match[2] else None)
    if isinstance(text, int) and not isinstance(text, bool) and text >= 0:
        return Concrete("cuda", text)
    return None


OWN = "the device of this process"


def formatted_device(run: Run, prefix: str, inner: Value | None) -> Value:
    """Return the value of ``f"cuda:{i}"`` or ``"cuda:" + str(i)``: one of the devices of a type."""
    kind, colon, _ = prefix.partition(":")
    if not colon or parse(kind) is None:
        return UNKNOWN
    if isinstance(inner, Const) and isinstance(inner.value, int):
        return Device(lattice.on(Concrete(kind, inner.value)))
    of_type = lattice.on(Concrete(kind))
    run.facts.chosen = True  # each process may have another one
    if isinstance(inner, Opaque):
        return Device(lattice.on(Symbol(inner.key, SymbolKind.PLACE, inner.name or OWN, of_type)))
    return Device(lattice.on(Symbol(run.new_key(), SymbolKind.PLACE, OWN, of_type)))


def choose_device(run: Run, value: Value) -> Value:
    """Return a device where a conditional chooses among names of devices, else the value itself."""
    if not isinstance(value, Choice):
        return value
    joined: set[Possibility] = set()
    others = False
    for option, condition in value.options:
        match option:
            case Opaque() | Unknown() | Imported(row=None) | Const(value=None):
                others = True
            case Const() if isinstance(option.value, str) and (device := parse(option.value)) is not None:
                joined.add(Possibility(device, condition))
            case Device():
                joined.update(lattice.under(option.placement, condition))
            case _:
                return value
    if not joined:
        return value
    if others:
        # One of the ways to this device cannot be seen: a place that may be an accelerator.
        symbol = Symbol(run.new_key(), SymbolKind.PLACE, "a device")
        return Device(lattice.on(symbol))
    objects = all(isinstance(option, Device) and option.form is Form.OBJECT for option, _ in value.options)
    return Device(frozenset(joined), form=Form.OBJECT if objects else Form.UNKNOWN)


def named(run: Run, value: Value, name: str) -> Value:
    """Return a value as a variable of a name holds it: a conditional device becomes a symbol with its expansion."""
    match value:
        case Choice():
            chosen = choose_device(run, value)
            if isinstance(chosen, Device):
                return named(run, chosen, name)
            return value
        case Device() if any(isinstance(p.device, Symbol) and p.device.name == "a device" for p in value.placement):
            symbols = [p.device for p in value.placement if isinstance(p.device, Symbol)]
            return Device(lattice.on(replace(symbols[0], name=f"`{name}`")))
        case Device() if len(value.placement) > 1:
            symbol = Symbol(run.new_key(), SymbolKind.PLACE, f"`{name}`", value.placement)
            return Device(lattice.on(symbol), form=value.form, proof=value.proof)
        case Opaque() if not value.name or value.name.endswith(")"):
            return replace(value, name=name)
        case _:
            return value


def place_of(run: Run, argument: Argument | None, moving: bool = True) -> Placement | None:
    """Return the placement that an argument names, or None where it names no device (a dtype, nothing)."""
    if argument is None:
        return None
    placement = _place(run, argument.value, moving)
    if placement is not None and any(isinstance(p.device, Symbol) for p in placement):
        run.facts.places[argument.node] = placement
    groups.chosen(run, argument.value, placement)
    return placement


def _place(run: Run, value: Value, moving: bool) -> Placement | None:
    match value:
        case Device():
            if value.literal is not None:
                _literal(run, value.literal, value.placement)
            if value.call is not None:
                run.emit(CudaCalled(value.call, run.world, text_of(value.call), reliance(run)))
            if value.number is not None and not run.is_guarded:
                run.emit(NumberAsDevice(value.number, run.world, text_of(value.number), value.placement))
            _sent_to(run, value.placement, moving)
            return value.placement
        case Const(value=None) if moving:
            return lattice.ANY  # a place that is set later, by whoever uses the object
        case Const():
            device = parse(value.value)
            if device is None:
                return None
            placement = lattice.on(device)
            if value.node is not None and (moving or isinstance(value.value, str)):
                _literal(run, value.node, placement)
            _sent_to(run, placement, moving)
            return placement
        case Opaque():
            if value.output or value.source or value.placement != lattice.ANY or value.key in run.facts.tensors:
                return run.placement_of(value)
            if any(word in value.name.lower() for word in run.knowledge.no_places):
                return lattice.ANY
            placement = lattice.on(Symbol(value.key, SymbolKind.PLACE, f"`{value.name}`" if value.name else "a device"))
            _sent_to(run, placement, moving)
            return placement
        case Choice():
            chosen = choose_device(run, value)
            if isinstance(chosen, Device):
                _sent_to(run, chosen.placement, moving)
                return chosen.placement
            return lattice.ANY if any(not isinstance(v, Const) for v, _ in value.options) else None
        case Imported(row=None) if value.name not in run.knowledge.dtypes:
            key = run.imported_key(value.name)
            placement = lattice.on(Symbol(key, SymbolKind.PLACE, f"`{value.name.rpartition('.')[2]}`"))
            _sent_to(run, placement, moving)
            return placement
        case Object():
            return lattice.on(Symbol(value.key, SymbolKind.PLACE, "a device"))
        case Unknown():
            return lattice.ANY
        case _:
            return None


def reliance(run: Run, proof: int = 0) -> Reliance:
    """Return what tells whether a machine without an accelerator is meant to come here; ``proof`` as in `Reliance`."""
    frame, guarded = run.frame, run.is_guarded
    run.facts.placed = True
    if not run.guarded:
        run.facts.relied.add((frame.scope, run.world))
    return Reliance(guarded, run.top.trial and frame is run.top, frame.scope, proof if frame.defining else 0)


def named_literal(run: Run, value: Device) -> None:
    """Record a literal accelerator that becomes the default device."""
    if value.literal is not None:
        _literal(run, value.literal, value.placement)


def _literal(run: Run, node: cst.CSTNode, placement: Placement) -> None:
    """Record that a literal accelerator decides where something lives."""
    for possibility in placement:
        if lattice.is_accelerator(possibility.device):
            written = node.value if isinstance(node, cst.Integer) else str(possibility.device)
            run.emit(DeviceNamed(node, run.world, written, reliance(run)))


def _sent_to(run: Run, placement: Placement, moving: bool) -> None:
    """Note the symbols that something is sent to, and that the file uses an accelerator.

    What is made at a place (``moving`` is False) is no evidence for it: the place may be the host everywhere.
    """
    for possibility in placement:
        device = possibility.device
        if isinstance(device, Symbol):
            expansion = device.expansion
            reached = [p.device for p in expansion] if expansion is not None else [device]
            if any(lattice.is_accelerator(one) or (moving and isinstance(one, Symbol)) for one in reached):
                run.facts.accelerated = True
            if device.kind is SymbolKind.PLACE:
                if expansion is None or any(lattice.is_host(p.device) for p in expansion):
                    run.facts.portable.add(run.frame.scope)
                run.facts.placed = True
        elif lattice.is_accelerator(device):
            run.facts.accelerated = run.facts.placed = True


def sent_by_type(run: Run, argument: Argument) -> Placement | None:
    """Return where an argument sends tensors that is a legacy type, and record one that stands for an accelerator."""
    for option, condition in options(argument.value):
        placement = legacy_type(run, option)
        told = isinstance(option, Device)  # by a tensor (`x.type()`), which may be on the host as well
        if placement is not None and not told and lattice.is_accelerator(next(iter(placement)).device):
            text = str(option.value) if isinstance(option, Const) else text_of(argument.node)
            typed(run, argument.node, text, condition)
    return legacy_type(run, argument.value)


def typed(run: Run, node: cst.CSTNode, text: str, condition: Condition = lattice.ALWAYS) -> None:
    """Record a type that stands for an accelerator where it makes or moves tensors."""
    world = run.world
    run.world = world | condition
    run.emit(LegacyTyped(node, run.world, text, reliance(run)))
    run.world = world


def legacy_type(run: Run, value: Value) -> Placement | None:
    """Return where tensors of a legacy type are (`torch.cuda.FloatTensor`), or None for any other value."""
    match value:
        case Imported(row=Make(legacy=str(kind))) if kind:
            return lattice.on(Concrete(kind))
        case Device(form=Form.TYPE):
            return value.placement
        case Const(value=str(name)):
            return legacy_type(run, Imported(name, row_of(name, run.knowledge)))
        case Choice():
            joined: set[Possibility] = set()
            for option, condition in value.options:
                placement = legacy_type(run, option)
                if placement is None:
                    return None
                joined.update(lattice.under(placement, condition))
            return frozenset(joined)
        case _:
            return None


def tested_slots(run: Run, node: cst.BaseExpression) -> set[tuple[int, str]]:
    """Return the slots of values whose own device or type a test is about (`if x.device != y.device`)."""
    found: set[tuple[int, str]] = set()
    for attribute in attributes_in(node):
        name = attribute.attr.value
        row = run.knowledge.tensor_attributes.get(name) or run.knowledge.tensor.get(name)
        if isinstance(row, DeviceType | Query) or (isinstance(row, Move) and row.kind is MoveKind.TYPE):
            slot = conditions.slot_of(run, _whole(run, attribute.value))
            if slot is not None and isinstance(run.store.get(*slot), Tensor | Opaque):
                found.add(slot)
    return found


def _whole(run: Run, node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the expression of a tensor without what is where it is (`x` of `x.data`)."""
    while isinstance(node, cst.Attribute) and isinstance(run.knowledge.tensor_attributes.get(node.attr.value), Follow):
        node = node.value
    return node


def asked_slots(run: Run, node: cst.BaseExpression) -> set[tuple[int, str]]:
    """Return the slots of the attributes that a test reads (`if x.size(0) != self.size`)."""
    slots = (conditions.slot_of(run, attribute) for attribute in attributes_in(node))
    return {slot for slot in slots if slot is not None}


def attributes_in(node: cst.BaseExpression) -> list[cst.Attribute]:
    """Return the attributes that a test reads, those in arguments included."""
    found: list[cst.Attribute] = []
    waiting: list[cst.BaseExpression] = [node]
    while waiting:
        part = waiting.pop()
        if type(part) is cst.Attribute:
            found.append(part)
        inside = _PARTS.get(type(part))
        if inside is not None:
            waiting.extend(inside(part))
    return found


_PARTS: dict[type[cst.CSTNode], Callable[..., Iterable[cst.BaseExpression]]] = {
    cst.Attribute: lambda node: (node.value,),
    cst.Call: lambda node: (node.func, *(argument.value for argument in node.args)),
    cst.Subscript: lambda node: (node.value,),
    cst.Comparison: lambda node: (node.left, *(part.comparator for part in node.comparisons)),
    cst.BooleanOperation: lambda node: (node.left, node.right),
    cst.UnaryOperation: lambda node: (node.expression,),
}
"""The parts of a test in which attributes are looked for."""
