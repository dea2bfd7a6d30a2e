"""Calls to learn from: PyTorch's own samples of its operations, and variants of them with other ranks."""

from __future__ import annotations

import contextlib
import itertools
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from torchdevlint.harness.derive.schemas import Overload
from torchdevlint.harness.derive.signatures import Offer

MOST_SAMPLES = 16
"""How many different samples of an operation are tried; they are told apart by ranks and further arguments."""
_MOST_DRAWN = 200
INDICES = frozenset(["index", "indices", "mask"])
"""What PyTorch calls the parameters of its functions that are places in other tensors."""
_DTYPES = (torch.float32, torch.int64, torch.complex64, torch.bool)


@dataclass(frozen=True, slots=True)
class Sample:
    """Arguments of a call, as its author wrote them."""

    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]

    def kind(self) -> str:
        """A text that is the same for samples from which nothing different is to be learnt."""
        return repr([_outline(each) for each in (*self.arguments, *sorted(self.keywords.items()))])


def _outline(value: Any) -> Any:
    match value:
        case torch.Tensor():
            return ("tensor", value.dim(), value.dtype, value.numel() > 0)
        case list() | tuple():
            return [_outline(each) for each in value]
        case _:
            return repr(value)


_ROWS, _IMAGES, _VOLUMES = (3, 4), (2, 3, 6, 6), (2, 3, 4, 4, 4)
_OWN: Mapping[str, tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...]] = {
    **dict.fromkeys(
        ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"),
        tuple((shape, (0.5, train)) for shape in (_ROWS, _IMAGES) for train in (True, False)),
    ),
    "poisson": ((_ROWS, ()), (_IMAGES, ())),
    "nn.functional.gumbel_softmax": ((_ROWS, ()), (_IMAGES, ())),
    "nn.functional.dropout1d": (((3, 5), ()), ((2, 3, 5), ())),
    "nn.functional.upsample": (((2, 3, 5), (None, 2)), (_IMAGES, (None, 2)), (_VOLUMES, (None, 2))),
    "nn.functional.lp_pool1d": (((3, 6), (2, 2)), ((2, 3, 6), (2, 2))),
    "nn.functional.lp_pool2d": (((3, 6, 6), (2, 2)), (_IMAGES, (2, 2))),
    "nn.functional.lp_pool3d": (((3, 4, 4, 4), (2, 2)), (_VOLUMES, (2, 2))),
    "nn.functional.affine_grid": (((2, 2, 3), ((2, 1, 4, 4),)), ((2, 3, 4), ((2, 1, 4, 4, 4),))),
    "nn.functional.fold": (((2, 12, 9), ((4, 4), (2, 2))), ((12, 9), ((4, 4), (2, 2)))),
    **dict.fromkeys(("random_", "share_memory_"), ((_ROWS, ()), (_IMAGES, ()))),
    "fill_diagonal_": (((3, 3), (1.0,)), ((4, 3), (1.0, True))),
}
"""Calls of functions of which PyTorch has no samples: the shape of the first tensor, and the further arguments."""


def is_plain(value: Any) -> bool:
    """Tell whether a value is a tensor with a storage like any other."""
    return isinstance(value, torch.Tensor) and value.layout == torch.strided and not value.is_quantized


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Return the tensor that a value is, or those that stand in it as a list."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [each for each in value if isinstance(each, torch.Tensor)] if isinstance(value, list | tuple) else []


class Samples:
    """PyTorch's samples by the name of the operation, drawn when they are asked for."""

    def __init__(self) -> None:
        """Index the operations; the samples themselves are made later."""
        from torch.testing._internal.common_methods_invocations import op_db

        self._operations: dict[str, list[Any]] = defaultdict(list)
        self._by_last_name: dict[str, list[Any]] = defaultdict(list)
        for operation in op_db:
            for name in (operation.name, *(alias.name for alias in operation.aliases)):
                self._operations[name].append(operation)
                self._by_last_name[name.rpartition(".")[2]].append(operation)

    def of(self, short: str) -> list[Sample]:
        """Return the samples of a function under its name without `torch.`; those of its namesakes if it has none."""
        if short in _OWN:
            return [Sample((torch.ones(shape), *arguments), {}) for shape, arguments in _OWN[short]]
        base = short.removesuffix("_")
        operations = self._operations.get(short) or self._operations.get(base)
        operations = operations or self._by_last_name.get(base.rpartition(".")[2], [])
        found: dict[str, Sample] = {}
        most = max(8, MOST_SAMPLES // max(len(operations), 1))
        for operation in operations:
            own: dict[str, Sample] = {}
            for sample in itertools.islice(_drawn(operation), _MOST_DRAWN):
                made = Sample((sample.input, *sample.args), dict(sample.kwargs))
                own.setdefault(made.kind(), made)
            # in an order that has nothing to do with the loops that made them
            chosen = sorted(own, key=lambda kind: zlib.crc32(kind.encode()))[:most]
            found |= {kind: own[kind] for kind in own if kind in chosen}
        return list(found.values())


def _drawn(operation: Any) -> Iterator[Any]:
    dtype = next((dtype for dtype in _DTYPES if dtype in operation.dtypes), None)
    if dtype is None:
        return
    torch.manual_seed(0)
    with contextlib.suppress(Exception):  # samples that need what is not here
        yield from operation.sample_inputs("cpu", dtype, requires_grad=False)


@dataclass(frozen=True, slots=True)
class Bound:
    """A sample whose arguments are known by the names of their parameters."""

    sample: Sample
    names: tuple[str, ...]

    def values(self) -> Iterator[tuple[str, Any]]:
        """Yield the arguments with the names of their parameters; those of a variadic last one have none."""
        yield from itertools.zip_longest(self.names, self.sample.arguments, fillvalue="")
        yield from self.sample.keywords.items()

    def get(self, name: str) -> Any:
        """Return an argument, or None."""
        return next((value for own, value in self.values() if own == name), None)

    def tensors(self) -> dict[str, list[torch.Tensor]]:
        """Return the tensors among the arguments by the names of their parameters."""
        return {name: found for name, value in self.values() if (found := tensors_in(value))}

    def mapped(self, change: Callable[[str, torch.Tensor], torch.Tensor]) -> Bound:
        """Return the same call with other tensors."""

        def changed(name: str, value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                return change(name, value)
            if isinstance(value, list | tuple) and tensors_in(value):
                return type(value)(change(name, each) if isinstance(each, torch.Tensor) else each for each in value)
            return value

        arguments = tuple(
            changed(name, value)
            for name, value in itertools.zip_longest(self.names, self.sample.arguments, fillvalue="")
        )
        keywords = {name: changed(name, value) for name, value in self.sample.keywords.items()}
        return Bound(Sample(arguments, keywords), self.names)


def bind(offer: Offer, sample: Sample) -> Bound | None:
    """Return a sample with the names of its parameters, by the first overload that takes it."""
    for overload in offer.overloads:
        positional = [parameter for parameter in overload.parameters if not parameter.keyword_only]
        names = {parameter.name for parameter in overload.parameters}
        if not names.issuperset(sample.keywords) or not _takes(overload, sample):
            continue
        return Bound(sample, tuple(parameter.name for parameter in positional[: len(sample.arguments)]))
    return None


def _takes(overload: Overload, sample: Sample) -> bool:
    positional = [parameter for parameter in overload.parameters if not parameter.keyword_only]
    extra = sample.arguments[len(positional) :]
    if extra and (not positional or "[" not in positional[-1].type or any(tensors_in(each) for each in extra)):
        return False
    given = [*zip(positional, sample.arguments, strict=False)]
    by_name = {parameter.name: parameter for parameter in overload.parameters}
    given += [(by_name[name], value) for name, value in sample.keywords.items()]
    for parameter, value in given:
        if parameter.type == "":
            continue
        if parameter.is_tensor != isinstance(value, torch.Tensor) and not (value is None and "?" in parameter.type):
            return False
        if parameter.is_list != (not isinstance(value, torch.Tensor) and bool(tensors_in(value))):
            return False
    return True


def of_other_ranks(bound: Bound) -> Iterator[Bound]:
    """Yield variants of a call in which tensors have a dimension less or more, all together or one of them alone.

    Of places in other tensors all become the first one: not every kernel checks them. Other whole numbers beside
    floating-point ones (lengths, pivots) may not be changed, so that such calls have no variants.
    """
    if not may_have_variants(bound):
        return
    mixed = not _all_alike(bound)
    names = list(bound.tensors())
    for change in (_one_less, _without_last, _doubled, _one_more, _flat):
        for chosen in (names, *([name] for name in names if len(names) > 1)):

            def changed(
                name: str, tensor: torch.Tensor, change: Any = change, chosen: Any = chosen, mixed: bool = mixed
            ) -> torch.Tensor:
                made = change(tensor) if name in chosen else tensor
                return torch.zeros_like(made) if mixed and made.dtype == torch.int64 else made

            yield bound.mapped(changed)


def may_have_variants(bound: Bound) -> bool:
    """Tell whether the tensors of a call may be replaced by others."""
    return _all_alike(bound) or all(
        may_have_gradients(each) or each.dtype == torch.bool or name in INDICES
        for name, tensors in bound.tensors().items()
        for each in tensors
    )


def _all_alike(bound: Bound) -> bool:
    return len({may_have_gradients(each) for tensors in bound.tensors().values() for each in tensors}) < 2


def may_have_gradients(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor is of a type that can require gradients."""
    return bool(tensor.is_floating_point() or tensor.is_complex())


def _one_less(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.select(0, 0).clone() if tensor.dim() and tensor.shape[0] else tensor


def _without_last(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.select(-1, 0).clone() if tensor.dim() and tensor.shape[-1] else tensor


def _one_more(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.unsqueeze(0).clone()


def _doubled(tensor: torch.Tensor) -> torch.Tensor:
    return torch.stack([tensor, tensor])


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.flatten()[0].clone() if tensor.numel() else tensor
