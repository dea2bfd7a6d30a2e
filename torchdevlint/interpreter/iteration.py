"""Elements: what a sequence or an iterable holds, what iterating it yields, and what adding to it leaves."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.events import Drawn
from torchdevlint.interpreter import calls, functions, instances, lineage, pace
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join, join_all
from torchdevlint.knowledge.rows import Batches, Carrier, ContainerKind
from torchdevlint.lattice import ANY, Condition, Placement, Symbol, SymbolKind
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import ITEMS, PLACEMENT, Items
from torchdevlint.values import (
    UNKNOWN,
    Choice,
    Class,
    Const,
    Container,
    Imported,
    Instance,
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
    other = second.any()
    if first.rest is None and not first.lost:
        return run.holder(left.kind, Items(first.exact, other))
    rest = first.any()
    return run.container(left.kind, (), join(rest, other) if rest is not None and other is not None else rest or other)


def merged(first: Items, second: Items) -> Items:
    """Return the elements of a dict that holds those of both; under a key of both, the second's."""
    if second.rest is not None:
        return Items(second.exact, UNKNOWN, first.lost or second.lost)  # which of the first's keys it has is not known
    exact = tuple((dict(first.exact) | dict(second.exact)).items())
    return Items(exact, first.rest, first.lost or second.lost)


def as_dict(run: Run, value: Value) -> Items:
    """Return the elements of the dict that is made of a dict, or of pairs of a key and a value."""
    if isinstance(value, Container) and value.kind == "dict":
        return run.items(value)
    if isinstance(value, Object) and value.type.carrier is Carrier.IN_PLACE:
        return Items((), tensor_of(run, value))
    exact: list[tuple[object, Value]] = []
    for pair in elements(run, value) or (UNKNOWN,):
        parts = elements(run, pair) or ()
        if len(parts) != 2 or not isinstance(parts[0], Const):
            return Items(lost=True)
        exact.append((parts[0].value, parts[1]))
    return Items(tuple(dict(exact).items()))


def tensor_of(run: Run, batch: Object) -> Value:
    """Return any of the tensors of a batch."""
    made = run.opaque("", run.placement_of(batch), output=True)
    run.facts.tensors.add(made.key)
    return made


def rebuilt(run: Run, value: Container, change: Callable[[Value], Value]) -> Container:
    """Return a container of the same kind that holds what a function makes of each element, under the same keys."""
    items = run.items(value)
    made = replace(value, key=run.new_key())
    exact = tuple((key, change(item)) for key, item in items.exact)
    rest = change(items.rest) if items.rest is not None else None
    run.store.set(made.key, ITEMS, Items(exact, rest, items.lost))
    return made


def iterated(run: Run, value: Value) -> Value:
    """Return what is iterated in the place of an object whose class says so itself (`__iter__`)."""
    own = lineage.method(run, value, "__iter__")
    if own is None or not isinstance(own.node, cst.FunctionDef):
        return value
    found = functions.invoke(run, own, calls.Call(own.node.name, "iter"))
    return UNKNOWN if found == value else found


def elements(run: Run, value: Value) -> list[Value] | None:
    """Return the elements of a value in order, or None where their number is not known."""
    value = iterated(run, value)
    if isinstance(value, Container) and value.kind != "dict":
        items = run.items(value)
        if items.rest is None and not items.lost:
            return [item for _, item in items.exact]
    if isinstance(value, Module):
        items = run.items(value)
        if items.exact and items.rest is None and not items.lost:
            return [item for _, item in items.exact]
    return None


def first_and_further(run: Run, value: Value, node: cst.CSTNode) -> tuple[list[Value], Value]:
    """Return the elements that a sequence of unknown length surely begins with, and what any further one may be."""
    if isinstance(value, Container) and value.kind != "dict":
        items = run.items(value)
        if items.rest is not None and not items.lost:
            return [item for _, item in items.exact], items.rest
    return [], element(run, value, node)


def length(run: Run, value: Value) -> Value:
    """Return how many elements a tuple has, if this is known; what can grow has had more passes than were seen."""
    known = elements(run, value) if isinstance(value, Container) and value.kind == "tuple" else None
    return UNKNOWN if known is None else Const(len(known))


def element(run: Run, value: Value, node: cst.CSTNode) -> Value:
    """Return what an iteration over a value yields at any step."""
    value = iterated(run, value)
    match value:
        case Container():
            return UNKNOWN if value.kind == "dict" else any_of(run, value)
        case Tensor():
            low, high = value.rank
            rank = (max(low - 1, 0), None if high is None else max(high - 1, 0))
            return Tensor(value.placement, rank, value.graph, tallies=value.tallies)
        case Loader() if not transfers.is_as_built(run, value):
            return UNKNOWN
        case Loader():
            pace.drawn(run, value.key)
            _iterated(run, value.item)
            _drawn(run, value, node)
            run.taken.append((value, run.world))
            item = value.item
            return another(run, item, run.placement_of(item)) if isinstance(item, Object) else item
        case Module():
            found = run.items(value).any()
            return UNKNOWN if found is None else found
        case Parameters() if value.is_state:
            return UNKNOWN  # a name
        case Parameters():
            placement = run.module_placement(value.module) or ANY
            item = run.opaque("parameter", placement=placement, parameter=True)
            run.parameter_of[item.key] = value.module
            return item
        case Opaque() if value.key in run.groups_of:
            return run.derive(value, value.name, part=True)
        case Opaque() if transfers.has_samples(run, value):
            return transfers.sample(run, value, node)
        case Opaque():
            return _opaque_element(run, value, node)
        case Imported(name=name, row=None):
            return _opaque_element(run, Opaque(run.imported_key(name), name), node)
        case Object():
            return Opaque(run.new_key(), "", run.placement_of(value), output=True)
        case Instance(cls=Class(after=after)):
            made = instances.special(run, value, "__iter__", node)
            if made is None and any(isinstance(one, Imported) and isinstance(one.row, Batches) for one in after):
                moving = transfers.moving_batches(run, run.opaque(value.cls.name), node, value.cls.name)
                return _opaque_element(run, moving, node)
            return element(run, made, node) if isinstance(made, Container) else UNKNOWN
        case Choice():
            return join_all(
                (_element_under(run, option, condition, node), condition) for option, condition in value.options
            )
        case _:
            return UNKNOWN


def tallied(run: Run, container: Container, value: Value) -> Value:
    """Return an element as it is read: where the container holds totals, their keys go with it."""
    totals = frozenset(run.tallies.get(container.key, ()))
    return replace(value, tallies=value.tallies | totals) if totals and isinstance(value, Tensor) else value


def part_of(run: Run, container: Container, made: Container) -> Container:
    """Return a container that holds elements of another, as one that holds what it has of totals."""
    if container.key in run.tallies:
        run.tallies[made.key] = run.tallies[container.key]
    return made


def _element_under(run: Run, option: Value, condition: Condition, node: cst.CSTNode) -> Value:
    """Return what an iteration over one of several values yields, where it is that one."""
    world = run.world
    run.world = world | condition
    value = element(run, option, node)
    run.world = world
    return value


def any_of(run: Run, container: Container) -> Value:
    """Return what any element of a container may be; where it holds totals, their keys go with it."""
    items = run.items(container)
    found = items.any()
    if isinstance(found, Tensor):
        return tallied(run, container, found)
    totals = frozenset(run.tallies.get(container.key, ()))
    for _, value in items.exact:  # it is not followed what becomes of a value of several kinds
        totals |= value.tallies if isinstance(value, Tensor) else frozenset()
    run.facts.consumed |= totals
    return UNKNOWN if found is None else found


def _iterated(run: Run, item: Value) -> None:
    """Note the function in which a batch was taken from its loader: only moves there are evidence."""
    if isinstance(item, Opaque) and item.source:
        run.iterated_in[item.source] = run.frame.base
    if isinstance(item, Container):
        for _, value in run.items(item).exact:
            _iterated(run, value)


def _drawn(run: Run, value: Loader, node: cst.CSTNode) -> None:
    """Record that an iteration of a loader draws on what is the default device by then."""
    if value.made is None or value.generator is None:
        return
    why = Why(Role.CREATED, node, "iterated")
    place = frozenset(replace(p, why=why) for p in run.default_placement(node))
    run.emit(Drawn(value.made, run.world, text_of(value.made), place, value.generator))


def _opaque_element(run: Run, value: Opaque, node: cst.CSTNode) -> Value:
    """An item of an iterable we cannot see: it is where the batches of this iterable arrive."""
    if value.parameter:
        return value
    if value.placement != ANY or value.output or value.source:
        return run.derive(value, f"an item of {value.name}" if value.name else "", part=True)
    pace.drawn(run, value.key)
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


def another(run: Run, value: Object, placement: Placement) -> Object:
    """Return another object of the same class, with its tensors in a place: each batch is one of its own."""
    made = Object(run.new_key(), value.type)
    run.store.set(made.key, PLACEMENT, placement)
    return made


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


def position(run: Run, base: Container | Module, key: object) -> object:
    """Return the key under which an element stands: positions of a list may be counted from behind."""
    if isinstance(base, Container):
        is_list = base.kind == "list"
    else:
        is_list = base.type.container in (ContainerKind.LIST, ContainerKind.SEQUENTIAL)
    items = run.items(base)
    if is_list and isinstance(key, int) and key < 0 and items.rest is None:
        return key + len(items.exact)
    return key


def store_item(run: Run, base: Container | Module, key: Value, value: Value) -> None:
    """Bind an element of a container under a key; an unknown key may be any."""
    items = run.items(base)
    if isinstance(key, Const):
        wanted = position(run, base, key.value)
        exact = [(name, value if name == wanted else old) for name, old in items.exact]
        added = () if any(name == wanted for name, _ in exact) else ((wanted, value),)
        run.fill(base.key, Items((*exact, *added), items.rest, items.lost))
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
