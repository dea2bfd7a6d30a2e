"""Whether two tensors are in one place: what a comparison of their devices or types says, and what it tells."""

from __future__ import annotations

import libcst as cst

from torchdevlint import lattice
from torchdevlint.interpreter import conditions, expressions
from torchdevlint.interpreter.guards import ALWAYS_FALSE, ALWAYS_TRUE, Test
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import DeviceType, Follow, Move, MoveKind
from torchdevlint.lattice import Answer, Condition
from torchdevlint.records import replace
from torchdevlint.values import Device, Form, Opaque, Tensor, Value

_OWN = (Form.ASKED, Form.TYPE)


def compared(left: Value, right: Value) -> Test | None:
    """Test whether two devices are equal, one of them that of a tensor; None where that is not known.

    Types in one place may still differ, types in different places always do.
    """
    if not isinstance(left, Device) or not isinstance(right, Device) or not {left.form, right.form} & {*_OWN}:
        return None
    same: list[Condition] = []
    apart: list[Condition] = []
    for ours in lattice.expanded(left.placement, lattice.NO_FACTS):
        for theirs in lattice.expanded(right.placement, lattice.NO_FACTS):
            if not lattice.compatible(ours.condition, theirs.condition):
                continue
            answer = lattice.compare(ours.device, theirs.device)
            if answer is Answer.UNKNOWN:
                return None
            (same if answer is Answer.SAME else apart).append(ours.condition | theirs.condition)
    if apart and not same:
        return ALWAYS_FALSE
    if Form.TYPE in (left.form, right.form) or not same:
        return None
    if not apart:
        return ALWAYS_TRUE
    return Test(same[0], apart[0]) if len(same) == len(apart) == 1 else None


def narrow(run: Run, node: cst.Comparison) -> None:
    """Bind what it tells that two tensors are in one place: what is on the host is where the other one is."""
    right = node.comparisons[0].comparator
    if compared(expressions.evaluate(run, node.left), expressions.evaluate(run, right)) is not None:
        return  # the outcome has a condition, which says so already
    sides = (_whose(run, node.left), _whose(run, right))
    for mine, other in (sides, sides[::-1]):
        if mine is None or other is None:
            continue
        slot = conditions.slot_of(run, mine)
        value = run.store.value(*slot) if slot is not None else None
        there = run.placement_of(expressions.evaluate(run, other))
        if slot is None or not isinstance(value, Tensor | Opaque) or there == lattice.ANY:
            continue
        if all(lattice.is_host(p.device) for p in run.placement_of(value)):
            run.store.set(*slot, replace(value, placement=there))
            return


def _whose(run: Run, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return the expression of the tensor whose device or type another one asks for, without what has the same."""
    match node:
        case cst.Attribute() if isinstance(run.knowledge.tensor_attributes.get(node.attr.value), DeviceType):
            owner = node.value
        case cst.Call(func=cst.Attribute() as func, args=()) if _names_type(run, func):
            owner = func.value
        case _:
            return None
    while isinstance(owner, cst.Attribute) and isinstance(
        run.knowledge.tensor_attributes.get(owner.attr.value), Follow
    ):
        owner = owner.value
    return owner


def _names_type(run: Run, func: cst.Attribute) -> bool:
    row = run.knowledge.tensor.get(func.attr.value)
    return isinstance(row, Move) and row.kind is MoveKind.TYPE
