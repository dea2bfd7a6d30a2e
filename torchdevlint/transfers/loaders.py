"""Datasets and loaders: what iterating them yields, and where it arrives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.interpreter import calls, functions, iteration, lineage
from torchdevlint.knowledge.rows import DatasetType, LoaderType
from torchdevlint.lattice import ANY
from torchdevlint.state import MAX_DEPTH
from torchdevlint.transfers import draws, reads, workers
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Const,
    Container,
    Device,
    Function,
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


def dataset(run: Run, row: DatasetType, call: Call, receiver: Argument | None) -> Value:
    """Build a dataset: of tensors it yields their rows, a part of another yields the same as the whole."""
    if row.tensors and call.arguments and not call.open:
        tensors = [argument.value for argument in call.arguments]
        single = [iteration.element(run, value, call.node) for value in tensors]
        made = Loader(run.new_key(), _PLAIN, run.container("tuple", single))
        run.store.set(made.key, BATCHED, run.container("tuple", tensors))
        return made
    first = call.arguments[0].value if call.arguments else UNKNOWN
    if isinstance(first, Loader):
        return first
    return calls.unseen(run, call)


def loader(run: Run, row: LoaderType, call: Call, receiver: Argument | None) -> Value:
    """Build a loader: its items are the dataset's, collated, or arrive where this loader's batches do."""
    key = run.new_key()
    argument = call.get(0, row.dataset)
    source = argument.value if argument is not None else UNKNOWN
    function = call.keywords.get(row.collate)
    custom = function is not None and function.value != NONE
    item: Value | None = None
    if function is not None and custom:
        samples = calls.Argument(call.node, run.opaque("samples"))
        with workers.of(run, row, call):
            if run.worker is not None and isinstance(source, Instance):
                _item_of(run, source, call)
            item = calls.call_value(run, function.value, calls.Call(call.node, "collate", [samples]))
        if isinstance(item, Object):
            item = Object(item.key, item.type, run.placement_of(item))
        elif not isinstance(item, Container | Tensor):
            item = None
    elif isinstance(source, Loader):
        batched = run.store.get(source.key, BATCHED)
        item = batched if isinstance(batched, Container) else source.item
    elif isinstance(source, Instance) and not custom:
        with workers.of(run, row, call):
            item = _collated(run, _item_of(run, source, call), call)
    elif isinstance(source, Container) and not custom:
        item = _collated(run, iteration.element(run, source, call.node), call)
    if item is None or item == UNKNOWN:
        item = iteration.batch_item(run, key, call.text, call.node)
        run.facts.built_loaders.add(key)
        if custom or call.open or any(_was_placed(run, a.value) for a in call.values()):
            run.facts.tainted.add(key)
    reads.pin_items(run, call, call.keywords.get(row.pin), item)
    return Loader(key, row, item, call.node, draws.of_loader(run, row, call))


def dataset_tensors(run: Run, value: Loader) -> Container | None:
    """Return the tensors of a dataset of tensors, or None for any other."""
    found = run.store.get(value.key, BATCHED)
    return found if isinstance(found, Container) else None


def _was_placed(run: Run, source: Value) -> bool:
    """Tell whether a dataset was moved, or built with a device, so that its items may come from anywhere."""
    if isinstance(source, Opaque):
        return source.key in run.facts.tainted or source.placement != ANY or run.module_placement(source) is not None
    return isinstance(source, Instance | Device)


def _item_of(run: Run, source: Instance, call: Call) -> Value:
    method = lineage.member(run, source.cls, "__getitem__")
    if not isinstance(method, Function):
        return UNKNOWN
    bound = Function(method.node, method.frame, method.name, source, method.owner)
    index = calls.Argument(call.node, run.opaque("index"))
    frame = run.frame.in_module
    run.frame.in_module = False
    value = functions.invoke(run, bound, calls.Call(call.node, "__getitem__", [index]))
    run.frame.in_module = frame
    return value


def _collated(run: Run, value: Value, call: Call, depth: int = 0) -> Value:
    """Return what the default collation makes of an item: one dimension more, numbers become host tensors."""
    match value:
        case Tensor():
            low, high = value.rank
            return replace(value, rank=(low + 1, None if high is None else high + 1))
        case Const() if isinstance(value.value, int | float) and not isinstance(value.value, bool):
            why = Why(Role.BATCH, call.node, f"collated by `{call.text}`")
            return Tensor(lattice.on(lattice.HOST, why), (1, 1))
        case Container() if depth < MAX_DEPTH:
            return iteration.rebuilt(run, value, lambda item: _collated(run, item, call, depth + 1))
        case _:
            return UNKNOWN
