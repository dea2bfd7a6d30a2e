"""The rank of a result: what the sizes, dimensions and operands of a call say about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.interpreter import iteration
from torchdevlint.knowledge.rows import RankRule
from torchdevlint.values import (
    ANY_RANK,
    SCALAR,
    Const,
    Container,
    Flag,
    Rank,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


def made(run: Run, rule: RankRule, shape: int, packed: bool, call: Call) -> Rank:
    """Return the rank of a tensor that a factory makes."""
    match rule:
        case RankRule.ONE:
            return (1, 1)
        case RankRule.VECTOR:
            return (1, None)
        case RankRule.SCALAR:
            return SCALAR
        case RankRule.SHAPE:
            return _shape_rank(run, shape, packed, call)
        case _:
            return ANY_RANK


def _shape_rank(run: Run, shape: int, packed: bool, call: Call) -> Rank:
    """Return the rank that the sizes of a call name; sizes that cannot be counted are at least one."""
    keyword = call.keywords.get("size")
    sizes = [keyword] if keyword is not None else call.arguments[shape:] if shape >= 0 else call.arguments[-1:]
    if packed and keyword is None:
        sizes = sizes[:1]
    if call.open or not sizes:
        return (1, None)
    if len(sizes) == 1:
        value = sizes[0].value
        known = iteration.elements(run, value)
        if isinstance(value, Container):
            return (len(known), len(known)) if known is not None else (1, None)
        return (1, 1) if isinstance(value, Const) and not packed else (1, None)
    return (len(sizes), len(sizes))


def of_data(run: Run, value: Value) -> Rank:
    """Return the rank of a tensor made of nested Python data."""
    match value:
        case Const() | Flag():
            return SCALAR
        case Tensor():
            return value.rank
        case Container():
            inner = run.items(value).any()
            if inner is None:
                return (1, 1)
            low, high = of_data(run, inner)
            return (low + 1, None if high is None else high + 1)
        case _:
            return ANY_RANK


def sizes_of(run: Run, call: Call | None) -> Rank:
    """Return the rank of a view with the sizes of a call; sizes that cannot be counted are at least one."""
    if call is None or call.open:
        return (1, None)
    sizes = call.arguments if _is_method(call) else call.arguments[1:]
    if len(sizes) > 1:
        return (len(sizes), len(sizes))
    known = iteration.elements(run, sizes[0].value) if sizes else None
    if known is not None:
        return (len(known), len(known))
    return (1, 1) if sizes and isinstance(sizes[0].value, Const) else (1, None)


def _is_method(call: Call) -> bool:
    """Tell whether a call is one of a method: then its receiver is not among its arguments."""
    return "." not in call.text and isinstance(call.node, cst.Call) and isinstance(call.node.func, cst.Attribute)


def following(run: Run, rule: RankRule, rank: Rank, call: Call | None) -> Rank:
    """Return the rank of the result of an operation on one tensor."""
    low, high = rank
    match rule:
        case RankRule.SAME:
            return rank
        case RankRule.SCALAR:
            return SCALAR
        case RankRule.ONE:
            return (1, 1)
        case RankRule.VECTOR:
            return (1, None)
        case RankRule.PLUS_ONE:
            return (low + 1, None if high is None else high + 1)
        case RankRule.MINUS_ONE:
            return (max(low - 1, 0), None if high is None else max(high - 1, 0))
        case RankRule.LESS:
            return (max(low - 1, 0), high)
        case RankRule.MORE:
            return (low, None)
        case RankRule.REDUCE | RankRule.REDUCE_LATE if call is not None:
            return _reduced(run, rank, call, 1 if rule is RankRule.REDUCE else 2)
        case _:
            return ANY_RANK


def _reduced(run: Run, rank: Rank, call: Call, keepdim: int) -> Rank:
    """Return the rank after a reduction: 0 of everything, less by the number of dimensions, the same with keepdim.

    ``keepdim`` is its place among the arguments after the tensor.
    """
    low, high = rank
    given = call.arguments if _is_method(call) else call.arguments[1:]
    dim = call.keywords.get("dim") or call.keywords.get("axis") or (given[0] if given else None)
    keep = call.keywords.get("keepdim") or (given[keepdim] if len(given) > keepdim else None)
    if keep is not None and keep.value == Const(True):
        return rank
    if dim is None or (isinstance(dim.value, Const) and isinstance(dim.value.value, bool | None)):
        return (0, high) if call.open or keep is not None else SCALAR
    known = iteration.elements(run, dim.value)
    if (known is None and not isinstance(dim.value, Const)) or known == []:
        return (0, high)  # dimensions that cannot be counted; none at all may mean each of them
    count = len(known) if known is not None else 1
    low = max(low, *map(_needed, known if known is not None else [dim.value]))
    kept = high if keep is not None or high is None else max(high - count, 0)
    return (max(low - count, 0), kept)


def _needed(dim: Value) -> int:
    """Return how many dimensions a tensor has at least of which one is named; a scalar has a first and last one."""
    number = dim.value if isinstance(dim, Const) and type(dim.value) is int else 0
    return number + 1 if number > 0 else -number if number < -1 else 0


def combined(run: Run, rule: RankRule, tensors: Sequence[Tensor]) -> Rank:
    """Return the rank of the result of a combination of tensors."""
    match rule:
        case RankRule.BROADCAST:
            if not tensors:
                return ANY_RANK
            low = max(t.rank[0] for t in tensors)
            highs = [t.rank[1] for t in tensors]
            return (low, None if None in highs else max(h for h in highs if h is not None))
        case RankRule.LAST:
            return tensors[-1].rank if tensors else ANY_RANK
        case RankRule.PRODUCT:
            # Of a vector and a matrix one dimension is left, of vectors none.
            lows = sorted(t.rank[0] for t in tensors[:2])
            return (0, None) if len(lows) < 2 or lows[1] < 2 else (lows[1] - (lows[0] < 2), None)
        case _:
            return following(run, rule, tensors[0].rank if tensors else ANY_RANK, None)


def indexed(base: Tensor, indices: Sequence[tuple[cst.CSTNode, Value | None]]) -> Tensor:
    """Return the result of indexing a tensor: integers lower the rank, None raises it, slices keep it."""
    low, high = base.rank
    beside = False  # another tensor that indexes: both are one index
    for node, value in indices:
        if value is None or isinstance(node, cst.Ellipsis):
            continue
        match value:
            case Const(value=None):
                low, high = low + 1, None if high is None else high + 1
            case Const():
                low, high = max(low - 1, 0), None if high is None else max(high - 1, 0)
            case Container(kind="tuple"):
                low = 0  # it may index every dimension
            case Tensor(rank=(1, 1)) if not beside:
                low, beside = (
                    max(low, 1),
                    True,
                )  # numbers put their one dimension in the place of another, and so does a mask
            case Tensor(rank=(least, _)) if least and not beside:
                low, high, beside = 1, None, True
            case _:
                low, high, beside = max(low - 1, 0), None, True
    return Tensor(base.placement, (low, high), base.graph)
