"""Datasets: what they are made of, what a part of one is a part of, and the samples that are got from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.interpreter import calls, instances, iteration
from torchdevlint.interpreter.calls import Argument, Call
from torchdevlint.knowledge.rows import DatasetType, Draw, LoaderType
from torchdevlint.records import dataclass, replace
from torchdevlint.state import DEFAULT_DEVICE
from torchdevlint.transfers import checkpoints
from torchdevlint.values import NONE, UNKNOWN, Container, Instance, Loader, Object, Opaque, Tensor, Value
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.run import Run

BATCHED = "<batched>"
"""The slot that holds the tensors of a dataset of tensors, which are what a batch of it is like."""

PLAIN = LoaderType()
"""The type of what yields its items one by one, as a dataset of tensors does."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset of a class that a row tells of, or a part of any: the call that built it, and what it is a part of.

    ``key`` is that of the object that stands for it.
    """

    key: int
    call: Call
    row: DatasetType
    part_of: Value = UNKNOWN


def dataset(run: Run, row: DatasetType, call: Call, receiver: Argument | None) -> Value:
    """Build a dataset: of tensors it yields their rows, a part of another yields the same as the whole."""
    for argument in call.values():
        checkpoints.as_data(run, argument.value)
    if row.tensors and call.arguments and not call.open:
        whole = [argument.value for argument in call.arguments]
        single = [iteration.element(run, value, call.node) for value in whole]
        made = Loader(run.new_key(), PLAIN, run.container("tuple", single))
        run.store.set(made.key, BATCHED, run.container("tuple", whole))
        return made
    if isinstance(call.first, Loader):
        return call.first
    built = _left_alone(run, call)
    given = call.get(0, row.part) if row.part else None
    _note(run, Dataset(built.key, call, row, UNKNOWN if given is None else given.value))
    if row.reads:
        run.pace.files[built.key] = call.node
    image, label, both = row.transforms
    if row.transform is not None and not call.open and both not in call.keywords:
        for position, name in ((row.transform, image), (row.transform + 1, label)):
            function = call.get(position, name)
            run.set_attribute(built.key, name, NONE if function is None else function.value)
    return built


def split(run: Run, row: Draw, call: Call) -> Value:
    """Return the parts that a dataset is split into: as many as there are lengths."""
    if isinstance(call.first, Loader):
        return run.container("list", (), call.first)
    lengths = call.arguments[1].value if len(call.arguments) > 1 else UNKNOWN
    known = iteration.elements(run, lengths) if isinstance(lengths, Container) else None
    _left_alone(run, call)
    if known is None:
        return run.container("list", (), _part(run, row, call))
    return run.container("list", [_part(run, row, call) for _ in known])


def _part(run: Run, row: Draw, call: Call) -> Opaque:
    part = run.opaque(f"{call.text}(…)")
    if isinstance(call.first, Opaque):
        run.facts.made_with[part.key] = {call.first.key}
    _note(run, Dataset(part.key, call, DatasetType(part=row.part), call.first))
    return part


def _note(run: Run, made: Dataset) -> None:
    run.datasets[made.key] = made
    if made.part_of != UNKNOWN:
        run.set_attribute(made.key, made.row.part, made.part_of)


def _left_alone(run: Run, call: Call) -> Opaque:
    """Return what a call builds that cannot be seen, but changes no dataset that it is given, and no transform."""

    def is_changed(argument: Argument) -> bool:
        return not isinstance(argument.value, Instance | Object) and _built(run, argument.value) is None

    kept = {name: one for name, one in call.keywords.items() if is_changed(one)}
    built = calls.unseen(run, replace(call, arguments=list(filter(is_changed, call.arguments)), keywords=kept))
    given = {argument.value.key for argument in call.values() if isinstance(argument.value, Opaque)}
    if given:
        run.facts.made_with[built.key] = given
    return built


def source(run: Run, value: Value) -> Value:
    """Return the dataset that another is a part of, or itself."""
    while (built := _built(run, value)) is not None and built.part_of != UNKNOWN:
        value = built.part_of
    return value


def is_whole(run: Run, value: Value) -> bool:
    """Tell whether a dataset is of a class that has all its items in every process, by their numbers."""
    built = _built(run, value)
    return built is not None and built.row.whole


def has_samples(run: Run, value: Value) -> bool:
    """Tell whether what iterating an object yields are the samples of a dataset, and no batches."""
    built = _built(run, value)
    return built is not None and not built.row.graphs


def _built(run: Run, value: Value | None) -> Dataset | None:
    return run.datasets.get(value.key) if isinstance(value, Opaque) else None


def labelled(run: Run, value: Value) -> tuple[Tensor, Value] | None:
    """Return an image of a dataset and its label as their transforms make tensors of them, None if they do not.

    NONE is the label that is the number of a class.
    """
    built = _built(run, value)
    if built is None or built.row.transform is None:
        return None
    *single, both, _ = told(run, value)
    if both is not None:
        return None
    image, label = (_transformed(run, built.call, function) for function in single)
    if not isinstance(image, Tensor) or not (isinstance(label, Tensor) or (label == NONE and built.row.numbered)):
        return None
    return image, label


def _transformed(run: Run, call: Call, function: object) -> Value:
    """Return what a transform makes of something: NONE if there is none, UNKNOWN if it cannot be seen."""
    if not isinstance(function, Value) or function == NONE:
        return NONE if function == NONE else UNKNOWN
    made = calls.call_value(run, function, Call(call.node, call.text, [Argument(call.node, run.opaque("an item"))]))
    if not isinstance(made, Tensor):
        return UNKNOWN
    why = Why(Role.BATCH, call.node, f"an item of `{call.text}`")
    return replace(made, placement=frozenset(replace(possible, why=why) for possible in made.placement))


def told(run: Run, value: Value | None) -> tuple[object, ...]:
    """Return what the items of a dataset depend on beside its class: its transforms and the default device, as now."""
    built = _built(run, value)
    if built is None:
        return ()
    return (*(run.store.value(built.key, name) for name in built.row.transforms), run.store.get(0, DEFAULT_DEVICE))


def is_as_built(run: Run, value: Loader) -> bool:
    """Tell whether a loader, or a dataset of tensors, yields what it did when it was built: nothing was bound anew."""
    bound = run.attributes.get(value.key, {}).keys() - {value.type.dataset}
    return not bound and (not value.told or value.told == told(run, value.source))


def forget(run: Run, value: Opaque) -> None:
    """Forget the transforms of a dataset, and of what it is a part of: code that cannot be seen may bind others."""
    built = _built(run, source(run, value))
    if built is not None:
        for name in built.row.transforms:
            run.set_attribute(built.key, name, UNKNOWN)


def sample(run: Run, value: Value, node: cst.CSTNode) -> Value:
    """Return an item of a dataset by its number, UNKNOWN where that cannot be seen."""
    match source(run, value):
        case Loader() as loader:
            return loader.item
        case Instance() as instance:
            frame = run.frame.in_module
            run.frame.in_module = False
            item = instances.special(run, instance, "__getitem__", node, run.opaque("index"))
            run.frame.in_module = frame
            return UNKNOWN if item is None else item
        case Container() as container:
            return iteration.element(run, container, node)
        case whole:
            found = labelled(run, whole)
            if found is None:
                return UNKNOWN
            return run.container("tuple", [found[0], UNKNOWN if found[1] == NONE else found[1]])


def tensors(run: Run, value: Loader) -> Container | None:
    """Return the tensors of a dataset of tensors, or None for any other."""
    found = run.store.get(value.key, BATCHED)
    return found if isinstance(found, Container) and is_as_built(run, value) else None
