"""Modules and parameters that come into a module late: after it was moved, or after an optimizer took what it had."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.incidents import Replaced
from torchdevlint.knowledge.rows import ContainerKind
from torchdevlint.lattice import ANY, HOST, Placement
from torchdevlint.state import MAX_DEPTH, OPTIMIZERS, PLACEMENT
from torchdevlint.transfers.optimizers import current, held_optimizers
from torchdevlint.transfers.placing import contained, move_module
from torchdevlint.transfers.replicas import states
from torchdevlint.values import Holder, Module, Opaque, Tensor, Value
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


def put_in(run: Run, owner: Module | Opaque, value: Value, old: Value | None, text: str, node: cst.CSTNode) -> None:
    """Note that a module or parameter came into a module in the place of ``old``, under the name ``text`` if any."""
    if isinstance(value, Module) and _is_elsewhere(run, owner):
        late(run, value, f"put into its module as `{text}`" if text else "put into its module", node)
    if _replaces(owner, old, text):
        _replaced(run, owner, value, old, text, node)


def _is_elsewhere(run: Run, owner: Module | Opaque) -> bool:
    """Tell whether a module, or what it is a part of, was put somewhere that is not the host."""
    state = run.module_placement(owner)
    for key in _wholes(run, owner):
        found = run.store.get(key, PLACEMENT)
        state = found if state is None and isinstance(found, frozenset) else state
    return state is not None and state != ANY and not _on_host(state)


def _wholes(run: Run, owner: Module | Opaque) -> Iterator[int]:
    """Yield the key of a module and of everything that it is known to be a part of."""
    key: int | None = owner.key
    while key is not None:
        yield key
        key = run.part_of.get(key)


def late(run: Run, module: Module, text: str, node: cst.CSTNode) -> None:
    """Say of a module on the host that it came too late for a move."""
    held = tuple(states(run, module, 0))
    if held and all(_on_host(state) for state in held):
        earlier = next((p.why for state in held for p in lattice.ordered(state)), None)
        move_module(run, module, lattice.on(HOST, Why(Role.LATE, node, text, earlier)))


def _on_host(placement: Placement) -> bool:
    return all(lattice.is_host(p.device) for p in placement)


def _replaces(owner: Module | Opaque, old: Value | None, text: str) -> bool:
    """Tell whether something takes the place of a module or parameter; in a module of other code it does so."""
    match old:
        case Module():
            return old.type.holds_tensors
        case Tensor():
            return old.held is Holder.PARAMETER
        case None:
            unseen = owner.output if isinstance(owner, Opaque) else owner.cls is None
            listed = isinstance(owner, Module) and owner.type.container is not ContainerKind.NONE
            return unseen and not listed and text != ""
        case _:
            return isinstance(old, Opaque)


def _replaced(run: Run, owner: Module | Opaque, value: Value, old: Value | None, text: str, node: cst.CSTNode) -> None:
    """Record that parameters which optimizers hold were replaced by new ones."""
    keys = _wholes(run, owner) if not isinstance(old, Module) else (key for key, _ in _own(run, old, 0))
    kept = [run.store.get(key, OPTIMIZERS) for key in keys]
    optimizers = {held.key: current(run, held) for known in kept if isinstance(known, tuple) for held in known}
    parts = frozenset(key for key, new in _own(run, value, 0) if new or key in run.store.born)
    moment = run.new_key()
    run.facts.rebound.setdefault((owner.key, text), []).append(moment)
    if parts and optimizers:
        run.emit(Replaced(node, run.world, text, tuple(optimizers.values()), owner.key, parts, moment))


def exchanged(run: Run, module: Module | Opaque, text: str, call: Call) -> None:
    """Record that a call replaced parameters of a module which optimizers hold."""
    optimizers = held_optimizers(run, module)
    if optimizers:
        parts = frozenset({0})
        run.emit(Replaced(call.node, run.world, text, optimizers, module.key, parts, run.new_key()))


def _own(run: Run, value: Value, depth: int) -> Iterator[tuple[int, bool]]:
    """Yield the keys of the modules in a value that have parameters of their own; for a parameter 0, and True."""
    match value:
        case Tensor(held=Holder.PARAMETER):
            yield 0, True
        case Module() if depth < MAX_DEPTH:
            own = value.type.holds_tensors and value.type.trained and not (value.type.abstract or value.type.scatters)
            if value.cls is None and value.type.container is ContainerKind.NONE and own:
                yield value.key, False
            for _, item in run.attribute_values(value.key):
                if isinstance(item, Tensor) and item.held is Holder.PARAMETER:
                    yield value.key, False
                elif isinstance(item, Module):
                    yield from _own(run, item, depth + 1)
            for item in contained(run, value):
                if isinstance(item, Module):
                    yield from _own(run, item, depth + 1)
        case _:
            return
