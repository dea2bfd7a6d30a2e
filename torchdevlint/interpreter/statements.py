"""Statements: branches as layers of writes, loops run twice, early exits that carry their guard onward."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

import libcst as cst

from torchdevlint import transfers
from torchdevlint.interpreter import (
    assignments,
    class_statements,
    conditions,
    definitions,
    escapes,
    expressions,
    failures,
    loops,
    moot,
    pace,
    reading,
    targets,
    told,
    trying,
    uncalled,
    worlds,
)
from torchdevlint.interpreter.frames import MAX_EXITS, Exit
from torchdevlint.interpreter.guards import ALWAYS_TRUE, Test, is_main_guard, is_offered
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join
from torchdevlint.lattice import Condition
from torchdevlint.state import MODE, Branch, Slot, Writes
from torchdevlint.values import NONE, Class, Const, Imported, Instance, Opaque, Tensor, Value


class Flow(Enum):
    """Whether the statement after this one is reached."""

    NEXT = "next"
    LEFT = "left"


def block(run: Run, suite: cst.BaseSuite) -> Flow:
    """Run the statements of a suite in order until one of them leaves it."""
    if run.claims and isinstance(suite, cst.IndentedBlock):
        told.beside(run, suite.header)
    return run_all(run, suite.body)


def run_all(run: Run, body: Iterable[cst.BaseStatement | cst.BaseSmallStatement]) -> Flow:
    """Run statements in order until one of them leaves."""
    for statement in body:
        if run.claims:
            told.before(run, statement)
        if type(statement) is cst.SimpleStatementLine:
            for small in statement.body:
                if _execute(run, small) is Flow.LEFT:
                    return Flow.LEFT
            if run.claims:
                told.beside(run, statement.trailing_whitespace)
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
    value = node.value
    if type(value) is cst.SimpleString:
        return Flow.NEXT
    discarded = (value,) if type(value) is cst.Call else tuple(reading.discarded(value))
    run.discarded.update(discarded)
    expressions.evaluate(run, value)
    uncalled.stated(run, value)
    run.discarded.difference_update(discarded)
    if run.left:
        run.left = False
        return Flow.LEFT
    return Flow.NEXT


def _return(run: Run, node: cst.Return) -> Flow:
    value: Value = NONE if node.value is None else expressions.evaluate(run, node.value)
    pace.handed_out(run, value)
    exits = run.frame.exits
    if len(exits) > MAX_EXITS:
        escapes.consume(run, value)
        return Flow.LEFT
    if isinstance(value, Tensor) and value.tallies and value.tallies <= run.kept_totals:
        run.facts.returned |= value.tallies
    elif run.frame.key not in run.facts.training_functions and not _evaluates(run):
        escapes.consume(run, value)
    transfers.handed_back(run, value)
    within = len(exits) < MAX_EXITS  # one more tells that there are too many
    exits.append(run.leave(run.frame.base, run.frame.world, value) if within else Exit(Branch({})))
    return Flow.LEFT


def _evaluates(run: Run) -> bool:
    """Tell whether the running function, which one of the file called, puts a module into evaluation mode.

    What it returns is then no loss to train with, unless its caller does so.
    """
    if run.frame.caller is None or (run.frame.function is not None and run.frame.function.node in run.decorated):
        return False
    written = run.store.since(run.frame.base)
    return any(name == MODE and value == Const(False) for (_, name), value in written.items())


def _raise(run: Run, node: cst.Raise) -> Flow:
    if node.exc is not None:
        expressions.evaluate(run, node.exc)
    return Flow.LEFT


def _assert(run: Run, node: cst.Assert) -> None:
    portable = run.frame.scope in run.facts.portable
    test = conditions.test(run, node.test)
    if not portable:
        run.facts.portable.discard(run.frame.scope)  # what must be there is no choice
    before = run.world
    run.world = worlds.also(run.world, worlds.asserted(test.when_true))
    run.facts.insisted |= run.world - before
    conditions.narrow(run, node.test, True)


def _if(run: Run, node: cst.If) -> Flow:
    """Run an ``if``; one that asks for the name of the module has the block of a program, or of a trial of classes."""
    if run.frame is not run.top or not is_main_guard(node.test):
        return _branch(run, node)
    run.top.trial = any(isinstance(definition, Class) for definition in run.definitions)
    flow = _branch(run, node)
    run.top.trial = False
    return flow


def _branch(run: Run, node: cst.If) -> Flow:
    """Run an ``if`` with its ``elif`` chain: each way in a layer of its own, then join those that go on."""
    outer = run.world
    otherwise = outer
    branches: list[Branch] = []
    about_itself: dict[Slot, Test] = {}
    renewed: dict[Slot, object] = {}
    asked: set[Slot] = set()
    current = node
    base = run.store.depth
    went_on: list[Condition] = []
    while True:
        run.world = otherwise
        reads = bool(transfers.attributes_in(current.test))
        if reads:
            asked |= transfers.asked_slots(run, current.test)
        test = conditions.test(run, current.test)
        moot.withdraw(run, current)
        for slot in transfers.tested_slots(run, current.test) if reads else ():
            about_itself.setdefault(slot, _beside(run, current.test))
        if test.known is not False:
            run.world = worlds.also(otherwise, test.when_true)
            run.store.push()
            conditions.narrow(run, current.test, True)
            told = run.store.since(base) if asked else {}
            offered = test.known is True and is_offered(run, current.test)
            run.guarded += offered
            if block(run, current.body) is Flow.NEXT:
                branches.append(Branch(run.store.since(base), run.world - outer))
                renewed |= _renewed(run, asked, told, branches[-1])
                went_on.append(run.world)
            run.guarded -= offered
            run.store.rollback(base)
        if test.known is True:
            break
        otherwise = worlds.also(otherwise, test.when_false)
        orelse = current.orelse
        if type(orelse) is cst.If:
            current = orelse
            continue
        run.world = otherwise
        run.store.push()
        conditions.narrow(run, current.test, False)
        told = run.store.since(base) if asked else {}
        if orelse is None or block(run, orelse.body) is Flow.NEXT:
            branches.append(Branch(run.store.since(base), run.world - outer))
            renewed |= _renewed(run, asked, told, branches[-1])
            went_on.append(run.world)
        run.store.rollback(base)
        break
    run.world = outer if len(went_on) != 1 else went_on[0]
    if node.orelse is None and failures.ends_in_raise(node.body):
        run.facts.insisted |= run.world - outer
    if not branches:
        run.world = outer
        return Flow.LEFT
    _merge(run, branches, about_itself)
    for slot, value in renewed.items():
        run.store.set(*slot, value)
    return Flow.NEXT


def _renewed(run: Run, asked: set[tuple[int, str]], told: Writes, branch: Branch) -> dict[tuple[int, str], object]:
    """Return what a branch binds on an object, where it binds what the test is about too: it keeps that up to date.

    `if x.size(0) != self.size: self.grid, self.size = …` goes through the branch before anything else uses the grid.
    """
    if not asked:
        return {}
    bound = {slot: value for slot, value in branch.writes.items() if told.get(slot) is not value}
    owners = {slot[0] for slot in asked if slot in bound and slot[0] not in run.frames}
    owners &= {slot[0] for slot in bound if slot not in asked}  # else there is nothing that it would keep up to date
    return {slot: value for slot, value in bound.items() if slot[0] in owners and not slot[1].startswith("<")}


def _beside(run: Run, node: cst.BaseExpression) -> Test:
    """Return what a test asks beside the devices of values themselves (`if use_cuda and not x.is_cuda`)."""
    if type(node) is cst.BooleanOperation and type(node.operator) is cst.And:
        return conditions.both(_beside(run, node.left), _beside(run, node.right))
    return ALWAYS_TRUE if transfers.tested_slots(run, node) else conditions.test(run, node)


def _merge(run: Run, branches: list[Branch], about_itself: dict[Slot, Test]) -> None:
    """Join branches; a move guarded by a test of the moved value's own device counts as made wherever it may be."""
    moved: dict[Slot, Value] = {}
    for slot, beside in about_itself.items():
        before = run.store.value(*slot)
        for branch in branches:
            if slot in branch.writes:
                value = branch.writes[slot]
                if beside.known is None:
                    value = join(value, before or value, beside.when_true, beside.when_false)
                moved[slot] = value
    run.store.merge(branches)
    for slot, value in moved.items():
        run.store.set(*slot, value)


def _with(run: Run, node: cst.With) -> Flow:
    restore = transfers.Contexts(run)
    veiled = run.pace.veiled
    managers: list[Instance] = []
    for item in node.items:
        value = expressions.evaluate(run, item.item)
        run.pace.veiled += isinstance(value, Instance | Opaque)
        if isinstance(value, Instance):
            escapes.rebound(run, value)  # what its `__enter__` does, its `__exit__` may undo
            managers.append(value)
        restore.enter(value)
        if item.asname is not None:
            targets.assign(run, item.asname.name, transfers.entered(run, value), node)
    suppressed = any(_suppresses(run, item.item) for item in node.items)
    run.guarded += suppressed
    before = len(run.frame.exits)
    expected = any(_expects_failure(run, item.item) for item in node.items)
    run.expecting += expected
    flow = block(run, node.body)
    run.expecting -= expected
    run.guarded -= suppressed
    run.pace.veiled = veiled
    restore.leave()
    for manager in managers:
        escapes.rebound(run, manager)
    for way in run.frame.exits[before:]:
        restore.leave_by(way.branch.writes)
    return flow


def _suppresses(run: Run, node: cst.BaseExpression) -> bool:
    """Tell whether a context manager catches what its block raises (`contextlib.suppress`)."""
    callee = expressions.evaluate(run, node.func) if isinstance(node, cst.Call) else None
    return isinstance(callee, Imported) and callee.name == "contextlib.suppress"


def _expects_failure(run: Run, node: cst.BaseExpression) -> bool:
    """Tell whether a context manager of a test expects that its block fails (`pytest.raises`, `self.assertRaises`)."""
    if not isinstance(node, cst.Call):
        return False
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in run.knowledge.expectations:
        return True
    callee = expressions.evaluate(run, node.func)
    return isinstance(callee, Imported) and callee.name.rpartition(".")[2] in run.knowledge.expectations


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
        loops.leave(run, run.frame.loops[-1].breaks)
    return Flow.LEFT


def _continue(run: Run, node: cst.Continue) -> Flow:
    if run.frame.loops:
        loops.leave(run, run.frame.loops[-1].continues)
    return Flow.LEFT


def _class(run: Run, node: cst.ClassDef) -> None:
    made = class_statements.define(run, node)
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
    cst.Assign: assignments.assign,
    cst.AnnAssign: assignments.annotated,
    cst.AugAssign: assignments.augmented,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Del: assignments.delete,
    cst.If: _if,
    cst.For: loops.run_for,
    cst.While: loops.run_while,
    cst.Try: trying.run_try,
    cst.TryStar: trying.run_try,
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
