"""Subscripts: what `base[…]` yields by the kind of the base, and the meeting of a tensor with what indexes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.events import Indexed
from torchdevlint.interpreter import calls, expressions, functions, iteration, lineage, pace
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join, join_all
from torchdevlint.knowledge.rows import Environment
from torchdevlint.lattice import ANY
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.values import (
    SCALAR,
    UNKNOWN,
    Choice,
    Const,
    Container,
    Flag,
    Imported,
    Loader,
    Module,
    Object,
    Opaque,
    Parameters,
    Tensor,
    Value,
)

Indices: TypeAlias = "Sequence[tuple[cst.CSTNode, Value | None]]"
"""The parts of an index with their values; None for a slice."""


def subscript(run: Run, base: Value, node: cst.Subscript) -> Value:
    """Return the value of ``base[…]``, and record the meeting of a tensor with tensors that index it."""
    indices: list[tuple[cst.CSTNode, Value | None]] = []
    for part in node.slice:
        if type(part.slice) is cst.Index:
            indices.append((part.slice.value, expressions.evaluate(run, part.slice.value)))
        else:
            assert isinstance(part.slice, cst.Slice)
            for bound in (part.slice.lower, part.slice.upper, part.slice.step):
                if bound is not None:
                    expressions.evaluate(run, bound)
            indices.append((part.slice, None))
    return _subscript(run, base, node, indices)


def _subscript(run: Run, base: Value, node: cst.Subscript, indices: Indices) -> Value:
    own = lineage.method(run, base, "__getitem__")
    if own is not None:
        given = [calls.Argument(part, value if value is not None else UNKNOWN) for part, value in indices]
        if len(given) > 1:
            given = [calls.Argument(node, run.container("tuple", [argument.value for argument in given]))]
        return functions.invoke(run, own, calls.Call(node, text_of(node), given))
    match base:
        case Container():
            return _container_item(run, base, indices)
        case Module():
            key = indices[0][1] if indices else None
            if isinstance(key, Const):
                found = run.items(base).get(iteration.position(run, base, key.value))
                if found is not None:
                    return found
            whole = run.items(base).any()
            return UNKNOWN if whole is None else whole
        case Tensor():
            indexed(run, base, node, indices)
            if base.rank == SCALAR and len(indices) == 1 and isinstance(indices[0][1], Const):
                return UNKNOWN  # an error of today, a number in the PyTorch that such code was written for
            return transfers.indexed(base, indices)
        case Opaque() if transfers.has_samples(run, base):
            return transfers.sample(run, base, node)
        case Opaque():
            return _opaque_item(run, base, node, indices)
        case Object():
            indexed(run, base, node, indices)
            return base if base.type.array else Tensor(run.placement_of(base))
        case Imported(row=Environment() as row):
            transfers.told_by(run, row.local, indices[0][1] if indices else None)
            return UNKNOWN
        case Loader():
            return _dataset_item(run, base, node, indices)
        case Parameters() if base.is_state:
            key = indices[0][1] if len(indices) == 1 else UNKNOWN
            return transfers.state_tensor(base, key.value if isinstance(key, Const) else None)
        case Choice() if any(isinstance(option, Tensor) for option, _ in base.options):
            # One tensor that may be in several places, each under its condition: it meets its index once.
            return _subscript(run, Tensor(run.placement_of(base)), node, indices)
        case Choice():
            return join_all((_subscript(run, option, node, indices), condition) for option, condition in base.options)
        case _:
            return UNKNOWN


def _dataset_item(run: Run, base: Loader, node: cst.Subscript, indices: Indices) -> Value:
    """Return an item of a dataset of tensors: each tensor is indexed."""
    whole = transfers.dataset_tensors(run, base)
    if whole is None:
        return UNKNOWN
    parts: list[Value] = []
    for value in iteration.elements(run, whole) or ():
        if isinstance(value, Tensor):
            indexed(run, value, node, indices)
            parts.append(transfers.indexed(value, indices))
        else:
            parts.append(UNKNOWN)
    return run.container("tuple", parts)


def _container_item(run: Run, base: Container, indices: Indices) -> Value:
    items = run.items(base)
    key = indices[0][1] if len(indices) == 1 else UNKNOWN
    if key is None:  # a slice
        return iteration.part_of(run, base, run.container(base.kind, (), items.any()))
    if isinstance(key, Flag) and not items.lost and items.rest is None:
        true, false = items.get(True), items.get(False)
        if true is not None and false is not None:
            return join(_unwritten(true), _unwritten(false), key.when_true, key.when_false)
    if isinstance(key, Const) and (not items.lost or base.kind == "dict"):
        wanted = key.value
        if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted < 0 and items.rest is None:
            wanted += len(items.exact)
        found = items.get(wanted)
        if found is not None:
            return iteration.tallied(run, base, _unwritten(found))
        if items.lost or items.rest is None:
            return UNKNOWN
        from_end = isinstance(wanted, int) and wanted < 0
        return iteration.any_of(run, base) if from_end else iteration.tallied(run, base, items.rest)
    return _unwritten(iteration.any_of(run, base))


def _unwritten(value: Value) -> Value:
    """A literal that was read out of a container is configuration, no longer a literal in place."""
    return Const(value.value) if isinstance(value, Const) else value


def part(run: Run, base: Opaque, slot: str, name: str) -> Value:
    """Return a part of an opaque value: what was stored there, or the same part as before unless the whole moved."""
    stored = run.store.value(base.key, slot)
    if stored is not None:
        return stored
    known = run.store.value(base.key, f"part {slot}")
    if isinstance(known, Opaque) and known.placement == base.placement:
        return known
    made = run.derive(base, name, part=True)
    run.store.set(base.key, f"part {slot}", made)
    return made


def _opaque_item(run: Run, base: Opaque, node: cst.Subscript, indices: Indices) -> Value:
    key = indices[0][1] if len(indices) == 1 else None
    if isinstance(key, Const) and isinstance(key.value, str | int):
        if base.key in run.groups_of:
            asked = transfers.ask_group(run, run.groups_of[base.key], key.value)
            if asked is not None:
                return asked
        slot = f"[{key.value!r}]"
        made = part(run, base, slot, f"{base.name}{slot}")
        if isinstance(made, Opaque) and isinstance(key.value, str) and not base.within:
            made = replace(made, within=False)  # the whole has names for its parts, and is no tensor
        transfers.picked(run, base, made, key.value)
        return made
    indexed(run, base, node, indices)
    if any(isinstance(value, Tensor) for _, value in indices):
        return Tensor(run.placement_of(base))
    return run.derive(base, base.name, part=True)


def indexed(run: Run, base: Tensor | Opaque | Object, node: cst.Subscript, indices: Indices) -> None:
    """Record the meeting of a value with the tensors that index it."""
    flat: list[tuple[cst.CSTNode, Value]] = []
    for index_node, value in indices:
        if isinstance(value, Container):
            inner = iteration.elements(run, value) or []
            flat.extend((index_node, item) for item in inner)
        elif value is not None:
            flat.append((index_node, value))
    operands = [
        transfers.operand(run, index_node, value, "index", is_index=True)
        for index_node, value in flat
        if isinstance(value, Tensor) or (isinstance(value, Opaque) and value.placement != ANY)
    ]
    if operands:
        run.waits += 1  # a mask is counted on the host
        owner = transfers.operand(run, node.value, base, "input")
        if isinstance(base, Object) and base.type.array:
            owner = replace(owner, placement=lattice.ON_HOST)
        run.emit(Indexed(node, run.world, run.frame.entry, owner, tuple(operands)))
        pace.indexed(run, node, owner, operands)
