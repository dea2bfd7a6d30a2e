"""The join of abstract values: what may be either of two, each under its condition."""

from __future__ import annotations

from collections.abc import Iterable

from torchdevlint import lattice
from torchdevlint.lattice import ALWAYS, Condition, Placement
from torchdevlint.records import replace
from torchdevlint.values import (
    SCALAR,
    UNKNOWN,
    Choice,
    Const,
    Device,
    Flag,
    Form,
    Gathered,
    Holder,
    Module,
    Opaque,
    Tensor,
    Unknown,
    Value,
    options,
)

MAX_OPTIONS = 4
MAX_MODULES = 16
"""How many modules a value may be one of: the layers that a loop puts into a list, of two passes."""


def join_placements(first: Placement, first_if: Condition, second: Placement, second_if: Condition) -> Placement:
    """Join two placements, each under its branch's condition; what both share keeps its own condition."""
    if first == second:
        return first
    shared = first & second
    return lattice.join(
        frozenset(shared),
        lattice.join(lattice.under(first - shared, first_if), lattice.under(second - shared, second_if)),
    )


def join(first: Value, second: Value, first_if: Condition = ALWAYS, second_if: Condition = ALWAYS) -> Value:
    """Return what may be either of two values, each under its condition."""
    if first is second or first == second:
        return first
    match first, second:
        case Opaque(), Opaque() if first.key == second.key or (
            first.placement != lattice.ANY != second.placement and not (first.parameter and second.parameter)
        ):
            # Two values whose places are known are one value for all that follows; whose identity, is no matter.
            placement = join_placements(first.placement, first_if, second.placement, second_if)
            return replace(first, placement=placement)
        case Unknown(), _:
            return _with_unknown(second, second_if)
        case _, Unknown():
            return _with_unknown(first, first_if)
        case Tensor(), Tensor():
            return join_tensors(first, second, first_if, second_if)
        case (Const(value=int() | float()), Tensor()) if second.tallies:
            return _total(second, second_if)
        case (Tensor(), Const(value=int() | float())) if first.tallies:
            return _total(first, first_if)
        case Tensor(), Opaque():
            return join_tensors(first, Tensor(placement=second.placement, held=first.held), first_if, second_if)
        case Opaque(), Tensor():
            return join_tensors(Tensor(placement=first.placement, held=second.held), second, first_if, second_if)
        case Device(), Device():
            placement = join_placements(first.placement, first_if, second.placement, second_if)
            form = first.form if first.form is second.form and first.proof == second.proof else Form.UNKNOWN
            return Device(placement, None, form=form, proof=first.proof)
        case Const(), Const() if isinstance(first.value, bool) and isinstance(second.value, bool):
            # One is true and the other false: the value is the branch's own condition, and unknown where that is.
            if not first_if and not second_if:
                return UNKNOWN
            return Flag(first_if, second_if) if first.value else Flag(second_if, first_if)
        case _:
            return _choose(first, second, first_if, second_if)


def join_all(parts: Iterable[tuple[Value, Condition]]) -> Value:
    """Return what may be any of several values, each under its condition; Unknown where there is none."""
    joined: Value | None = None
    joined_if = ALWAYS
    for value, condition in parts:
        if joined is None:
            joined, joined_if = value, condition
        else:
            joined = join(joined, value, joined_if, condition)
            joined_if = ALWAYS
    return UNKNOWN if joined is None else joined


def _with_unknown(value: Value, condition: Condition) -> Value:
    """Return a value that is unknown on the other way: a tensor stays one that may be anywhere."""
    if isinstance(value, Tensor):
        return Tensor(lattice.join(lattice.under(value.placement, condition), lattice.ANY), graph=value.graph)
    return UNKNOWN


def _total(value: Tensor, condition: Condition) -> Tensor:
    """Return a total to which something is added in one way, and which is the number it began with in the other."""
    placement = lattice.join(lattice.under(value.placement, condition), lattice.ANY)
    return replace(value, placement=placement, number=True)


def _choose(first: Value, second: Value, first_if: Condition, second_if: Condition) -> Value:
    """Keep two values of different kinds apart, up to `MAX_OPTIONS`."""
    kept: list[tuple[Value, Condition]] = []
    for value, condition in (
        *((v, c | first_if) for v, c in options(first)),
        *((v, c | second_if) for v, c in options(second)),
    ):
        for index, (other, other_if) in enumerate(kept):
            if other == value:
                kept[index] = (other, other_if & condition)
                break
        else:
            kept.append((value, condition))
    most = MAX_MODULES if all(isinstance(value, Module) for value, _ in kept) else MAX_OPTIONS
    return Choice(tuple(kept)) if len(kept) <= most else UNKNOWN


def join_tensors(first: Tensor, second: Tensor, first_if: Condition = ALWAYS, second_if: Condition = ALWAYS) -> Tensor:
    """Join two tensors: placements under their conditions, ranks to the interval that holds both.

    A host scalar that becomes something else on another way (``out = torch.tensor(0.)``, then a sum in a loop) is
    a start value: that it is on the host shows nothing about what it becomes.
    """
    first, second = _as_start(first, second), _as_start(second, first)
    high = None if first.rank[1] is None or second.rank[1] is None else max(first.rank[1], second.rank[1])
    return Tensor(
        placement=join_placements(first.placement, first_if, second.placement, second_if),
        rank=(min(first.rank[0], second.rank[0]), high),
        graph=first.graph if first.graph == second.graph else (True if True in (first.graph, second.graph) else None),
        held=first.held if Holder.NONE is not first.held and second.held is not Holder.NONE else Holder.NONE,
        leaf=first.leaf and second.leaf,
        tallies=first.tallies | second.tallies,
        number=first.number or second.number,
        unleafed=first.unleafed or second.unleafed,
        empty=first.empty and second.empty,
        gathered=_join_gathered(first.gathered, second.gathered, first_if, second_if),
        kept=first.kept | second.kept,
    )


def _join_gathered(
    first: Gathered | None, second: Gathered | None, first_if: Condition, second_if: Condition
) -> Gathered | None:
    """Return what is so of one of two tensors, under its condition; nothing if that never holds."""
    if first is not None and second is not None:
        return first
    known, condition = (second, second_if) if first is None else (first, first_if)
    if known is None or not condition or not lattice.compatible(known.condition, condition):
        return None
    return replace(known, condition=known.condition | condition)


def _as_start(tensor: Tensor, other: Tensor) -> Tensor:
    """Return a host scalar without its reason where the other tensor may be no scalar, anything else as it is."""
    if tensor.rank != SCALAR or other.rank == SCALAR or not all(lattice.is_host(p.device) for p in tensor.placement):
        return tensor
    return replace(tensor, placement=frozenset(replace(p, why=None) for p in tensor.placement))
