"""Statements: branches as layers of writes, loops run twice, early exits that carry their guard onward."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum

import libcst as cst

from torchdevlint import transfers
from torchdevlint.interpreter import (
    calls,
    classes,
    conditions,
    definitions,
    expressions,
    iteration,
    loops,
    tallies,
    targets,
)
from torchdevlint.interpreter.run import Run
from torchdevlint.lattice import ALWAYS
from torchdevlint.names import operator_text, text_of
from torchdevlint.state import ITEMS, Branch, Items
from torchdevlint.values import NONE, UNKNOWN, Container, Opaque, Tensor, Value


class Flow(Enum):
    """Whether the statement after this one is reached."""

    NEXT = "next"
    LEFT = "left"


def block(run: Run, suite: cst.BaseSuite) -> Flow:
    """Run the statements of a suite in order until one of them leaves it."""
    return run_all(run, suite.body)


def run_all(run: Run, body: Iterable[cst.BaseStatement | cst.BaseSmallStatement]) -> Flow:
    """Run the statements of a suite in order until one of them leaves it."""
    for statement in body:
        if type(statement) is cst.SimpleStatementLine:
            for small in statement.body:
                if _execute(run, small) is Flow.LEFT:
                    return Flow.LEFT
        elif _execute(run, statement) is Flow.LEFT:
            return Flow.LEFT
    return Flow.NEXT


def _execute(run: Run, node: cst.CSTNode) -> Flow:
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return Flow.NEXT
    run.steps += 1
    return handler(run, node) or Flow.NEXT


def _expression(run: Run, node: cst.Expr) -> Flow:
    discarded = tuple(_discarded(node.value))
    run.discarded.update(discarded)
    expressions.evaluate(run, node.value)
    run.discarded.difference_update(discarded)
    if run.left:
        run.left = False
        return Flow.LEFT
    return Flow.NEXT


def _discarded(node: cst.BaseExpression) -> Iterator[cst.Call]:
    """Yield the calls whose results a statement throws away: itself, or the parts of what it evaluates to."""
    match node:
        case cst.Call():
            yield node
        case cst.Await():
            yield from _discarded(node.expression)
        case cst.Tuple() | cst.List():
            for element in node.elements:
                yield from _discarded(element.value)
        case cst.IfExp():
            yield from _discarded(node.body)
            yield from _discarded(node.orelse)
        case cst.BooleanOperation():
            yield from _discarded(node.right)
        case cst.ListComp():
            yield from _discarded(node.elt)
        case _:
            return


def _assign(run: Run, node: cst.Assign) -> None:
    value = expressions.evaluate(run, node.value)
    if run.probe is not None:
        run.probe(run, node, value)
    if isinstance(value, Opaque) and value.key in run.guard_marks and run.frame is run.top and _is_mark(node):
        run.guarded += 1
    for target in node.targets:
        if type(node.value) is cst.BinaryOperation and _adds_to(node.value, target.target):
            value = _tally(run, node, target.target, node.value.right, value)
        else:
            _reset(run, target.target)
        targets.assign(run, target.target, value, node)


def _is_mark(node: cst.Assign) -> bool:
    """Tell whether an assignment marks all tests of a file (pytest's own name for it)."""
    return any(isinstance(t.target, cst.Name) and t.target.value == "pytestmark" for t in node.targets)


def _adds_to(operation: cst.BinaryOperation, target: cst.BaseExpression) -> bool:
    """Tell whether an assignment is ``total = total + …`` or a moving average of itself and something."""
    wanted = text_of(target)
    if not isinstance(operation.operator, cst.Add) or wanted == "…":
        return False
    return any(text_of(part) == wanted for part in _terms(operation.left)) or (
        text_of(operation.right) == wanted and isinstance(operation.left, cst.Name | cst.Attribute)
    )


def _terms(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield a term and, of a product, its factors."""
    yield node
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        yield node.left
        yield node.right


def _tally(run: Run, node: cst.CSTNode, target: cst.BaseExpression, addend: cst.BaseExpression, whole: Value) -> Value:
    """Record that a loop adds to a total; the total carries the key of the accumulation onward."""
    slot = conditions.slot_of(run, target)
    if slot is None or not run.frame.loops or run.reset_in.get(slot) is run.frame.loops[-1].node:
        return whole
    before = run.store.value(*slot)
    if before is None:
        return whole
    value = expressions.evaluate(run, addend) if isinstance(addend, cst.Name | cst.Attribute) else whole
    key = tallies.added(run, node, text_of(target), before, addend, value, whole, slot)
    if key and isinstance(whole, Tensor):
        return Tensor(whole.placement, whole.rank, whole.graph, tally=key, number=whole.number)
    return Tensor(tally=key) if key else whole


def _reset(run: Run, target: cst.BaseExpression) -> None:
    """Note the loop in which a variable gets a value of its own, not one added to what it was."""
    kind = type(target)
    if kind is cst.Name or kind is cst.Attribute:
        slot = conditions.slot_of(run, target)
        if slot is not None:
            run.reset_in[slot] = run.frame.loops[-1].node if run.frame.loops else None
    elif type(target) is cst.Tuple or type(target) is cst.List:
        for element in target.elements:
            _reset(run, element.value)


def _annotated(run: Run, node: cst.AnnAssign) -> None:
    if node.value is not None:
        _reset(run, node.target)
        targets.assign(run, node.target, expressions.evaluate(run, node.value), node)


def _augmented(run: Run, node: cst.AugAssign) -> None:
    before = expressions.evaluate(run, node.target)
    value = expressions.evaluate(run, node.value)
    symbol = operator_text(node.operator)
    result = transfers.operate(
        run, transfers.IN_PLACE, symbol, node, ((node.target, before), (node.value, value)), in_place=True
    )
    if isinstance(before, Container):
        _extended(run, node, before, value)
        return
    if isinstance(node.operator, cst.AddAssign):
        slot = conditions.slot_of(run, node.target)
        fresh = slot is not None and run.frame.loops and run.reset_in.get(slot) is run.frame.loops[-1].node
        if not fresh and run.frame.loops and slot is not None:
            key = tallies.added(run, node, text_of(node.target), before, node.value, value, result, slot)
            if key:
                base = result if isinstance(result, Tensor) else Tensor()
                result = Tensor(base.placement, base.rank, base.graph, tally=key, number=base.number)
    targets.assign(run, node.target, result, node)


def _extended(run: Run, node: cst.AugAssign, before: Container, value: Value) -> None:
    """``losses += [loss]``: the list itself grows."""
    for item in iteration.elements(run, value) or [iteration.element(run, value, node)]:
        tallies.kept(run, before, node, node.value, item, text_of(node.target))
        iteration.add_item(run, before, item)


def _return(run: Run, node: cst.Return) -> Flow:
    value: Value = NONE if node.value is None else expressions.evaluate(run, node.value)
    if run.frame.key not in run.facts.training_functions:
        calls.consume(run, value, "returned")
    transfers.keep(run, value)
    run.frame.exits.append(run.leave(run.frame.base, run.frame.world, value))
    return Flow.LEFT


def _raise(run: Run, node: cst.Raise) -> Flow:
    if node.exc is not None:
        expressions.evaluate(run, node.exc)
    return Flow.LEFT


def _assert(run: Run, node: cst.Assert) -> None:
    test = conditions.test(run, node.test)
    run.world |= test.when_true
    conditions.narrow(run, node.test, True)


def _delete(run: Run, node: cst.Del) -> None:
    targets = node.target.elements if isinstance(node.target, cst.Tuple) else ()
    for target in (*(t.value for t in targets), node.target):
        if isinstance(target, cst.Name):
            run.store.set(run.owner_of(target.value), target.value, UNKNOWN)
        elif isinstance(target, cst.Subscript):
            base = expressions.evaluate(run, target.value)
            if isinstance(base, Container):
                items = run.items(base)
                run.store.set(base.key, ITEMS, Items((), items.any(), items.lost))


def _if(run: Run, node: cst.If) -> Flow:
    """Run an ``if`` with its ``elif`` chain: each way in a layer of its own, then join those that go on."""
    outer = run.world
    otherwise = outer
    branches: list[Branch] = []
    about_itself: set[tuple[int, str]] = set()
    current: cst.If | cst.Else | None = node
    base = run.store.depth
    went_on: list[frozenset[tuple[str, bool]]] = []
    while isinstance(current, cst.If):
        run.world = otherwise
        about_itself |= transfers.tested_slots(run, current.test)
        test = conditions.test(run, current.test)
        if test.known is not False:
            run.world = otherwise | test.when_true
            run.store.push()
            conditions.narrow(run, current.test, True)
            if block(run, current.body) is Flow.NEXT:
                branches.append(Branch(run.store.since(base), run.world - outer))
                went_on.append(run.world)
            run.store.rollback(base)
        if test.known is True:
            current = None
            otherwise = outer
            break
        otherwise = otherwise | test.when_false
        narrowed = current
        current = current.orelse
        if isinstance(current, cst.If):
            continue
        run.world = otherwise
        run.store.push()
        conditions.narrow(run, narrowed.test, False)
        if current is None or block(run, current.body) is Flow.NEXT:
            branches.append(Branch(run.store.since(base), run.world - outer))
            went_on.append(run.world)
        run.store.rollback(base)
        break
    run.world = outer if len(went_on) != 1 else went_on[0]
    if not branches:
        run.world = outer
        return Flow.LEFT
    _merge(run, branches, about_itself)
    return Flow.NEXT


def _merge(run: Run, branches: list[Branch], about_itself: set[tuple[int, str]]) -> None:
    """Join branches; a move guarded by a test of the moved value's own device counts as unconditional."""
    moved: dict[tuple[int, str], object] = {}
    for slot in about_itself:
        for branch in branches:
            if slot in branch.writes:
                moved[slot] = branch.writes[slot]
    run.store.merge(branches)
    for slot, value in moved.items():
        run.store.set(*slot, value)


def _try(run: Run, node: cst.Try | cst.TryStar) -> Flow:
    """Run ``try``: the handlers start from before or after the body, ``finally`` runs after either."""
    base = run.store.depth
    world = run.world
    branches: list[Branch] = []
    run.store.push()
    run.guarded += bool(node.handlers)
    flow = block(run, node.body)
    run.guarded -= bool(node.handlers)
    body = run.store.since(base)
    if flow is Flow.NEXT and node.orelse is not None:
        flow = block(run, node.orelse.body)
    if flow is Flow.NEXT:
        branches.append(Branch(run.store.since(base), ALWAYS))
    run.store.rollback(base)
    for handler in node.handlers:
        run.world = world
        run.store.push()
        run.guarded += 1
        if flow is Flow.NEXT or body:
            run.store.merge([Branch({}, ALWAYS), Branch(body, ALWAYS)])
        if handler.type is not None:
            expressions.evaluate(run, handler.type)
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            run.bind(run.frame.key, handler.name.name.value, run.opaque(handler.name.name.value))
        if block(run, handler.body) is Flow.NEXT:
            branches.append(Branch(run.store.since(base), ALWAYS))
        run.guarded -= 1
        run.store.rollback(base)
    run.world = world
    run.store.merge(branches)
    if node.finalbody is not None and block(run, node.finalbody.body) is Flow.LEFT:
        return Flow.LEFT
    return Flow.NEXT if branches else Flow.LEFT


def _with(run: Run, node: cst.With) -> Flow:
    restore = transfers.Contexts(run)
    for item in node.items:
        value = expressions.evaluate(run, item.item)
        restore.enter(item.item, value)
        if item.asname is not None:
            targets.assign(run, item.asname.name, transfers.entered(run, value), node)
    before = len(run.frame.exits)
    flow = block(run, node.body)
    restore.leave()
    for way in run.frame.exits[before:]:
        restore.leave_by(way.branch.writes)
    return flow


def _match(run: Run, node: cst.Match) -> Flow:
    subject = expressions.evaluate(run, node.subject)
    world = run.world
    base = run.store.depth
    branches: list[Branch] = []
    total = False
    key = run.new_key()
    for number, case in enumerate(node.cases):
        run.store.push()
        run.world = world | {(f"case {number}?{key}", True)}
        definitions.bind_pattern(run, case.pattern, subject)
        total = total or (case.guard is None and isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None)
        if case.guard is not None:
            run.world |= conditions.test(run, case.guard).when_true
        if block(run, case.body) is Flow.NEXT:
            branches.append(Branch(run.store.since(base), run.world - world))
        run.store.rollback(base)
    run.world = world
    if not total:
        branches.append(Branch({}, frozenset({(f"no case?{key}", True)})))
    run.store.merge(branches)
    return Flow.NEXT if branches else Flow.LEFT


def _break(run: Run, node: cst.Break) -> Flow:
    if run.frame.loops:
        loop = run.frame.loops[-1]
        loop.breaks.append(run.leave(loop.base, loop.world))
    return Flow.LEFT


def _continue(run: Run, node: cst.Continue) -> Flow:
    if run.frame.loops:
        loop = run.frame.loops[-1]
        loop.continues.append(run.leave(loop.base, loop.world))
    return Flow.LEFT


def _class(run: Run, node: cst.ClassDef) -> None:
    made = classes.define(run, node)
    run.bind(run.frame.key, node.name.value, made)


INERT: frozenset[type[cst.CSTNode]] = frozenset({cst.Pass, cst.TypeAlias})
"""Statements that change nothing we follow."""

_NEWER: dict[type[cst.CSTNode], Callable[..., Flow | None]] = {
    getattr(cst, name): definitions.import_ if name == "LazyImport" else definitions.import_from
    for name in ("LazyImport", "LazyImportFrom")
    if hasattr(cst, name)
}
"""Statements that an older libcst does not have."""

_HANDLERS: dict[type[cst.CSTNode], Callable[..., Flow | None]] = {
    cst.Expr: _expression,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Del: _delete,
    cst.If: _if,
    cst.For: loops.run_for,
    cst.While: loops.run_while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.FunctionDef: definitions.function,
    cst.ClassDef: _class,
    cst.Import: definitions.import_,
    cst.ImportFrom: definitions.import_from,
    cst.Global: definitions.outer,
    cst.Nonlocal: definitions.outer,
    **_NEWER,
}
