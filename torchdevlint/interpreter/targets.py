"""Targets: what assigning a value to a name, an attribute, an element or a tuple of targets binds."""

from __future__ import annotations

import libcst as cst

from torchdevlint import transfers
from torchdevlint.interpreter import attributes, escapes, expressions, iteration, subscripts
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join, join_all
from torchdevlint.knowledge.rows import ContainerKind, Environment
from torchdevlint.lattice import ANY
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import ITEMS, Items
from torchdevlint.values import (
    UNKNOWN,
    Choice,
    Const,
    Container,
    Imported,
    Module,
    Object,
    Opaque,
    Parameters,
    Tensor,
    Value,
)


def assign(run: Run, target: cst.BaseExpression, value: Value, node: cst.CSTNode) -> None:
    """Bind a value to a target: a name, an attribute, an element, or a tuple of targets."""
    if type(target) is cst.Name:
        run.bind(run.owner_of(target.value), target.value, transfers.named(run, value, target.value))
    elif type(target) is cst.Attribute:
        receiver = expressions.evaluate(run, target.value)
        attributes.write(run, receiver, target.attr.value, value, node, text_of(target))
    elif type(target) is cst.Subscript:
        _assign_item(run, target, value, node)
    elif isinstance(target, cst.Tuple | cst.List):  # a starred target alone is an error that only compiling finds
        _unpack(run, target, value, node)


def _unpack(run: Run, target: cst.Tuple | cst.List, value: Value, node: cst.CSTNode) -> None:
    known = iteration.elements(run, value)
    targets = list(target.elements)
    stars = [i for i, t in enumerate(targets) if isinstance(t, cst.StarredElement)]
    if known is not None and not stars and len(known) == len(targets):
        for part, item in zip(targets, known, strict=True):
            assign(run, part.value, item, node)
        return
    if known is not None and stars and len(known) >= len(targets) - 1:
        first = stars[0]
        after = len(targets) - first - 1
        middle = known[first : len(known) - after]
        values = [*known[:first], run.container("list", middle), *known[len(known) - after :]]
        for part, item in zip(targets, values, strict=True):
            assign(run, part.value, item, node)
        return
    for index, part in enumerate(targets):
        item = _unpacked(run, value, index, node)
        if isinstance(part, cst.StarredElement):
            item = run.container("list", (), item)
        assign(run, part.value, item, node)


def _unpacked(run: Run, value: Value, index: int, node: cst.CSTNode) -> Value:
    """Return one part of a value that is unpacked; parts of an opaque value are told apart by position."""
    if isinstance(value, Opaque):
        return subscripts.part(run, value, f"[{index}]", "")
    if isinstance(value, Choice):
        return join_all((_part(run, option, index, node), condition) for option, condition in value.options)
    return iteration.element(run, value, node)


def _part(run: Run, value: Value, index: int, node: cst.CSTNode) -> Value:
    """Return one part of a value that may be a sequence of known length."""
    known = iteration.elements(run, value)
    return known[index] if known is not None and index < len(known) else _unpacked(run, value, index, node)


def _assign_item(run: Run, target: cst.Subscript, value: Value, node: cst.CSTNode) -> None:
    base = expressions.evaluate(run, target.value)
    key: Value = UNKNOWN
    indices: list[tuple[cst.CSTNode, Value | None]] = []
    for part in target.slice:
        if isinstance(part.slice, cst.Index):
            key = expressions.evaluate(run, part.slice.value)
            indices.append((part.slice.value, key))
    transfers.changed(run, base)
    match base:
        case Container():
            if isinstance(value, Module):
                run.appended[base.key] = target
            if not indices:  # a slice is replaced
                run.store.set(base.key, ITEMS, Items((), _joined(run, base, value, node)))
                return
            iteration.store_item(run, base, key if len(target.slice) == 1 else UNKNOWN, value)
        case Module() if base.type.container is not ContainerKind.NONE and indices:
            _replace_item(run, base, key, value, target, node)
        case Opaque():
            escapes.consume(run, value)
            transfers.register(run, value)  # it may be what a module keeps its modules in
            if isinstance(key, Const):
                slot = f"[{key.value!r}]"
                if base.key in run.groups_of:
                    transfers.ask_group(run, run.groups_of[base.key], key.value)
                old = run.store.value(base.key, slot) or run.store.value(base.key, f"part {slot}")
                run.set_attribute(base.key, slot, value)
                transfers.put_in(run, base, value, old, text_of(target), node)
            else:
                transfers.move_module(run, value, ANY)
                if base.source:
                    run.facts.tainted.add(base.source)
        case Tensor():
            if base.graph is False and isinstance(value, Tensor) and value.graph:
                for held in run.store.holders(base):  # what is written into it carries its graph into it
                    run.store.set(*held, replace(base, graph=True))
            subscripts.indexed(run, base, target, indices)
            if isinstance(value, Tensor) and any(isinstance(index, Tensor) and index.rank[0] for _, index in indices):
                # By mask or index the values are gathered on the device of the base; by slices they are copied, and by
                # a tensor that is a number (`applySlicing` in torch/csrc/autograd/python_variable_indexing.cpp).
                transfers.meet_assigned(run, target, base, value, _given(target, node), node)
        case Imported(row=Environment() as row):
            transfers.set_variable(run, row, key, value, target)
        case Parameters():
            transfers.keep_in(run, value, base.module)
            escapes.escape(run, value)
        case Object():
            escapes.consume(run, value)
            if run.placement_of(value) != run.placement_of(base):
                escapes.forget_elements(run, base)
        case Choice():
            escapes.consume(run, value)
            _forget_objects(run, base)
        case _:
            escapes.escape(run, value)


def _given(target: cst.Subscript, node: cst.CSTNode) -> tuple[cst.CSTNode, bool]:
    """Return what the value of a target is written as, and whether it is all of that: of what is unpacked, a part."""
    match node:
        case cst.Assign(targets=targets, value=value) if any(one.target is target for one in targets):
            return value, True
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=places))], value=cst.Tuple() as value):
            pairs = zip(places, value.elements, strict=False)
            starred = any(type(one) is cst.StarredElement for one in (*places, *value.elements))
            found = None if starred else next((one.value for place, one in pairs if place.value is target), None)
            return (value, False) if found is None else (found, True)
        case cst.Assign(value=value):
            return value, False
        case _:
            return node, False


def _forget_objects(run: Run, base: Choice) -> None:
    """Forget what objects of libraries hold of which one is written to, and it is not known which."""
    for option, _ in base.options:
        if isinstance(option, Object):
            escapes.escape(run, option)


def _replace_item(run: Run, base: Module, key: Value, value: Value, target: cst.Subscript, node: cst.CSTNode) -> None:
    """Put a module into a container of modules in the place of another."""
    escapes.consume(run, value)
    transfers.register(run, value)
    old = run.items(base).get(iteration.position(run, base, key.value)) if isinstance(key, Const) else None
    iteration.store_item(run, base, key, transfers.as_parameter(value))
    transfers.put_in(run, base, value, old, text_of(target), node)


def _joined(run: Run, base: Container, value: Value, node: cst.CSTNode) -> Value:
    """Return what any element of a container may be after a part of it was replaced by the elements of a value."""
    whole, new = run.items(base).any(), iteration.element(run, value, node)
    return new if whole is None else join(whole, new)
