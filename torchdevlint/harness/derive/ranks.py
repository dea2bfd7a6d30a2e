"""The rank rule that holds for all calls of a function that were seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from torchdevlint.harness.derive.observing import Observations, Ran
from torchdevlint.knowledge.rows import RankRule

_NARROWEST_FIRST = (
    RankRule.SCALAR,
    RankRule.ONE,
    RankRule.SAME,
    RankRule.BROADCAST,
    RankRule.PLUS_ONE,
    RankRule.MINUS_ONE,
    RankRule.REDUCE,
    RankRule.REDUCE_LATE,
    RankRule.SIZES,
    RankRule.VECTOR,
    RankRule.LAST,
    RankRule.LESS,
    RankRule.MORE,
    RankRule.PRODUCT,
)
_OF_ONE_TENSOR = frozenset([RankRule.MINUS_ONE, RankRule.REDUCE, RankRule.REDUCE_LATE, RankRule.SIZES])
_KEEPDIM = {RankRule.REDUCE: 2, RankRule.REDUCE_LATE: 3}


def rule_of(seen: Observations, operands: Sequence[str], following: bool) -> RankRule:
    """Return the narrowest rule that holds for every result of every call.

    ``operands`` are the tensor parameters that the row names, in its order; ``following`` tells that the row is one
    of an operation on a single tensor, which knows rules of its own. Of a combination it is that of the first result.
    """
    in_place = all(ran.result.is_first for ran in seen.ran)
    results = [(ran, rank) for ran in seen.ran for rank in (ran.result.ranks if following else ran.result.ranks[:1])]
    held = [
        rule
        for rule in _NARROWEST_FIRST
        if not _is_out_of_place(rule, seen, operands, following)
        and (seen.varied or (in_place and rule is RankRule.SAME))
        and all(_holds(rule, ran, rank, operands) for ran, rank in results)
    ]
    fixed = len({rank for _, rank in results}) == 1
    if fixed and not in_place and RankRule.VECTOR in held:
        return RankRule.ONE if RankRule.ONE in held else RankRule.VECTOR  # it does not depend on what is known
    return held[0] if held else RankRule.UNKNOWN


def _is_out_of_place(rule: RankRule, seen: Observations, operands: Sequence[str], following: bool) -> bool:
    """Whether a rule says nothing about such a row, or might hold for these calls alone."""
    if rule in (RankRule.BROADCAST, RankRule.LAST, RankRule.PRODUCT):
        return following or len(operands) < 2
    if rule is RankRule.LESS:
        return not any(parameter.name == "dim" and parameter.type == "int" for _, parameter in seen.offer.parameters())
    if rule in _KEEPDIM and not _may_reduce(seen, _KEEPDIM[rule]):
        return True
    if rule is RankRule.VECTOR:  # of sizes there may be none at all
        return any(re.fullmatch(r"(Sym)?[iI]nt\[\]\??", parameter.type) for _, parameter in seen.offer.parameters())
    return rule in _OF_ONE_TENSOR and not following


def _may_reduce(seen: Observations, keepdim: int) -> bool:
    """Whether `dim` and `keepdim` stand where the interpreter looks for them, or are given by keyword."""
    places = {"dim": 1, "axis": 1, "keepdim": keepdim}
    parameters = list(seen.offer.parameters())
    return any(parameter.name == "dim" for _, parameter in parameters) and all(
        parameter.keyword_only or places.get(parameter.name, position) == position for position, parameter in parameters
    )


def _holds(rule: RankRule, ran: Ran, rank: int, operands: Sequence[str]) -> bool:
    """Whether a rule gives the rank of a result."""
    ranks = list(chain.from_iterable(ran.ranks.get(name, ()) for name in operands))
    match rule:
        case RankRule.SCALAR:
            return rank == 0
        case RankRule.ONE:
            return rank == 1
        case RankRule.VECTOR:
            return rank >= 1
        case RankRule.BROADCAST:
            return rank == max(ranks, default=-1)
        case RankRule.LAST:
            return bool(ranks) and rank == ranks[-1]
        case RankRule.PRODUCT:
            return len(ranks) > 1 and _is_of_a_product(ranks, rank)
        case RankRule.SIZES:
            return _has_the_sizes(ran, rank)
        case RankRule.REDUCE | RankRule.REDUCE_LATE:
            return _reduces(ran, rank)
    first = next(iter(ran.ranks.get(operands[0], ())), None)
    if first is None:
        return False
    if rule is RankRule.LESS:
        return max(first - 1, 0) <= rank <= first
    if rule is RankRule.MORE:
        return rank >= first
    return rank == {RankRule.SAME: first, RankRule.PLUS_ONE: first + 1, RankRule.MINUS_ONE: max(first - 1, 0)}[rule]


def _is_of_a_product(ranks: Sequence[int], rank: int) -> bool:
    """Whether a rank is that of a product: of a vector and a matrix one dimension is left, of vectors none."""
    low, high = sorted(ranks[:2])
    return high < 2 or rank >= high - (low < 2)


def _reduces(ran: Ran, rank: int) -> bool:
    whole = next(iter(ran.ranks.values()))[0]
    dim = ran.bound.get("dim")
    if ran.bound.get("keepdim"):
        return rank == whole
    if dim is None:
        return rank == 0
    count = len(dim) if isinstance(dim, list | tuple) else 1
    return count == 0 or rank == max(whole - count, 0)


def _has_the_sizes(ran: Ran, rank: int) -> bool:
    given = ran.bound.sample.arguments[1:]
    if len(given) == 1 and isinstance(given[0], list | tuple):
        return rank == len(given[0])
    return bool(given) and rank == len(given)
