"""Datasets: what they are made of, what a part of one is a part of, and the samples that are got from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint.interpreter import calls, instances, iteration
from torchdevlint.interpreter.calls import Argument, Call
from torchdevlint.knowledge.rows import DatasetType, LoaderType
from torchdevlint.records import dataclass, replace
from torchdevlint.transfers import checkpoints
from torchdevlint.values import NONE, UNKNOWN, Container, Instance, Loader, Object, Opaque, Tensor, Value
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.run import Run

BATCHED = "<batched>"
"""The slot that holds the tensors of a dataset of tensors, which are what a batch of it is like."""

PLAIN = LoaderType()
"""The type of what yields its items one by one, as a dataset of tensors does."""

_PART = DatasetType()

_ASKED = Instance | Object

IMAGE, LABEL, _BOTH = "transform", "target_transform", "transforms"
"""The arguments that change an image, the number of its class, or both (torchvision's `VisionDataset`)."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset of a class that a row tells of: its key, the call that built it, and what it is a part of."""

    key: int
    row: DatasetType
    call: Call
    part_of: Value = UNKNOWN


def dataset(run: Run, row: DatasetType, call: Call, receiver: Argument | None) -> Value:
    """Build a dataset: of tensors it yields their rows, a part of another yields the same as the whole."""
    for argument in call.values():
        checkpoints.as_data(run, argument.value)
    if row.tensors and call.arguments and not call.open:
        tensors = [argument.value for argument in call.arguments]
        single = [iteration.element(run, value, call.node) for value in tensors]
        made = Loader(run.new_key(), PLAIN, run.container("tuple", single))
        run.store.set(made.key, BATCHED, run.container("tuple", tensors))
        return made
    if isinstance(call.first, Loader):
        return call.first
    built = _asked(run, call)
    given = call.get(0, row.part) if row.part else None
    run.datasets[built.key] = Dataset(built.key, row, call, UNKNOWN if given is None else given.value)
    if row.reads:
        run.pace.files[built.key] = call.node
    if row.transform is not None and not call.open:
        _keep_transforms(run, row.transform, call, built)
    return built


def _keep_transforms(run: Run, position: int, call: Call, built: Opaque) -> None:
    """Bind the transforms of images and of the numbers of their classes: until a loader is built they may change."""
    if _BOTH in call.keywords:
        return
    for at, name in ((position, IMAGE), (position + 1, LABEL)):
        given = call.get(at, name)
        run.set_attribute(built.key, name, NONE if given is None else given.value)


def split(run: Run, call: Call) -> Value:
    """Return the parts that a dataset is split into: as many as there are lengths."""
    if isinstance(call.first, Loader):
        return run.container("list", (), call.first)
    lengths = call.arguments[1].value if len(call.arguments) > 1 else UNKNOWN
    known = iteration.elements(run, lengths) if isinstance(lengths, Container) else None
    if known is None:
        return run.container("list", (), _part(run, call))
    return run.container("list", [_part(run, call) for _ in known])


def _part(run: Run, call: Call) -> Opaque:
    part = _asked(run, call)
    run.datasets[part.key] = Dataset(part.key, _PART, call, call.first)
    return part


def _asked(run: Run, call: Call) -> Opaque:
    """Build what asks a dataset of the file for its items, or has a transform called, and changes neither."""
    kept = {name: one for name, one in call.keywords.items() if not isinstance(one.value, _ASKED)}
    others = [one for one in call.arguments if not isinstance(one.value, _ASKED)]
    return calls.unseen(run, replace(call, arguments=others, keywords=kept))


def source(run: Run, value: Value) -> Value:
    """Return the dataset that another is a part of, or itself."""
    while (built := _built(run, value)) is not None and built.part_of != UNKNOWN:
        value = built.part_of
    return value


def is_whole(run: Run, value: Value) -> bool:
    """Tell whether a dataset is of a class that has all its items in every process, by their numbers."""
    built = _built(run, value)
    return built is not None and built.row.whole


def _built(run: Run, value: Value) -> Dataset | None:
    return run.datasets.get(value.key) if isinstance(value, Opaque) else None


def transformed(run: Run, value: Value, name: str) -> Value:
    """Return an image or the number of its class as a transform makes a tensor of it.

    NONE is one that has no transform, UNKNOWN what is no tensor or cannot be seen.
    """
    built = _built(run, value)
    if built is None or built.row.transform is None:
        return UNKNOWN
    transform = run.store.value(built.key, name)
    if transform is None or transform == NONE:
        return UNKNOWN if transform is None else NONE
    call = built.call
    given = Argument(call.node, run.opaque("an item"))
    made = calls.call_value(run, transform, Call(call.node, call.text, [given]))
    if not isinstance(made, Tensor):
        return UNKNOWN
    why = Why(Role.BATCH, call.node, f"an item of `{call.text}`")
    return replace(made, placement=frozenset(replace(possible, why=why) for possible in made.placement))


def sample(run: Run, value: Value, call: Call) -> Value:
    """Return an item of a dataset by its number, UNKNOWN where that cannot be seen."""
    match value:
        case Loader():
            return value.item
        case Instance():
            frame = run.frame.in_module
            run.frame.in_module = False
            found = instances.special(run, value, "__getitem__", call.node, run.opaque("index"))
            run.frame.in_module = frame
            return UNKNOWN if found is None else found
        case Container():
            return iteration.element(run, value, call.node)
        case _:
            image, label = transformed(run, value, IMAGE), transformed(run, value, LABEL)
            known = isinstance(image, Tensor)
            return run.container("tuple", [image, UNKNOWN if label == NONE else label]) if known else UNKNOWN


def tensors(run: Run, value: Loader) -> Container | None:
    """Return the tensors of a dataset of tensors, or None for any other."""
    found = run.store.get(value.key, BATCHED)
    return found if isinstance(found, Container) else None
