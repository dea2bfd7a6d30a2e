"""Calls of replicated modules: what happens in a replica that is not on the first device, and what is gathered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.events import Called, Combined, ReplicaMet
from torchdevlint.interpreter import calls, functions, iteration, lineage
from torchdevlint.lattice import Concrete, Placement
from torchdevlint.records import replace
from torchdevlint.state import Items
from torchdevlint.transfers.operands import function_text
from torchdevlint.transfers.placing import contained, move_module
from torchdevlint.values import SCALAR, Choice, Container, Function, Gathered, Holder, Module, Opaque, Tensor, Value
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


def replicate(run: Run, inner: Module, home: Concrete, call: Call) -> tuple[Value, Items] | None:
    """Run a module of the file as its replica on the second device does, and return what it gives there, and holds.

    Nothing of it stays but what met there: parts, buffers and inputs are copies, plain attributes are shared.
    """
    forward = lineage.member(run, inner.cls, run.knowledge.module_call) if inner.cls is not None else None
    if not isinstance(forward, Function) or home.index is None:
        return None
    second = Concrete(home.type, home.index + 1)
    there = lattice.on(second, Why(Role.PLACED, call.node, f"scattered by `{call.text}`"))
    events, called = run.events, run.called.copy()
    run.events = []
    run.store.push()
    _pin(run, inner, home, set())
    move_module(run, inner, there)
    bound = Function(forward.node, forward.frame, forward.name, inner, forward.owner)
    given = [replace(a, value=_scattered(run, a.value, there)) for a in call.arguments]
    keywords = {name: replace(a, value=_scattered(run, a.value, there)) for name, a in call.keywords.items()}
    value = functions.invoke(run, bound, calls.Call(call.node, call.text, given, keywords, call.open), call.node)
    items = run.items(value) if isinstance(value, Container) else Items()
    run.store.pop()
    seen, run.events, run.called = run.events, events, called
    for event in seen:
        if isinstance(event, Combined | Called):
            run.emit(ReplicaMet(call.node, run.world, function_text(call), event, second))
    return value, items


def gathered(run: Run, value: Value, items: Items, placed: Placement, call: Call) -> Value | None:
    """Return what is made of the results of all replicas where scalars are among them, else None."""
    match value:
        case Tensor(rank=rank) if rank == SCALAR:
            made = Gathered(call.node, function_text(call))
            return Tensor(placed, (1, 1), value.graph, gathered=made)
        case Container():
            parts = [(key, gathered(run, part, Items(), placed, call)) for key, part in items.exact]
            if items.rest is not None or all(part is None for _, part in parts):
                return None
            others = run.opaque("", placement=placed, output=True)
            return run.holder(value.kind, Items(tuple((key, part or others) for key, part in parts)))
        case _:
            return None


def _pin(run: Run, module: Value, home: Concrete, seen: set[int]) -> None:
    """Put the plain tensors of a module that are on the current device where that is when replicas are made."""
    if not isinstance(module, Module) or module.key in seen:
        return
    seen.add(module.key)
    for name, value in run.attribute_values(module.key):
        if isinstance(value, Tensor) and value.held is Holder.NONE:
            run.store.set(module.key, name, replace(value, placement=_indexed(value.placement, home)))
        _pin(run, value, home, seen)
    for value in contained(run, module):
        _pin(run, value, home, seen)


def _indexed(placement: Placement, home: Concrete) -> Placement:
    return frozenset(
        replace(p, device=home) if p.device == Concrete(home.type) else p
        for p in lattice.expanded(placement, lattice.NO_FACTS)
    )


def _scattered(run: Run, value: Value, there: Placement) -> Value:
    """Return what a replica is given of an argument: its part of a tensor, and of the tensors in a container."""
    match value:
        case Tensor():
            return replace(value, placement=there, held=Holder.NONE)
        case Opaque():
            return run.opaque(value.name, placement=there)
        case Choice():
            return Choice(tuple((_scattered(run, option, there), condition) for option, condition in value.options))
        case Container():
            return iteration.rebuilt(run, value, lambda item: item if item is value else _scattered(run, item, there))
        case _:
            return value
