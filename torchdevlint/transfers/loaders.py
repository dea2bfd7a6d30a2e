"""Datasets and loaders: what iterating them yields, and where it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.costs import LoaderBuilt
from torchdevlint.interpreter import calls, instances, iteration, lineage
from torchdevlint.knowledge.rows import Carrier, DatasetType, LoaderType
from torchdevlint.lattice import ANY
from torchdevlint.records import replace
from torchdevlint.state import MAX_DEPTH
from torchdevlint.transfers import checkpoints, draws, reads, workers
from torchdevlint.transfers.operands import function_text
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Class,
    Const,
    Container,
    Device,
    Flag,
    Instance,
    Loader,
    Object,
    Opaque,
    Tensor,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

BATCHED = "<batched>"
"""The slot that holds the tensors of a dataset of tensors, which are what a batch of it is like."""

_PLAIN = LoaderType()

_SAMPLER = 3
"""The position of the sampler among the arguments of a loader."""


def dataset(run: Run, row: DatasetType, call: Call, receiver: Argument | None) -> Value:
    """Build a dataset: of tensors it yields their rows, a part of another yields the same as the whole."""
    for argument in call.values():
        checkpoints.as_data(run, argument.value)
    if row.tensors and call.arguments and not call.open:
        tensors = [argument.value for argument in call.arguments]
        single = [iteration.element(run, value, call.node) for value in tensors]
        made = Loader(run.new_key(), _PLAIN, run.container("tuple", single))
        run.store.set(made.key, BATCHED, run.container("tuple", tensors))
        return made
    first = call.arguments[0].value if call.arguments else UNKNOWN
    if isinstance(first, Loader):
        return first
    unseen = calls.unseen(run, call)
    if row.whole:
        run.whole_datasets.add(unseen.key)
    if row.reads:
        run.pace.files[unseen.key] = call.node
    return unseen


def loader(run: Run, row: LoaderType, call: Call, receiver: Argument | None) -> Value:
    """Build a loader: its items are the dataset's, collated, or arrive where this loader's batches do."""
    key = run.new_key()
    argument = call.get(0, row.dataset)
    source = argument.value if argument is not None else UNKNOWN
    function = call.keywords.get(row.collate)
    custom = function is not None and function.value != NONE
    item: Value | None = None
    run.pace.read = run.pace.files.get(source.key) if isinstance(source, Opaque) else None
    if function is not None and custom:
        with workers.of(run, row, call):
            samples = calls.Argument(call.node, _samples(run, source, call))
            item = calls.call_value(run, function.value, calls.Call(call.node, "collate", [samples]))
        if not isinstance(item, Container | Tensor | Object):
            item = None
    elif isinstance(source, Loader):
        batched = run.store.get(source.key, BATCHED)
        item = batched if isinstance(batched, Container) else source.item
    elif isinstance(source, Instance) and not custom:
        with workers.of(run, row, call):
            run.pace.sampled = call.node if _gathers(row, call) else None
            item = _collated(run, _item_of(run, source, call), call)
            run.pace.sampled = None
    elif isinstance(source, Container) and not custom:
        item = _collated(run, iteration.element(run, source, call.node), call)
    if item is None or item == UNKNOWN:
        item = iteration.batch_item(run, key, call.text, call.node)
        run.facts.built_loaders.add(key)
        if custom or call.open or any(_was_placed(run, a.value) for a in call.values()):
            run.facts.tainted.add(key)
    reads.pin_items(run, call, call.keywords.get(row.pin), item)
    _built(run, row, call, key)
    item = _as_batch(run, item, key)
    return Loader(key, row, item, call.node, draws.of_loader(run, row, call), _whole(run, row, call))


def _gathers(row: LoaderType, call: Call) -> bool:
    """Tell whether a loader surely makes a batch of several samples."""
    size = call.get(1, row.size)
    return size is not None and size.value not in (Const(1), NONE)


def _built(run: Run, row: LoaderType, call: Call, key: int) -> None:
    """Record what a loader was told about workers and pinned memory; what is not seen may say anything."""
    unseen = call.open or len(call.arguments) > row.positional
    number, pin = call.keywords.get(row.workers), call.keywords.get(row.pin)
    alone = number is None and not unseen
    given = number.value if number is not None else Const(0) if alone else UNKNOWN
    count = given.value if isinstance(given, Const) and isinstance(given.value, int) else None
    pins = False if pin is None and not unseen else None
    if pin is not None and (pin.value == Const(True) or isinstance(pin.value, Flag)):
        run.facts.costs.pinning[key] = call.node
        pins = True
    event = LoaderBuilt(call.node, run.world, function_text(call), key, count, alone, pins, run.pace.read)
    run.emit(event)


def _as_batch(run: Run, item: Value, key: int, depth: int = 0) -> Value:
    """Return an item of a loader whose tensors know the loader that they come from."""
    match item:
        case Tensor():
            return replace(item, batch=key)
        case Container() if depth < MAX_DEPTH:
            return iteration.rebuilt(run, item, lambda part: _as_batch(run, part, key, depth + 1))
        case _:
            return item


def _whole(run: Run, row: LoaderType, call: Call) -> tuple[cst.CSTNode, ...]:
    """Return what a loader yields all of, in every process: a dataset that has its items by number, and no sampler."""
    argument = call.get(0, row.dataset)
    sampled = any(name in call.keywords and call.keywords[name].value != NONE for name in row.samplers)
    if argument is None or sampled or call.open or not row.samplers or len(call.arguments) > _SAMPLER:
        return ()
    match argument.value:
        case Loader() if argument.value.type is _PLAIN:
            return (argument.node,)
        case Opaque() if argument.value.key in run.whole_datasets:
            return (argument.node,)
        case Instance() if not argument.value.open:
            members = [lineage.member(run, argument.value.cls, name) for name in ("__getitem__", "__iter__")]
            classes = (c for c in lineage.lineage(argument.value.cls) if isinstance(c, Class))
            return (argument.node, *(c.node for c in classes)) if members[0] and not members[1] else ()
        case _:
            return ()


def dataset_tensors(run: Run, value: Loader) -> Container | None:
    """Return the tensors of a dataset of tensors, or None for any other."""
    found = run.store.get(value.key, BATCHED)
    return found if isinstance(found, Container) else None


def _was_placed(run: Run, source: Value) -> bool:
    """Tell whether a dataset was moved, or built with a device, so that its items may come from anywhere."""
    if isinstance(source, Opaque):
        return source.key in run.facts.tainted or source.placement != ANY or run.module_placement(source) is not None
    return isinstance(source, Instance | Device)


def _samples(run: Run, source: Value, call: Call) -> Value:
    """Return the list of items of a dataset that a collate function is given, or an object of unknown kind."""
    match source:
        case Loader():
            item = source.item
        case Instance():
            item = _item_of(run, source, call)
        case Container():
            item = iteration.element(run, source, call.node)
        case _:
            item = UNKNOWN
    return run.opaque("samples") if item == UNKNOWN else run.container("list", (), item)


def _item_of(run: Run, source: Instance, call: Call) -> Value:
    frame = run.frame.in_module
    run.frame.in_module = False
    value = instances.special(run, source, "__getitem__", call.node, run.opaque("index"))
    run.frame.in_module = frame
    return UNKNOWN if value is None else value


def _collated(run: Run, value: Value, call: Call, depth: int = 0) -> Value:
    """Return what the default collation makes of an item: one dimension more, numbers become host tensors."""
    match value:
        case Tensor():
            low, high = value.rank
            return replace(value, rank=(low + 1, None if high is None else high + 1))
        case Const() if isinstance(value.value, int | float) and not isinstance(value.value, bool):
            why = Why(Role.BATCH, call.node, f"collated by `{call.text}`")
            return Tensor(lattice.on(lattice.HOST, why), (1, 1))
        case Object() if value.type.carrier is not Carrier.NONE:
            return value
        case Container() if depth < MAX_DEPTH:
            return iteration.rebuilt(run, value, lambda item: _collated(run, item, call, depth + 1))
        case _:
            return UNKNOWN
