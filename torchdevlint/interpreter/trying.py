"""`try`: handlers that start from before or after the body, and what runs behind each of the ways out of it."""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import expressions, failures, statements
from torchdevlint.interpreter.frames import Exit
from torchdevlint.interpreter.run import Run
from torchdevlint.lattice import ALWAYS
from torchdevlint.state import Branch

MAX_WAYS = 8
"""Behind how many ways out of a ``try`` its ``finally`` is run; further ones are rare, and each run costs."""


def run_try(run: Run, node: cst.Try | cst.TryStar) -> statements.Flow:
    """Run ``try``: the handlers start from before or after the body, ``finally`` runs after either."""
    base = run.store.depth
    world = run.world
    branches: list[Branch] = []
    begun = [len(ways) for ways, _ in _ways(run)]
    run.store.push()
    caught = bool(node.handlers) and not failures.insists(node)
    expected = failures.expects_failure(run, node)
    run.guarded += caught
    run.expecting += expected
    flow = statements.block(run, node.body)
    run.expecting -= expected
    run.guarded -= caught
    body = run.store.since(base)
    if flow is statements.Flow.NEXT and node.orelse is not None:
        flow = statements.block(run, node.orelse.body)
    if flow is statements.Flow.NEXT:
        branches.append(Branch(run.store.since(base), ALWAYS))
    run.store.rollback(base)
    for handler in node.handlers:
        run.world = world
        run.store.push()
        run.guarded += 1
        if flow is statements.Flow.NEXT or body:
            run.store.merge([Branch({}, ALWAYS), Branch(body, ALWAYS)])
        if handler.type is not None:
            expressions.evaluate(run, handler.type)
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            run.bind(run.frame.key, handler.name.name.value, run.opaque(handler.name.name.value))
        if statements.block(run, handler.body) is statements.Flow.NEXT:
            branches.append(Branch(run.store.since(base), ALWAYS))
        run.guarded -= 1
        run.store.rollback(base)
    run.world = world
    run.store.merge(branches)
    if node.finalbody is not None:
        for (ways, bottom), first in zip(_ways(run), begun, strict=True):
            for way in ways[first : first + MAX_WAYS]:
                _finish(run, node.finalbody, way, bottom)
        if statements.block(run, node.finalbody.body) is statements.Flow.LEFT:
            return statements.Flow.LEFT
    return statements.Flow.NEXT if branches else statements.Flow.LEFT


def _ways(run: Run) -> list[tuple[list[Exit], int]]:
    """Return the ways out of the running function and of the loops in it, with the depth of layers where they began."""
    frame = run.frame
    loops = [(ways, loop.base) for loop in frame.loops for ways in (loop.breaks, loop.continues)]
    return [(frame.exits, frame.base), *loops]


def _finish(run: Run, body: cst.Finally, way: Exit, bottom: int) -> None:
    """Run ``finally`` behind a way out of a ``try``, which then has written what that writes, too."""
    depth, world = run.store.depth, run.world
    run.store.push()
    run.store.apply(way.branch.writes)
    run.world = world | way.branch.condition
    statements.block(run, body.body)
    way.branch = Branch(run.store.since(bottom), way.branch.condition)
    run.store.rollback(depth)
    run.world = world
