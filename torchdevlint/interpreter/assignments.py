"""Assignments: their targets are bound, and what adds to a total or starts it anew is noted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from torchdevlint import transfers
from torchdevlint.interpreter import conditions, expressions, iteration, pace, tallies, targets, uncalled
from torchdevlint.interpreter.run import Run
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import ITEMS, Items
from torchdevlint.values import UNKNOWN, Container, Module, Opaque, Tensor, Value

_Terms: TypeAlias = "tuple[tuple[cst.BaseExpression, Value], ...]"
"""Expressions that are added up, each with its value."""


def assign(run: Run, node: cst.Assign) -> None:
    """Bind the targets of ``a = b = value``."""
    value, terms = _evaluated(run, node)
    _show(run, node, value)
    if isinstance(value, Opaque) and value.key in run.guard_marks and run.frame is run.top and _is_mark(node):
        run.guarded += 1
    for target in node.targets:
        pace.named(run, target.target, node.value)
        value = uncalled.rebound(run, target.target, node.value, value)
        if type(node.value) is cst.BinaryOperation and _adds_to(node.value, target.target):
            value = _tally(run, node, target.target, terms, value)
        else:
            _reset(run, target.target)
        targets.assign(run, target.target, value, node)


def _show(run: Run, node: cst.CSTNode, value: Value) -> None:
    if run.probe is not None:
        run.probe(run, node, value)


def _is_mark(node: cst.Assign) -> bool:
    """Tell whether an assignment marks all tests of a file (pytest's own name for it)."""
    return any(type(t.target) is cst.Name and t.target.value == "pytestmark" for t in node.targets)


def _evaluated(run: Run, node: cst.Assign) -> tuple[Value, _Terms]:
    """Return the value of an assignment; of ``total = total + …`` both terms too, each with its value."""
    sum_ = node.value
    if type(sum_) is not cst.BinaryOperation or not any(_adds_to(sum_, target.target) for target in node.targets):
        return expressions.evaluate(run, sum_), ()
    left, right = expressions.evaluate(run, sum_.left), expressions.evaluate(run, sum_.right)
    return expressions.binary(run, sum_, left, right), ((sum_.left, left), (sum_.right, right))


def _adds_to(operation: cst.BinaryOperation, target: cst.BaseExpression) -> bool:
    """Tell whether an assignment is ``total = total + …`` or a moving average of itself and something."""
    wanted = text_of(target)
    if type(operation.operator) is not cst.Add or wanted == "…":
        return False
    return any(text_of(part) == wanted for part in _terms(operation.left)) or (
        text_of(operation.right) == wanted and isinstance(operation.left, cst.Name | cst.Attribute)
    )


def _terms(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield a term and, of a product, its factors."""
    yield node
    if type(node) is cst.BinaryOperation and type(node.operator) is cst.Multiply:
        yield node.left
        yield node.right


def _tally(run: Run, node: cst.Assign, target: cst.BaseExpression, terms: _Terms, whole: Value) -> Value:
    """Return the sum of ``total = total + addend``, which a loop may carry onward."""
    addend, value = terms[0] if text_of(terms[1][0]) == text_of(target) else terms[1]
    slot = conditions.slot_of(run, target)
    before = run.store.value(*slot) if slot is not None else None
    if before is None:
        return whole
    return _carried(run, node, target, before, addend, value, whole)


def _carried(
    run: Run,
    node: cst.Assign | cst.AugAssign,
    target: cst.BaseExpression,
    before: Value,
    addend: cst.BaseExpression,
    value: Value,
    whole: Value,
) -> Value:
    """Record that a loop adds to a total; the total carries the key of the accumulation onward."""
    slot = conditions.slot_of(run, target)
    loop = tallies.around(run, slot)
    if slot is None or loop is None or run.reset_in.get(slot) is loop.node:
        return whole
    if run.frame.loops:
        pace.counted(run, addend, text_of(target))
    else:
        pace.counted_by_method(run, addend)
    key = tallies.added(run, node, text_of(target), before, addend, value, slot)
    if not key:
        return whole
    base = whole if isinstance(whole, Tensor) else Tensor()
    return Tensor(base.placement, base.rank, base.graph, tallies=base.tallies | {key}, number=base.number)


def _reset(run: Run, target: cst.BaseExpression) -> None:
    """Note the loop in which a variable gets a value of its own, not one added to what it was."""
    if type(target) is cst.Name or type(target) is cst.Attribute:
        slot = conditions.slot_of(run, target)
        if slot is not None:
            run.reset_in[slot] = run.frame.loop
    elif type(target) is cst.Tuple or type(target) is cst.List:
        for element in target.elements:
            _reset(run, element.value)


def annotated(run: Run, node: cst.AnnAssign) -> None:
    """Bind the target of ``name: annotation = value``; a declaration without a value binds nothing."""
    if node.value is not None:
        _reset(run, node.target)
        value = expressions.evaluate(run, node.value)
        _show(run, node, value)
        targets.assign(run, node.target, value, node)


def augmented(run: Run, node: cst.AugAssign) -> None:
    """Bind the target of ``total += value``: an operation in place for tensors, growth for lists."""
    before = expressions.evaluate(run, node.target)
    value = expressions.evaluate(run, node.value)
    result = transfers.operate(run, transfers.IN_PLACE, node, ((node.target, before), (node.value, value)))
    if isinstance(before, Container):
        _extended(run, node, before, value)
        return
    if isinstance(before, Tensor) and isinstance(result, Tensor):
        result = replace(result, held=before.held)  # the same object, which its module still holds
    if type(node.operator) is cst.AddAssign:
        result = _carried(run, node, node.target, before, node.value, value, result)
    _show(run, node, result)
    targets.assign(run, node.target, result, node)


def _extended(run: Run, node: cst.AugAssign, before: Container, value: Value) -> None:
    """``losses += [loss]``: the list itself grows."""
    if before.kind == "dict":
        added = run.items(value) if isinstance(value, Container) else Items(lost=True)
        run.store.set(before.key, ITEMS, iteration.merged(run.items(before), added))
        return
    for item in iteration.parts(run, value, node):
        total = text_of(node.target)
        tallies.kept(run, before, node, node.value, item, total)
        iteration.add_item(run, before, pace.gathered(run, before, node, node.value, item, total))


def delete(run: Run, node: cst.Del) -> None:
    """Forget the names and elements of ``del``."""
    several = node.target.elements if type(node.target) is cst.Tuple else ()
    for target in (*(element.value for element in several), node.target):
        if type(target) is cst.Name:
            run.store.set(run.owner_of(target.value), target.value, UNKNOWN)
        elif type(target) is cst.Subscript:
            base = expressions.evaluate(run, target.value)
            if isinstance(base, Container | Module):
                items = run.items(base)
                run.store.set(base.key, ITEMS, Items((), items.any(), items.lost))
