"""Running totals: tensors that a loop adds to a variable or container that outlives it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.events import Tallied
from torchdevlint.interpreter import conditions, expressions, pace
from torchdevlint.interpreter.frames import Loop
from torchdevlint.interpreter.run import Run
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.values import UNKNOWN, Const, Container, Device, Instance, Opaque, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


def _key(run: Run, node: cst.CSTNode) -> int:
    """Return the key of the accumulation that a statement makes, the same at every pass over it."""
    return run.tally_keys.setdefault(node, run.new_key())


def _may_carry_graph(run: Run, value: Value) -> bool:
    if run.no_grad:
        return False
    if isinstance(value, Tensor):
        return value.graph is not False
    return isinstance(value, Opaque) and not value.source


def around(run: Run, slot: tuple[int, str] | None) -> Loop | None:
    """Return the loop in which a total grows: of the running scope, or of who calls a method of an older object."""
    frame = run.frame
    if frame.loops:
        return frame.loops[-1]
    if slot is None or frame.caller is None or not frame.caller.loops or not isinstance(frame.receiver, Instance):
        return None
    loop = frame.caller.loops[-1]
    return loop if slot[0] == frame.receiver.key < loop.born else None


def _terms(node: cst.CSTNode) -> Iterator[cst.Name]:
    """Yield the names that an expression reckons with themselves: of `loss.item() * size` only the size."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case cst.BinaryOperation(left=left, right=right):
                waiting += [left, right]
            case cst.Name() as name:
                yield name


def _at_call(run: Run, call: Call, event: Tallied, added: cst.CSTNode) -> Tallied:
    """Return what a method adds to its object's total as its caller sees it: ``meter.update(loss)``."""
    may = [argument for argument in call.values() if _may_carry_graph(run, argument.value)]
    if event.graph is None:  # which it may have from what it is reckoned from
        terms = [expressions.evaluate(run, name) for name in _terms(added)]
        may = [argument for argument in may if argument.value in terms]
    given = may[0] if may else None
    function = call.node.func if isinstance(call.node, cst.Call) else None
    total = text_of(function.value) if isinstance(function, cst.Attribute) else call.text
    frame, caller = run.frame, run.frame.caller
    if given is None:
        return event
    assert caller is not None
    run.frame = caller
    slot = conditions.slot_of(run, given.node)
    run.frame = frame
    return replace(event, node=call.node, total=total, text=text_of(given.node), slot=slot)


def emit(
    run: Run,
    node: cst.CSTNode,
    added: cst.CSTNode,
    value: Value,
    total: str,
    slot: tuple[int, str] | None = None,
    home: cst.CSTNode | None = None,
) -> int:
    """Record an accumulation in a loop; return its key, or 0 where there is none."""
    loop = around(run, slot)
    if run.frame.in_module or loop is None or not _may_carry_graph(run, value) or run.frame.decorated_unseen:
        return 0
    if any(truth and " == " in guard and "%" not in guard for guard, truth in run.world - loop.world):
        return 0  # kept at one step only
    symbolic = run.frame.receiver if run.frame.caller is None else None
    if isinstance(symbolic, Instance) and symbolic.cls.key in run.derived and _is_attribute(total):
        return 0  # a class that is derived from this one may use what it gathers
    call = None if run.frame.loops else run.frame.call
    key = _key(run, node if call is None else call.node)
    if slot is not None:
        loop.totals.append((key, slot))
        if slot in run.numbers:
            run.kept_totals.add(key)
    event = Tallied(
        node,
        run.world,
        key,
        text_of(added),
        total,
        value.graph if isinstance(value, Tensor) else None,
        value.key if isinstance(value, Opaque) else 0,
        loop.node,
        conditions.slot_of(run, added),
        slot[1] if slot is not None and slot in run.numbers else "",
        home if slot is None else run.reset_in.get(slot),
    )
    if not loop.first:  # what is done at the first pass only is no accumulation
        run.emit(event if call is None else _at_call(run, call, event, added))
    return key


def _is_attribute(total: str) -> bool:
    return "." in total


def added(
    run: Run,
    node: cst.CSTNode,
    target: str,
    before: Value,
    addend: cst.CSTNode,
    value: Value,
    slot: tuple[int, str],
) -> int:
    """Handle ``total += value``: an accumulation where the total was a number or a total before the loop."""
    starts_plain = isinstance(before, Const | Device) or (
        isinstance(before, Tensor) and bool(before.tallies or before.number)
    )
    starts_plain = starts_plain or (before == UNKNOWN and slot in run.numbers)
    if isinstance(before, Const) and "." in target:
        run.numbers.add(slot)
    starts_tensor = isinstance(before, Tensor) and before.graph is False and isinstance(node, cst.AugAssign)
    if not (starts_plain or starts_tensor):
        return 0
    return emit(run, node, addend, value, target, slot)


def dropped(run: Run, loop: Loop) -> None:
    """At the end of a loop's body: a total that holds another value by now was not carried on."""
    for key, slot in loop.totals:
        value = run.store.value(*slot)
        if (isinstance(value, Tensor) and key not in value.tallies) or isinstance(value, Const | Opaque):
            run.facts.consumed.add(key)


def appended(run: Run, receiver: Container, made: Call) -> None:
    """Handle ``losses.append(value)`` in a loop that the container outlives."""
    argument = made.arguments[-1]
    pace.counted(run, argument.node, made.receiver, only_numbers=True)
    kept(run, receiver, made.node, argument.node, argument.value, made.receiver)


def kept(run: Run, receiver: Container, node: cst.CSTNode, added_node: cst.CSTNode, value: Value, total: str) -> None:
    """Handle a 0-dim tensor with a graph that goes into a container which outlives the loop."""
    if not isinstance(value, Tensor) or value.rank != (0, 0) or receiver.key in run.bounded:
        return
    if run.frame.loops and run.container_loops.get(receiver.key) is run.frame.loops[-1].node:
        return
    key = emit(run, node, added_node, value, total, home=run.container_loops.get(receiver.key))
    if key:
        run.tallies.setdefault(receiver.key, set()).add(key)
