"""Comprehensions and generator expressions: a scope of their own, elements evaluated once or one by one."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from torchdevlint.interpreter import conditions, expressions, iteration, lazy, targets
from torchdevlint.interpreter.frames import Frame
from torchdevlint.interpreter.run import Run
from torchdevlint.state import Items
from torchdevlint.values import UNKNOWN, Value

_KINDS: dict[type[cst.CSTNode], str] = {cst.ListComp: "list", cst.SetComp: "set"}
UNROLLED = 8
"""Up to this many known elements are evaluated one by one."""
NESTED = 24
"""How often comprehensions in each other may evaluate the innermost element."""


def evaluate_simple(run: Run, node: cst.ListComp | cst.SetComp) -> Value:
    """Evaluate a list or set comprehension to a container."""
    return run.holder(_KINDS[type(node)], _elements(run, node, expressions.evaluate(run, node.for_in.iter)))


def evaluate_lazy(run: Run, node: cst.GeneratorExp) -> Value:
    """Evaluate a generator expression to an iterator: what it goes through now, its elements when it is iterated."""
    source = expressions.evaluate(run, node.for_in.iter)
    if run.frame.function is not None:
        run.closed_over.add(run.frame.key)
    return lazy.later(run, lambda: _elements(run, node, source))


def evaluate_at_once(run: Run, node: cst.GeneratorExp) -> Value:
    """Evaluate a generator expression that is an argument: whoever is given it iterates it."""
    return run.holder("iterator", _elements(run, node, expressions.evaluate(run, node.for_in.iter)))


def _elements(run: Run, node: cst.ListComp | cst.SetComp | cst.GeneratorExp, source: Value) -> Items:
    values: list[Value] = []

    def item() -> None:
        values.append(expressions.evaluate(run, node.elt))

    exact = _each(run, node.for_in, source, item)
    return Items(tuple(enumerate(values))) if exact else Items((), values[0])


def evaluate_dict(run: Run, node: cst.DictComp) -> Value:
    """Evaluate a dict comprehension to a container; its keys are known where its elements are."""
    pairs: list[tuple[Value, Value]] = []

    def item() -> None:
        key = expressions.evaluate(run, node.key)
        pairs.append((key, expressions.evaluate(run, node.value)))

    exact = _each(run, node.for_in, expressions.evaluate(run, node.for_in.iter), item)
    made = run.holder("dict", Items())
    for key, value in pairs:
        iteration.store_item(run, made, key if exact else UNKNOWN, value)
    return made


def _each(run: Run, clause: cst.CompFor, source: Value, item: Callable[[], None]) -> bool:
    """Evaluate an item for each element of a comprehension, or once; tell whether it was for each."""
    outer = _enter(run)
    world, unrolling = run.world, run.unrolling
    try:
        known = None if clause.ifs or clause.inner_for_in is not None else iteration.elements(run, source)
        rounds = len(known) * unrolling if known is not None else 0
        if known is None or not 0 < rounds <= min(UNROLLED * unrolling, NESTED):
            _bind(run, clause, source)
            item()
            return False
        run.unrolling = rounds
        for value in known:
            targets.assign(run, clause.target, value, clause)
            item()
        return True
    finally:
        run.frame, run.world, run.unrolling = outer, world, unrolling


def _enter(run: Run) -> Frame:
    """Open the scope of a comprehension; it shares the function's way out, world and receiver."""
    outer = run.frame
    frame = Frame(
        run.new_key(), outer, outer.function, outer.receiver, outer.entry, outer.in_module, outer.constructing,
        outer.depth, outer.base, outer.world, loops=outer.loops, yields=outer.yields,
        comprehension=True,
    )  # fmt: skip
    run.enter(frame)
    return outer


def _bind(run: Run, clause: cst.CompFor | None, source: Value) -> None:
    """Bind the targets of every ``for`` of a comprehension and take its conditions as true."""
    while clause is not None:
        targets.assign(run, clause.target, iteration.element(run, source, clause), clause)
        for condition in clause.ifs:
            test = conditions.test(run, condition.test)
            run.world |= test.when_true
            conditions.narrow(run, condition.test, True)
        clause = clause.inner_for_in
        source = expressions.evaluate(run, clause.iter) if clause is not None else UNKNOWN
