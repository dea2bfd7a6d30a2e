"""Datasets and loaders: what iterating them yields, and where it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.costs import LoaderBuilt
from torchdevlint.interpreter import calls, iteration, lineage
from torchdevlint.knowledge.rows import Carrier, Collate, LoaderType
from torchdevlint.lattice import ANY
from torchdevlint.records import replace
from torchdevlint.state import MAX_DEPTH
from torchdevlint.transfers import datasets, draws, reads, workers
from torchdevlint.transfers.operands import function_text
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Class,
    Const,
    Container,
    Device,
    Flag,
    Imported,
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

_SAMPLER = 3
"""The position of the sampler among the arguments of a loader."""


def loader(run: Run, row: LoaderType, call: Call, receiver: Argument | None) -> Value:
    """Build a loader: its items are the dataset's, collated, or arrive where this loader's batches do."""
    key = run.new_key()
    argument = call.get(0, row.dataset)
    given = argument.value if argument is not None else UNKNOWN
    source = datasets.source(run, given)
    function = call.get(row.collated, row.collate)
    custom = function is not None and function.value != NONE and not _is_default(function.value)
    run.pace.read = run.pace.files.get(source.key) if isinstance(source, Opaque) else None
    item = _item(run, row, call, source, function.value if function is not None and custom else None)
    if item == UNKNOWN:
        item = iteration.batch_item(run, key, call.text, call.node)
        run.facts.built_loaders.add(key)
        if custom or call.open or any(_was_placed(run, a.value) for a in call.values()):
            run.facts.tainted.add(key)
    reads.pin_items(run, call, call.keywords.get(row.pin), item)
    _built(run, row, call, key)
    item = _as_batch(run, item, key)
    if argument is not None:
        run.set_attribute(key, row.dataset, given)
    generator, whole, told = draws.of_loader(run, row, call), _whole(run, row, call), datasets.told(run, source)
    return Loader(key, row, item, call.node, generator, whole, source, told)


def _item(run: Run, row: LoaderType, call: Call, source: Value, function: Value | None) -> Value:
    """Return what a loader yields, made by the function that collates, or UNKNOWN."""
    with workers.of(run, row, call):
        if function is not None:
            samples = calls.Argument(call.node, _samples(run, source, call))
            made = calls.call_value(run, function, calls.Call(call.node, "collate", [samples]))
            return made if isinstance(made, Container | Tensor | Object) else UNKNOWN
        if row.collated < 0 and len(call.arguments) > row.positional:
            return UNKNOWN
        size = call.get(1, row.size)
        if size is not None and size.value == NONE:
            return datasets.sample(run, source, call.node)
        match source:
            case Loader():
                return datasets.tensors(run, source) or (source.item if datasets.is_as_built(run, source) else UNKNOWN)
            case Instance():
                run.pace.sampled = call.node if _gathers(row, call) else None
                made = _collated(run, datasets.sample(run, source, call.node), call)
                run.pace.sampled = None
                return made
            case Container():
                return _collated(run, datasets.sample(run, source, call.node), call)
            case _:
                return _labelled(run, source, call)


def _is_default(function: Value) -> bool:
    return isinstance(function, Imported) and isinstance(function.row, Collate)


def collate(run: Run, row: Collate, call: Call, receiver: Argument | None) -> Value:
    """Return the batch that is made of a list of samples."""
    return _collated(run, iteration.element(run, call.first, call.node), call)


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
        case Loader() if argument.value.type is datasets.PLAIN:
            return (argument.node,)
        case Opaque() if datasets.is_whole(run, argument.value):
            return (argument.node,)
        case Instance() if not argument.value.open:
            members = [lineage.member(run, argument.value.cls, name) for name in ("__getitem__", "__iter__")]
            classes = (c for c in lineage.lineage(argument.value.cls) if isinstance(c, Class))
            return (argument.node, *(c.node for c in classes)) if members[0] and not members[1] else ()
        case _:
            return ()


def _was_placed(run: Run, source: Value) -> bool:
    """Tell whether a dataset was moved, or built with a device, so that its items may come from anywhere."""
    if isinstance(source, Opaque):
        return source.key in run.facts.tainted or source.placement != ANY or run.module_placement(source) is not None
    return isinstance(source, Instance | Device)


def _samples(run: Run, source: Value, call: Call) -> Value:
    """Return the list of items of a dataset that a collate function is given, or an object of unknown kind."""
    item = datasets.sample(run, source, call.node)
    return run.opaque("samples") if item == UNKNOWN else run.container("list", (), item)


def _labelled(run: Run, source: Value, call: Call) -> Value:
    """Return a batch of images and the numbers of their classes, UNKNOWN if a dataset has no such items."""
    found = datasets.labelled(run, source)
    if found is None:
        return UNKNOWN
    image, label = found
    labels = _numbers(run, call) if label == NONE else _collated(run, label, call)
    return run.container("tuple", [_collated(run, image, call), labels])


def _collated(run: Run, value: Value, call: Call, depth: int = 0) -> Value:
    """Return what the default collation makes of an item: one dimension more, numbers become host tensors."""
    match value:
        case Tensor():
            low, high = value.rank
            return replace(value, rank=(low + 1, None if high is None else high + 1))
        case Const() if isinstance(value.value, int | float) and not isinstance(value.value, bool):
            return _numbers(run, call)
        case Object() if value.type.carrier is not Carrier.NONE:
            return value
        case Container() if depth < MAX_DEPTH:
            return iteration.rebuilt(run, value, lambda item: _collated(run, item, call, depth + 1))
        case _:
            return UNKNOWN


def _numbers(run: Run, call: Call) -> Tensor:
    """Return a tensor that the default collation makes of numbers: on the default device, which no worker has."""
    why = Why(Role.BATCH, call.node, f"collated by `{call.text}`")
    plain = all(possible.device == lattice.HOST for possible in run.default_placement(call.node))
    return Tensor(lattice.on(lattice.HOST, why) if plain else lattice.ANY, (1, 1))
