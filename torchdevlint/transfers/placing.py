"""Placing: what moves in place with a module or an object, and copies that are placed anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.interpreter import iteration, lineage
from torchdevlint.knowledge.rows import Carrier, Placing
from torchdevlint.lattice import ANY, Placement
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import ITEMS, MAX_DEPTH, PLACEMENT, Items
from torchdevlint.values import (
    UNKNOWN,
    Choice,
    Container,
    Holder,
    Instance,
    Module,
    Object,
    Opaque,
    Tensor,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.run import Run


def move_module(run: Run, module: Value, placement: Placement, seen: set[int] | None = None) -> None:
    """Set where a module is, and with it what it has registered: submodules, parameters, buffers."""
    visited = set() if seen is None else seen
    match module:
        case Module():
            if module.key in visited:
                return
            visited.add(module.key)
            top = seen is None
            overrides = module.cls is not None and _overrides(run, module)
            here = ANY if (overrides and not top) or module.type.placing is Placing.UNSEEN else placement
            run.store.set(module.key, PLACEMENT, here)
            _departed(run, module.key, here)
            for name, value in run.attribute_values(module.key):
                if overrides and isinstance(value, Container | Instance):
                    run.set_attribute(module.key, name, run.opaque(name))  # it may move what is in there, too
                    continue
                _move_held(run, module, name, value, here, visited)
            _move_contained(run, module, here, visited)
        case Opaque():
            if module.key not in visited:
                visited.add(module.key)
                run.store.set(module.key, PLACEMENT, placement)
                _departed(run, module.key, placement)
                _move_parts(run, module, placement, visited)
                if module.key in run.parameter_of and not module.parameter:
                    move_module(run, run.parameter_of[module.key], ANY, visited)  # perhaps not all of it
        case Choice():
            for option, _ in module.options:
                move_module(run, option, placement, visited)
        case _:
            return


def _departed(run: Run, key: int, placement: Placement) -> None:
    """Note that a module was moved off the host."""
    if placement != ANY and not all(lattice.is_host(p.device) for p in placement):
        run.facts.departed[key] = run.new_key()


def taken(run: Run, placement: Placement, module: int, node: cst.CSTNode, text: str) -> Placement:
    """Return a placement on the host with the reason that something was taken out of a module there."""
    return frozenset(
        replace(p, why=Why(Role.TAKEN, node, text, p.why, taken=(module, run.new_key())))
        if lattice.is_host(p.device)
        else p
        for p in placement
    )


def lent(run: Run, module: Module, name: str, value: Value, node: cst.BaseExpression) -> Value:
    """Return an attribute as it is outside the module: a buffer that has a name there does not move with the module."""
    if not isinstance(value, Tensor) or run.frame.in_module:
        return value
    if value.held is Holder.PARAMETER:
        run.lent_parameters.add((module.key, name))
    if value.held is Holder.BUFFER:
        place = taken(run, value.placement, module.key, node, f"buffer `{text_of(node)}`")
        return replace(value, placement=place)
    return value


def built_in(run: Run, module: Module, name: str, placement: Placement, node: cst.BaseExpression) -> Value:
    """Return a parameter that a layer of torch has made itself: it is where the layer is, and moves with it."""
    made = Tensor(placement, held=Holder.PARAMETER, leaf=True)
    run.store.remember(module.key, name, made)
    run.attributes.setdefault(module.key, {})[name] = None
    return lent(run, module, name, made, node)


def _overrides(run: Run, module: Module) -> bool:
    assert module.cls is not None
    return any(lineage.member(run, module.cls, name) is not None for name in run.knowledge.module_overrides)


def contained(run: Run, module: Module | Container) -> tuple[Value, ...]:
    """Return the elements of a container or of a module that is one."""
    items = run.items(module)
    rest = items.rest
    if isinstance(rest, Choice) and all(isinstance(option, Module) for option, _ in rest.options):
        further = tuple(option for option, _ in rest.options)  # a loop put in some of each
    else:
        further = (rest,) if rest is not None else ()
    return (*(value for _, value in items.exact), *further)


def parts(run: Run, module: Module | Opaque, seen: set[int]) -> Iterator[Module | Opaque]:
    """Yield a module, and the modules in it and in those."""
    yield module
    if isinstance(module, Module):
        seen.add(module.key)
        for part in (*contained(run, module), *(value for _, value in run.attribute_values(module.key))):
            if isinstance(part, Module) and part.key not in seen:
                yield from parts(run, part, seen)


def _move_contained(run: Run, module: Module, placement: Placement, visited: set[int]) -> None:
    """Move the elements of a registered list or dict: modules in place, parameters by another value."""
    items = run.items(module)
    moved = [(key, _relocated(value, placement)) for key, value in items.exact]
    rest = _relocated(items.rest, placement) if items.rest is not None else None
    for (_, value), (_, placed_anew) in zip(items.exact, moved, strict=True):
        for slot in run.store.holders(value) if placed_anew is not value and isinstance(value, Tensor) else ():
            run.store.set(*slot, placed_anew)  # a parameter stays the same object, whatever it is called
    if rest is not items.rest or any(new is not old for (_, new), (_, old) in zip(moved, items.exact, strict=True)):
        run.store.set(module.key, ITEMS, Items(tuple(moved), rest, items.lost))
    for value in contained(run, module):
        if isinstance(value, Module | Opaque | Choice):
            move_module(run, value, placement, visited)


def _relocated(value: Value, placement: Placement) -> Value:
    """Return a parameter or buffer, or a choice with one in it, at its new place; anything else as it is."""
    match value:
        case Tensor() if value.held is not Holder.NONE:
            return replace(value, placement=placement)
        case Choice() if any(isinstance(option, Tensor) for option, _ in value.options):
            return Choice(tuple((_relocated(option, placement), condition) for option, condition in value.options))
        case _:
            return value


def _move_held(run: Run, module: Module, name: str, value: Value, placement: Placement, visited: set[int]) -> None:
    match value:
        case Module() | Choice():
            move_module(run, value, placement, visited)
            if isinstance(value, Choice):
                run.store.set(module.key, name, _relocated(value, placement))
        case Opaque() if value.placement == ANY:
            move_module(run, value, placement, visited)
        case Opaque() if value.output:
            for slot in run.store.holders(value):  # under another name a parameter moves, a buffer stays behind
                run.store.set(*slot, replace(value, placement=ANY))
            run.store.set(module.key, name, replace(value, placement=placement))
            _move_parts(run, value, placement, visited)
        case Tensor() if value.held is not Holder.NONE:
            moved = replace(value, placement=placement)
            if value.held is Holder.PARAMETER and (module.key, name) in run.lent_parameters:
                for slot in run.store.holders(value):  # a parameter stays the same object, whatever it is called
                    run.store.set(*slot, moved)
            run.store.set(module.key, name, moved)
        case Container():
            _forget_taken(run, value)
        case _:
            return


def _forget_taken(run: Run, container: Container) -> None:
    """Forget where elements are that were taken out of layers: a parameter moves with its layer, a buffer does not."""
    items = run.items(container)
    exact = [
        (key, replace(item, placement=ANY))
        if isinstance(item, Opaque) and item.output and item.key in run.parameter_of
        else (key, item)
        for key, item in items.exact
    ]
    if exact != list(items.exact):
        run.store.set(container.key, ITEMS, Items(tuple(exact), items.rest, items.lost))


def _move_parts(run: Run, whole: Opaque, placement: Placement, visited: set[int]) -> None:
    """Move the modules that the script put into a part of a module of other code (`model.classifier[6] = …`)."""
    for _, item in run.attribute_values(whole.key):
        if isinstance(item, Module):
            move_module(run, item, placement, visited)


def placed(run: Run, value: Value, placement: Placement, depth: int = 0) -> Value:
    """Return a value with every tensor in it where a placement says."""
    match value:
        case Tensor():
            return Tensor(placement, value.rank, value.graph)
        case Opaque():
            return run.opaque(value.name, placement=placement)
        case Object() if value.type.carrier is not Carrier.NONE:
            return iteration.another(run, value, placement)
        case Container():
            if depth >= MAX_DEPTH:
                return UNKNOWN
            return iteration.rebuilt(run, value, lambda item: placed(run, item, placement, depth + 1))
        case Module():
            move_module(run, value, placement)
            return value
        case _:
            return value


def copied(run: Run, value: Value, node: cst.CSTNode, depth: int = 0) -> Value:
    """Return a copy of an object that moves in place: another identity, now in the same place."""
    if isinstance(value, Module):
        if depth >= MAX_DEPTH:
            return UNKNOWN

        def inner(item: Value) -> Value:
            return copied(run, item, node, depth + 1) if isinstance(item, Module | Choice) else item

        made = Module(run.new_key(), value.type, value.cls, value.name)
        run.store.set(made.key, PLACEMENT, run.module_placement(value) or ANY)
        for name, item in run.attribute_values(value.key):
            run.set_attribute(made.key, name, inner(item))
        items = run.items(value)
        exact = tuple((key, inner(item)) for key, item in items.exact)
        rest = inner(items.rest) if items.rest is not None else None
        run.store.set(made.key, ITEMS, Items(exact, rest, items.lost))
        return made
    if isinstance(value, Opaque):
        copy = run.opaque(value.name, placement=value.placement, output=value.output)
        state = run.module_placement(value)
        if state is not None:
            run.store.set(copy.key, PLACEMENT, state)
        else:
            run.copies.setdefault(value.key, []).append((copy.key, node))
        return copy
    if isinstance(value, Instance):
        return run.opaque("")
    if isinstance(value, Choice):
        if depth >= MAX_DEPTH:
            return UNKNOWN
        return Choice(tuple((copied(run, option, node, depth + 1), condition) for option, condition in value.options))
    if isinstance(value, Container):
        if depth >= MAX_DEPTH:
            return UNKNOWN
        return iteration.rebuilt(run, value, lambda item: copied(run, item, node, depth + 1))
    return value
