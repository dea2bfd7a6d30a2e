"""Comprehensions and generator expressions: a scope of their own, an element evaluated once."""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import conditions, expressions, iteration, targets
from torchdevlint.interpreter.frames import Frame
from torchdevlint.interpreter.run import Run
from torchdevlint.state import Items
from torchdevlint.values import UNKNOWN, Value

_KINDS: dict[type[cst.CSTNode], str] = {cst.ListComp: "list", cst.SetComp: "set", cst.GeneratorExp: "iterator"}
UNROLLED = 8
"""Up to this many known elements are evaluated one by one."""
NESTED = 24
"""How often comprehensions in each other may evaluate the innermost element."""


def evaluate_simple(run: Run, node: cst.ListComp | cst.SetComp | cst.GeneratorExp) -> Value:
    """Evaluate a list or set comprehension or a generator expression to a container."""
    outer = _enter(run)
    world, unrolling = run.world, run.unrolling
    try:
        known = iteration.elements(run, _first(run, node.for_in))
        rounds = len(known) * unrolling if known is not None and _plain(node.for_in) else 0
        if known is not None and 0 < rounds <= min(UNROLLED * unrolling, NESTED):
            values = []
            run.unrolling = rounds
            for item in known:
                targets.assign(run, node.for_in.target, item, node)
                values.append(expressions.evaluate(run, node.elt))
            return run.container(_KINDS[type(node)], values)
        _bind(run, node.for_in)
        value = expressions.evaluate(run, node.elt)
        return run.container(_KINDS[type(node)], (), value)
    finally:
        run.frame, run.world, run.unrolling = outer, world, unrolling


def evaluate_dict(run: Run, node: cst.DictComp) -> Value:
    """Evaluate a dict comprehension to a container of which no key is known."""
    outer = _enter(run)
    world = run.world
    try:
        _bind(run, node.for_in)
        expressions.evaluate(run, node.key)
        value = expressions.evaluate(run, node.value)
    finally:
        run.frame, run.world = outer, world
    return run.holder("dict", Items((), value))


def _first(run: Run, clause: cst.CompFor) -> Value:
    return expressions.evaluate(run, clause.iter) if _plain(clause) else UNKNOWN


def _plain(clause: cst.CompFor) -> bool:
    return (
        not clause.ifs
        and clause.inner_for_in is None
        and isinstance(clause.iter, cst.Name | cst.Attribute | cst.Tuple | cst.List)
    )


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


def _bind(run: Run, clause: cst.CompFor | None) -> None:
    """Bind the targets of every ``for`` of a comprehension and take its conditions as true."""
    while clause is not None:
        item = iteration.element(run, expressions.evaluate(run, clause.iter), clause)
        targets.assign(run, clause.target, item, clause)
        for condition in clause.ifs:
            test = conditions.test(run, condition.test)
            run.world |= test.when_true
            conditions.narrow(run, condition.test, True)
        clause = clause.inner_for_in
