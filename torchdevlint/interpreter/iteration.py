"""Elements: what iterating, unpacking and indexing a value yields, and what assigning to a target binds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.events import Indexed
from torchdevlint.interpreter import attributes, calls, expressions
from torchdevlint.interpreter.run import Run
from torchdevlint.lattice import ANY, Symbol, SymbolKind
from torchdevlint.state import ITEMS, Items, join
from torchdevlint.values import (
    UNKNOWN,
    Choice,
    Const,
    Container,
    Loader,
    Module,
    Object,
    Opaque,
    Parameters,
    Tensor,
    Value,
)
from torchdevlint.why import Role, Why

ITEM = "<item>"


def concatenate(run: Run, left: Container, right: Container) -> Value:
    """Return the container that holds the elements of both."""
    first, second = run.items(left), run.items(right)
    if first.rest is None and second.rest is None and not first.lost and not second.lost:
        return run.container(left.kind, [v for _, v in first.exact] + [v for _, v in second.exact])
    rest = first.any()
    other = second.any()
    return run.container(left.kind, (), join(rest, other) if rest is not None and other is not None else rest or other)


def elements(run: Run, value: Value) -> list[Value] | None:
    """Return the elements of a value in order, or None where their number is not known."""
    if isinstance(value, Container) and value.kind != "dict":
        items = run.items(value)
        if items.rest is None and not items.lost:
            return [item for _, item in items.exact]
    if isinstance(value, Module):
        items = run.items(value)
        if items.exact and items.rest is None and not items.lost:
            return [item for _, item in items.exact]
    return None


def element(run: Run, value: Value, node: cst.CSTNode) -> Value:
    """Return what an iteration over a value yields at any step."""
    match value:
        case Container():
            if value.kind == "dict":
                return UNKNOWN
            found = run.items(value).any()
            return UNKNOWN if found is None else found
        case Tensor():
            low, high = value.rank
            rank = (max(low - 1, 0), None if high is None else max(high - 1, 0))
            return Tensor(value.placement, rank, value.graph, tally=value.tally)
        case Loader():
            _iterated(run, value.item)
            return value.item
        case Module():
            found = run.items(value).any()
            return UNKNOWN if found is None else found
        case Parameters():
            placement = run.module_placement(value.module) or ANY
            item = run.opaque("parameter", placement=placement, parameter=True)
            run.parameter_of[item.key] = value.module
            return item
        case Opaque():
            return _opaque_element(run, value, node)
        case Object():
            return Opaque(run.new_key(), "", run.placement_of(value), output=True)
        case Choice():
            joined: Value | None = None
            for option, condition in value.options:
                item_ = element(run, option, node)
                joined = item_ if joined is None else join(joined, item_, lattice.ALWAYS, condition)
            return UNKNOWN if joined is None else joined
        case _:
            return UNKNOWN


def _iterated(run: Run, item: Value) -> None:
    """Note the function in which a batch was taken from its loader: only moves there are evidence."""
    if isinstance(item, Opaque) and item.source:
        run.iterated_in[item.source] = run.frame.base
    if isinstance(item, Container):
        for _, value in run.items(item).exact:
            _iterated(run, value)


def _opaque_element(run: Run, value: Opaque, node: cst.CSTNode) -> Value:
    """An item of an iterable we cannot see: it is where the batches of this iterable arrive."""
    if value.parameter:
        return value
    if value.placement != ANY or value.output or value.source:
        return run.derive(value, f"an item of {value.name}" if value.name else "", part=True)
    known = run.store.value(value.key, ITEM)
    if isinstance(known, Opaque):
        run.iterated_in[known.source] = run.frame.base
        return known
    item = batch_item(run, value.key, value.name, node)
    run.store.set(value.key, ITEM, item)
    return item


def batch_item(run: Run, key: int, name: str, node: cst.CSTNode) -> Opaque:
    """Return an item of a loader: an object whose parts are where this loader's batches arrive."""
    symbol = Symbol(key, SymbolKind.BATCH, f"where `{name}` yields" if name else "where the batch arrives")
    why = Why(Role.BATCH, node, f"from `{name}`" if name else "from the loader", source=key)
    run.iterated_in[key] = run.frame.base
    return run.opaque(f"an item of {name}" if name else "", placement=lattice.on(symbol, why), source=key)


def subscript(run: Run, base: Value, node: cst.Subscript) -> Value:
    """Return the value of ``base[…]``, and record the meeting of a tensor with tensors that index it."""
    indices: list[tuple[cst.CSTNode, Value | None]] = []
    for part in node.slice:
        if isinstance(part.slice, cst.Index):
            indices.append((part.slice.value, expressions.evaluate(run, part.slice.value)))
        elif isinstance(part.slice, cst.Slice):
            for bound in (part.slice.lower, part.slice.upper, part.slice.step):
                if bound is not None:
                    expressions.evaluate(run, bound)
            indices.append((part.slice, None))
    return _subscript(run, base, node, indices)


def _subscript(
    run: Run, base: Value, node: cst.Subscript, indices: Sequence[tuple[cst.CSTNode, Value | None]]
) -> Value:
    match base:
        case Container():
            return _container_item(run, base, indices)
        case Module():
            key = indices[0][1] if indices else None
            if isinstance(key, Const):
                found = run.items(base).get(key.value)
                if found is not None:
                    return found
            whole = run.items(base).any()
            return UNKNOWN if whole is None else whole
        case Tensor():
            _indexed(run, base, node, indices)
            return transfers.indexed(run, base, indices)
        case Opaque():
            return _opaque_item(run, base, node, indices)
        case Object():
            _indexed(run, base, node, indices)
            return base if base.type.array else Tensor(run.placement_of(base))
        case Loader():
            return _dataset_item(run, base, node, indices)
        case Parameters():
            return Tensor(run.module_placement(base.module) or ANY)
        case Choice():
            joined: Value | None = None
            for option, condition in base.options:
                value = _subscript(run, option, node, indices)
                joined = value if joined is None else join(joined, value, lattice.ALWAYS, condition)
            return UNKNOWN if joined is None else joined
        case _:
            return UNKNOWN


def _dataset_item(
    run: Run, base: Loader, node: cst.Subscript, indices: Sequence[tuple[cst.CSTNode, Value | None]]
) -> Value:
    """Return an item of a dataset of tensors: each tensor is indexed."""
    whole = transfers.dataset_tensors(run, base)
    if whole is None:
        return UNKNOWN
    parts: list[Value] = []
    for value in elements(run, whole) or ():
        if isinstance(value, Tensor):
            _indexed(run, value, node, indices)
            parts.append(transfers.indexed(run, value, indices))
        else:
            parts.append(UNKNOWN)
    return run.container("tuple", parts)


def parts(run: Run, value: Value, node: cst.CSTNode) -> list[Value]:
    """Return the values that stand in a sequence: each known element, and any further one."""
    known = elements(run, value)
    if known is not None:
        return known
    if isinstance(value, Container):
        items = run.items(value)
        if not items.lost and items.rest is not None:
            return [*(item for _, item in items.exact), items.rest]
    return [element(run, value, node)]


def _container_item(run: Run, base: Container, indices: Sequence[tuple[cst.CSTNode, Value | None]]) -> Value:
    items = run.items(base)
    key = indices[0][1] if len(indices) == 1 else UNKNOWN
    if key is None:  # a slice
        return run.container(base.kind, (), items.any())
    if isinstance(key, Const) and (not items.lost or base.kind == "dict"):
        wanted = key.value
        if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted < 0 and items.rest is None:
            wanted += len(items.exact)
        found = items.get(wanted)
        if found is not None:
            return _unwritten(found)
        return UNKNOWN if items.lost or items.rest is None else items.rest
    whole = items.any()
    return UNKNOWN if whole is None else _unwritten(whole)


def _unwritten(value: Value) -> Value:
    """A literal that was read out of a container is configuration, no longer a literal in place."""
    return Const(value.value) if isinstance(value, Const) else value


def _opaque_item(
    run: Run, base: Opaque, node: cst.Subscript, indices: Sequence[tuple[cst.CSTNode, Value | None]]
) -> Value:
    key = indices[0][1] if len(indices) == 1 else None
    if isinstance(key, Const) and isinstance(key.value, str | int):
        slot = f"[{key.value!r}]"
        known = run.store.value(base.key, slot)
        if known is not None:
            return known
        made = run.derive(base, f"{base.name}{slot}", part=True)
        run.store.set(base.key, slot, made)
        return made
    _indexed(run, base, node, indices)
    if any(isinstance(value, Tensor) for _, value in indices):
        return Tensor(run.placement_of(base))
    return run.derive(base, base.name, part=True)


def _indexed(
    run: Run, base: Tensor | Opaque | Object, node: cst.Subscript, indices: Sequence[tuple[cst.CSTNode, Value | None]]
) -> None:
    flat: list[tuple[cst.CSTNode, Value]] = []
    for index_node, value in indices:
        if isinstance(value, Container):
            inner = elements(run, value) or []
            flat.extend((index_node, item) for item in inner)
        elif value is not None:
            flat.append((index_node, value))
    operands = [
        transfers.operand(run, index_node, value, "index", is_index=True)
        for index_node, value in flat
        if isinstance(value, Tensor) or (isinstance(value, Opaque) and value.placement != ANY)
    ]
    if operands:
        owner = transfers.operand(run, node.value, base, "input")
        if isinstance(base, Object) and base.type.array:
            owner = replace(owner, placement=lattice.ON_HOST)
        run.emit(Indexed(node, run.world, run.frame.entry, owner, tuple(operands)))


def assign(run: Run, target: cst.CSTNode, value: Value, node: cst.CSTNode) -> None:
    """Bind a value to a target: a name, an attribute, an element, or a tuple of targets."""
    if type(target) is cst.Name:
        run.bind(run.owner_of(target.value), target.value, transfers.named(run, value, target.value))
        return
    match target:
        case cst.Attribute():
            receiver = expressions.evaluate(run, target.value)
            attributes.write(run, receiver, target, value, node)
        case cst.Subscript():
            _assign_item(run, target, value, node)
        case cst.Tuple() | cst.List():
            _unpack(run, target, value, node)
        case cst.StarredElement():
            assign(run, target.value, value, node)
        case _:
            return


def _unpack(run: Run, target: cst.Tuple | cst.List, value: Value, node: cst.CSTNode) -> None:
    known = elements(run, value)
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
        slot = f"[{index}]"
        known = run.store.value(value.key, slot)
        if known is not None:
            return known
        made = run.derive(value, "", part=True)
        run.store.set(value.key, slot, made)
        return made
    if isinstance(value, Choice):
        joined: Value | None = None
        for option, condition in value.options:
            known_parts = elements(run, option)
            if known_parts is not None and index < len(known_parts):
                item = known_parts[index]
            else:
                item = _unpacked(run, option, index, node)
            joined = item if joined is None else join(joined, item, lattice.ALWAYS, condition)
        return UNKNOWN if joined is None else joined
    return element(run, value, node)


def _assign_item(run: Run, target: cst.Subscript, value: Value, node: cst.CSTNode) -> None:
    base = expressions.evaluate(run, target.value)
    key: Value = UNKNOWN
    indices: list[tuple[cst.CSTNode, Value | None]] = []
    for part in target.slice:
        if isinstance(part.slice, cst.Index):
            key = expressions.evaluate(run, part.slice.value)
            indices.append((part.slice.value, key))
    match base:
        case Container():
            if isinstance(value, Module):
                run.appended[base.key] = target
            if not indices:  # a slice is replaced
                run.store.set(base.key, ITEMS, Items((), joined(run, base, value, node)))
                return
            store_item(run, base, key if len(target.slice) == 1 else UNKNOWN, value)
        case Opaque():
            calls.consume(run, value, "stored")
            if isinstance(key, Const):
                run.store.set(base.key, f"[{key.value!r}]", value)
            elif base.source:
                run.facts.tainted.add(base.source)
        case Tensor():
            _indexed(run, base, target, indices)
            if isinstance(value, Tensor) and any(isinstance(index, Tensor) for _, index in indices):
                # By mask or index the values are gathered on the device of the base; by slices they are copied.
                transfers.meet_assigned(run, target, base, value, node)
        case Loader():
            return
        case _:
            calls.consume(run, value, "stored")


def joined(run: Run, base: Container, value: Value, node: cst.CSTNode) -> Value:
    """Return what any element of a container may be after a part of it was replaced by the elements of a value."""
    whole, new = run.items(base).any(), element(run, value, node)
    return new if whole is None else join(whole, new)


def store_item(run: Run, base: Container, key: Value, value: Value) -> None:
    """Bind an element of a container under a key; an unknown key may be any."""
    items = run.items(base)
    if isinstance(key, Const):
        exact = [(name, old) for name, old in items.exact if name != key.value]
        run.store.set(base.key, ITEMS, Items((*exact, (key.value, value)), items.rest, items.lost))
        return
    # An element under a key that is not known may be any of those that are.
    exact = [(name, join(old, value)) for name, old in items.exact]
    rest = value if items.rest is None else join(items.rest, value)
    run.store.set(base.key, ITEMS, Items(tuple(exact), rest, items.lost))


def add_item(run: Run, base: Container | Module, value: Value) -> None:
    """Add an element at a position that is not known."""
    items = run.items(base)
    rest = value if items.rest is None else join(items.rest, value)
    run.store.set(base.key, ITEMS, Items(items.exact, rest, items.lost))
