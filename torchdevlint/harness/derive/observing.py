"""What a function does when it is called: what it returns, and whether it lets its operands be on two devices."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from torchdevlint.harness.derive.samples import (
    Bound,
    Samples,
    bind,
    is_plain,
    may_have_gradients,
    may_have_variants,
    of_other_ranks,
    tensors_in,
)
from torchdevlint.harness.derive.schemas import composed
from torchdevlint.harness.derive.signatures import Offer
from torchdevlint.harness.simulator import is_device_error

HOST, DEVICE = "cpu", "cuda"
_COMPOSITE = (
    torch._C.DispatchKey.CompositeImplicitAutograd,
    torch._C.DispatchKey.CompositeExplicitAutograd,
    torch._C.DispatchKey.CompositeExplicitAutogradNonFunctional,
)
_MOST_ASSIGNED = 3
"""Up to so many operands all combinations of devices are tried, beyond it each operand alone and all but it."""


class Unfolding(TorchDispatchMode):
    """Notes the operations on several tensors that run within it.

    What CUDA has no kernel for runs as what it is made of there: the operations in it decide about devices.
    """

    def __init__(self) -> None:
        """Note them in `heard`."""
        super().__init__()
        self.heard: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operation, or the composite kernel that stands for it."""
        keywords = kwargs or {}
        if sum(len(tensors_in(value)) for value in (*args, *keywords.values())) > 1:
            schema = func._schema
            name = f"{schema.name.split('::')[-1]}.{schema.overload_name or 'default'}"
            kernel = next((key for key in _COMPOSITE if func.has_kernel_for_dispatch_key(key)), None)
            if kernel is not None and name in composed():
                with self:
                    return func._op_dk(kernel, *args, **keywords)
            self.heard.add(name)
        return func(*args, **keywords)


class Answer(Enum):
    """How a call with operands on two devices ended."""

    RAN = "it ran"
    REFUSED = "it was refused because of the devices"
    FAILED = "it failed for another reason"


@dataclass(frozen=True, slots=True)
class Result:
    """What a call returned.

    ``ranks`` are those of its tensors; ``form`` is "tensor", "tuple", "nothing" (an empty one), "data" (nothing of
    it is a tensor) or "other".
    ``devices`` are the kinds of devices that its tensors are on, ``graphs`` whether they require gradients (None where
    nothing among the arguments did, but they might).
    """

    form: str
    ranks: tuple[int, ...] = ()
    devices: tuple[str, ...] = ()
    graphs: tuple[bool | None, ...] = ()
    is_first: bool = False
    shares: bool = False


@dataclass(frozen=True, slots=True)
class Ran:
    """A call on the host: its arguments, the ranks of its tensors, what it returned.

    ``gradients`` tells that tensors among the arguments required gradients.
    """

    bound: Bound
    ranks: Mapping[str, tuple[int, ...]]
    result: Result
    gradients: bool


@dataclass(frozen=True, slots=True)
class Mixed:
    """A call with some operands on the host and the others on the device, and how it ended."""

    on_host: frozenset[str]
    on_device: frozenset[str]
    ranks: Mapping[str, tuple[int, ...]]
    answer: Answer
    result: Result | None


@dataclass(frozen=True, slots=True)
class Observations:
    """All that was seen of one function.

    ``together`` are the results of calls with all operands on the device, ``operations`` the operations on several
    tensors of which the calls consist, ``varied`` that tensors of other ranks were tried.
    """

    offer: Offer
    ran: tuple[Ran, ...]
    together: tuple[Result, ...]
    mixed: tuple[Mixed, ...]
    operations: frozenset[str]
    varied: bool


def observe(offer: Offer, samples: Samples) -> Observations:
    """Call a function with its samples in many ways; needs the simulated machine in this process."""
    ran: list[Ran] = []
    together: list[Result] = []
    mixed: list[Mixed] = []
    seen: set[str] = set()
    varied = True
    unfolding = Unfolding()
    with warnings.catch_warnings(), unfolding:
        warnings.simplefilter("ignore")
        for sample in samples.of(offer.short):
            bound = bind(offer, sample)
            if bound is None:
                continue
            first = _run_here(offer, bound)
            if first is None:
                continue
            ran.append(first)
            varied = varied and may_have_variants(bound)
            seen.add(bound.sample.kind())
            outcome = call(offer, placed(bound, {}))
            together += [outcome] if isinstance(outcome, Result) else []
            mixed.extend(mixtures(offer, bound))
            for variant in of_other_ranks(bound):
                kind = variant.sample.kind()
                other = _run_here(offer, variant) if kind not in seen else None
                if other is not None:
                    seen.add(kind)
                    ran.append(other)
    return Observations(offer, tuple(ran), tuple(together), tuple(mixed), frozenset(unfolding.heard), varied)


def _ranks(bound: Bound) -> dict[str, tuple[int, ...]]:
    return {name: tuple(each.dim() for each in tensors) for name, tensors in bound.tensors().items()}


def _run_here(offer: Offer, bound: Bound) -> Ran | None:
    """Call on the host, with inputs that require gradients where the function allows it."""
    ranks = _ranks(bound)
    for graph in (True, False):

        def fresh(_: str, tensor: torch.Tensor, graph: bool = graph) -> torch.Tensor:
            made = tensor.detach().clone()
            if graph and may_have_gradients(made):
                return made.requires_grad_().clone()
            return made

        outcome = call(offer, bound.mapped(fresh))
        if isinstance(outcome, Result):
            if outcome.form == "nothing":
                return None
            given = [each for tensors in bound.tensors().values() for each in tensors]
            if not all(each.numel() for each in given):
                outcome = replace(outcome, graphs=())  # of nothing there may be no gradient, either
            known = graph and any(may_have_gradients(each) for each in given)
            return Ran(bound, ranks, outcome, known)
    return None


def placed(bound: Bound, places: Mapping[str, str]) -> Bound:
    """Copies of the tensors, on the device but for those that are given another place."""

    def moved(name: str, tensor: torch.Tensor) -> torch.Tensor:
        copy = tensor.detach().clone()
        return copy.cuda() if places.get(name, DEVICE) == DEVICE else copy

    return bound.mapped(moved)


def call(offer: Offer, bound: Bound) -> Result | Answer:
    """Return what a call gives, or how it failed."""
    arguments, keywords = bound.sample.arguments, dict(bound.sample.keywords)
    try:
        with torch.random.fork_rng(devices=[]):
            result = offer.function()(*arguments, **keywords)
    except Exception as error:  # noqa: BLE001 -- whatever a sample does
        return Answer.REFUSED if is_device_error(error) else Answer.FAILED
    graph = any(each.requires_grad for value in (*arguments, *keywords.values()) for each in tensors_in(value))
    return _described(result, arguments, graph)


def _described(result: Any, arguments: tuple[Any, ...], graph: bool) -> Result:
    tensors = tensors_in(result)
    first = arguments[0] if arguments else None
    if isinstance(result, torch.Tensor):
        form = "tensor" if is_plain(result) else "other"
    elif isinstance(result, list | tuple) and not len(result):
        form = "nothing"
    elif isinstance(result, list | tuple) and tensors:
        form = "tuple" if len(tensors) == len(result) and all(is_plain(each) for each in tensors) else "other"
    elif isinstance(result, bool | int | float | complex | str | None | torch.dtype | torch.Size | list | tuple):
        form = "data"
    else:
        form = "other"
    return Result(
        form,
        tuple(each.dim() for each in tensors),
        tuple(each.device.type for each in tensors),
        tuple(_graph(each, graph) for each in tensors),
        result is first,
        isinstance(first, torch.Tensor) and form == "tensor" and _share(result, first),
    )


def _graph(result: torch.Tensor, given: bool) -> bool | None:
    return result.requires_grad if given or not may_have_gradients(result) else None


def _share(one: torch.Tensor, other: torch.Tensor) -> bool:
    return bool(is_plain(other) and one.untyped_storage()._cdata == other.untyped_storage()._cdata)


def mixtures(offer: Offer, bound: Bound) -> Iterator[Mixed]:
    """Try operands on two devices, as they are and with one of them 0-dim on the host."""
    names = list(bound.tensors())
    if not all(each.numel() for tensors in bound.tensors().values() for each in tensors):
        return  # where there is nothing to compute, some functions compare nothing
    if len(names) < 2:
        yield from _within_a_list(offer, bound, names)
        return
    for on_host in _assignments(names):
        yield _mixed(offer, bound, on_host)
    for name in names:
        scalar = with_a_scalar(bound, name)
        if all(each.dim() for each in bound.tensors()[name]) and _run_here(offer, scalar) is None:
            continue
        yield _mixed(offer, scalar, frozenset([name]))


def with_a_scalar(bound: Bound, name: str) -> Bound:
    """The same call with the first number of a tensor instead of the tensor."""

    def changed(own: str, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.flatten()[0].clone() if own == name and tensor.numel() else tensor

    return bound.mapped(changed)


def _assignments(names: list[str]) -> Iterator[frozenset[str]]:
    if len(names) <= _MOST_ASSIGNED:
        for size in range(1, len(names)):
            yield from map(frozenset, itertools.combinations(names, size))
        return
    for name in names:
        yield frozenset([name])
        yield frozenset(names) - {name}


def _mixed(offer: Offer, bound: Bound, on_host: frozenset[str]) -> Mixed:
    outcome = call(offer, placed(bound, dict.fromkeys(on_host, HOST)))
    ranks = _ranks(bound)
    result = outcome if isinstance(outcome, Result) else None
    answer = Answer.RAN if isinstance(outcome, Result) else outcome
    return Mixed(on_host, frozenset(ranks) - on_host, ranks, answer, result)


def _within_a_list(offer: Offer, bound: Bound, names: list[str]) -> Iterator[Mixed]:
    """Try a list of tensors of which the first, or the last, is on the host."""
    for name in names:
        count = len(bound.tensors()[name])
        for place in {0, count - 1} if count > 1 else ():
            position = itertools.count()

            def moved(_: str, tensor: torch.Tensor, place: int = place, position: Any = position) -> torch.Tensor:
                copy = tensor.detach().clone()
                return copy if next(position) == place else copy.cuda()

            outcome = call(offer, bound.mapped(moved))
            answer = Answer.RAN if isinstance(outcome, Result) else outcome
            result = outcome if isinstance(outcome, Result) else None
            yield Mixed(frozenset([name]), frozenset([name]), _ranks(bound), answer, result)
