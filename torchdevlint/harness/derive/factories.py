"""Rows of what makes a tensor out of sizes and numbers: on the default device, or where another tensor is."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from torchdevlint.harness.derive.observing import DEVICE, HOST
from torchdevlint.harness.derive.samples import is_plain
from torchdevlint.harness.derive.schemas import Overload, Parameter
from torchdevlint.harness.derive.signatures import Offer, offers_of
from torchdevlint.knowledge.rows import Like, Make, RankRule, Row

WINDOWS = "torch.signal.windows"
_TAKEN = frozenset(["dtype", "device"])
"""A factory takes both: `device` alone is a place that something else is done at."""
_SIZES = ((), (2,), (2, 3), (2, 3, 4))
_RANKS = range(4)


@dataclass(frozen=True, slots=True)
class _Made:
    """A call of a factory without the tensor that it may follow, and the rank of what it made."""

    sizes: int | None
    given: int | None
    rank: int


def rows(offers: Iterable[Offer]) -> Iterator[tuple[str, Row]]:
    """Yield the rows of the factories among some functions, and of PyTorch's windows."""
    for offer in itertools.chain(offers, offers_of(WINDOWS)):
        row = _row(offer)
        if row is not None:
            yield offer.name, row


def _row(offer: Offer) -> Row | None:
    overloads = [each for each in offer.overloads if not any("Dimname" in one.type for one in each.parameters)]
    if not overloads or not all(_TAKEN.issubset(one.name for one in each.parameters) for each in overloads):
        return None
    follows = {_operands(each) for each in overloads}
    if follows == {()}:
        return _make(offer, overloads)
    # a second tensor of another overload is read for its number
    following = [each for each in overloads if _operands(each) == ("input",)]
    return _like(offer, following) if following and {each[0] for each in follows if each} == {"input"} else None


def _operands(overload: Overload) -> tuple[str, ...]:
    return tuple(each.name for each in overload.parameters if each.is_tensor or each.is_list)


def _make(offer: Offer, overloads: list[Overload]) -> Make | None:
    made: list[_Made] = []
    for arguments in (each for overload in overloads for each in _arguments(overload)):
        result = _call(offer, arguments)
        if not _is_on(result, HOST) or not _is_on(_call(offer, arguments, device=DEVICE), DEVICE):
            return None
        with torch.device(DEVICE):
            if not _is_on(_call(offer, arguments), DEVICE):
                return None
        made.append(_made(arguments, result))
    rule = _rule(made)
    if rule is not RankRule.SHAPE:
        return None if rule is None else Make(rule)
    place = _place(overloads)
    return None if place is None else Make(shape=place, packed=_packed(offer, overloads, ()))


def _like(offer: Offer, overloads: list[Overload]) -> Like | None:
    made: list[_Made] = []
    for rank in _RANKS:
        host = torch.ones([2] * rank)
        for arguments in (each for overload in overloads for each in _arguments(overload)):
            result = _call(offer, (host, *arguments))
            there = _call(offer, (host.cuda(), *arguments))
            back = _call(offer, (host.cuda(), *arguments), device=HOST)
            if not _is_on(result, HOST) or not _is_on(there, DEVICE) or not _is_on(back, HOST):
                return None
            made.append(_made(arguments, result, rank))
    rule = _rule(made)
    if rule is not RankRule.SHAPE:
        return None if rule is None else Like(rule)
    place = _place(overloads)
    return None if place is None else Like(rule, place, packed=_packed(offer, overloads, (torch.ones(1),)))


def _arguments(overload: Overload) -> Iterator[tuple[Any, ...]]:
    """Yield arguments for the parameters that may be given by position, or nothing where one cannot be made up."""
    wanted = _positional(overload)
    sizes = _SIZES if any(_is_sizes(each) for each in wanted) else ((),)
    for chosen in sizes:
        found = [_argument(each, place, chosen, wanted) for place, each in enumerate(wanted)]
        if None not in found:
            yield tuple(found)


def _positional(overload: Overload) -> list[Parameter]:
    return [each for each in overload.parameters if not each.keyword_only and not each.is_tensor]


def _is_sizes(parameter: Parameter) -> bool:
    return parameter.type in ("SymInt[]", "int[]")


def _argument(parameter: Parameter, place: int, sizes: tuple[int, ...], wanted: list[Parameter]) -> Any:
    match parameter.type:
        case "SymInt[]" | "int[]":
            first = next(each for each in wanted if _is_sizes(each))
            return sizes if parameter is first else tuple(range(len(sizes)))
        case "Scalar" | "SymInt" | "int":
            return place + 2
        case "float" | "float?" | "Scalar?":
            return place + 2.0
        case "bool":
            return True
        case "" if parameter.name == "M":  # what a window has so many of
            return 5
        case _:
            return None


def _call(offer: Offer, arguments: tuple[Any, ...], **options: Any) -> Any:
    try:
        return offer.function()(*arguments, **options)
    except (IndexError, RuntimeError, TypeError, ValueError):
        return None


def _is_on(result: Any, device: str) -> bool:
    return is_plain(result) and result.device.type == device


def _made(arguments: tuple[Any, ...], result: torch.Tensor, given: int | None = None) -> _Made:
    sizes = next((len(each) for each in arguments if isinstance(each, tuple)), None)
    return _Made(sizes, given, result.dim())


def _rule(made: list[_Made]) -> RankRule | None:
    """Return the rule that all calls confirm, None where there is none or there were no calls."""
    ranks = {each.rank for each in made}
    if not made:
        return None
    if all(each.rank == each.sizes for each in made):
        return RankRule.SHAPE
    if all(each.rank == each.given for each in made):
        return RankRule.SAME
    if ranks <= {0, 1} and len(ranks) == 1:
        return RankRule.ONE if ranks == {1} else RankRule.SCALAR
    return RankRule.VECTOR if 0 not in ranks else None


def _place(overloads: list[Overload]) -> int | None:
    """Return where the sizes stand: at one place, or (-1) always at the end; None where neither is so."""
    places = {next(n for n, each in enumerate(_positional(one)) if _is_sizes(each)) for one in overloads}
    if len(places) == 1:
        return places.pop()
    return -1 if all(_is_sizes(_positional(one)[-1]) for one in overloads) else None


def _packed(offer: Offer, overloads: list[Overload], first: tuple[Any, ...]) -> bool:
    """Tell whether sizes have to be a sequence, as they have where they may not be spread."""
    others = [len(_positional(one)) - 1 for one in overloads]
    return any(others) or not is_plain(_call(offer, (*first, *_SIZES[-1])))
