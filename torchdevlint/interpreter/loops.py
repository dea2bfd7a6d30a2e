"""Loops: two passes over the body, the first with the exact state, the second with what the first left, if anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from torchdevlint import transfers
from torchdevlint.interpreter import conditions, expressions, iteration, reading, statements, tallies, targets, writers
from torchdevlint.interpreter.frames import MAX_EXITS, Exit, Loop
from torchdevlint.interpreter.run import Run
from torchdevlint.lattice import ALWAYS, ANY, Condition
from torchdevlint.state import ITEMS, PLACEMENT, SPENT, Branch, Items
from torchdevlint.values import UNKNOWN, Const, Container, Device, Flag, Module, Tensor, Value

PASSES = 2
UNROLLED = 8
"""Up to this many elements that are each somewhere of its own have a pass of their own."""
MAX_LOOPING_DEPTH = 2
"""Loops in calls deeper than this run once."""
MAX_NESTED_PASSES = 3
"""Loops nested deeper than this run once: each level doubles the work."""


def run_for(run: Run, node: cst.For) -> statements.Flow:
    """Run a ``for`` loop; its target is bound at each pass to what the iterable yields."""
    drawn = run.pace.drawn
    before = len(run.taken)
    iterable = iteration.iterated(run, expressions.evaluate(run, node.iter))
    if isinstance(iterable, Container) and run.store.get(iterable.key, SPENT):
        return statements.Flow.NEXT
    known = iteration.elements(run, iterable)
    if known is not None and not known and isinstance(node.iter, cst.List | cst.Tuple):
        return statements.Flow.NEXT

    passes = _passes(run)
    counted = _counted(run, node) if passes == PASSES else None
    if known is not None and passes < len(known) <= UNROLLED and run.steps < run.budget:
        passes = len(known) if _differ(run, known) or _names_parts(node) else passes
    present = _counted_devices(run, node.iter)
    exact = known if known is not None and len(known) <= passes else ()  # each is the element of a pass
    handed = run.taken[before:]

    def begin(turn: int) -> None:
        run.world |= present
        before = len(run.taken)  # what the body of the pass before took is no batch of this loop
        value = exact[turn] if turn < len(exact) else iteration.element(run, iterable, node.iter)
        told = turn == 0 or turn < len(exact)
        if counted is not None:
            value = _numbered(run, value, turn) if told else value
            (run.indices.add if told else run.indices.discard)((run.owner_of(counted), counted))
        elif isinstance(node.target, cst.Name):
            run.indices.add((run.owner_of(node.target.value), node.target.value))
        if run.pace.drawn > drawn:
            run.frame.loops[-1].batches = True
            run.facts.costs.draws.setdefault(run.pace.loader, set()).add(node)
        run.fed[node] = [*handed, *run.taken[before:]]
        targets.assign(run, node.target, value, node)

    flow = _run(run, node, begin, passes, counted=counted is not None, alike=counted is None and not exact)
    if isinstance(iterable, Container) and iterable.kind == "iterator":
        run.store.set(iterable.key, ITEMS, Items(lost=True))  # it is used up, and a second loop over it has nothing
        if not any(_leaves(part) for part in writers.small_statements(node.body)):
            run.store.set(iterable.key, SPENT, True)
    return flow


def _counted_devices(run: Run, iterable: cst.BaseExpression) -> Condition:
    """Return what holds in the passes of `for i in range(torch.cuda.device_count())`: there is a device."""
    given = iterable.args if isinstance(iterable, cst.Call) else ()
    values = (expressions.evaluate(run, argument.value) for argument in given)
    return next((value.when_true for value in values if isinstance(value, Flag)), ALWAYS)


def _leaves(statement: cst.CSTNode) -> bool:
    """Tell whether a loop may end at a statement in it: whoever iterates a generator may stop at what it yields."""
    match statement:
        case cst.Break() | cst.Return() | cst.Raise() | cst.Expr(value=cst.Yield()) | cst.Assign(value=cst.Yield()):
            return True
        case _:
            return False


def _differ(run: Run, values: list[Value], depth: int = 0) -> bool:
    """Tell whether each element is somewhere of its own: modules, tensors, devices, or tuples of them."""
    return any(_somewhere(run, value, depth) for value in values)


def _names_parts(node: cst.For) -> bool:
    """Tell whether the body of a loop asks for parts of something by its variable: keys, and names of attributes."""
    if not isinstance(node.target, cst.Name):
        return False
    name = node.target.value
    return any(_asks_by(part) == name for part in reading.walk(node.body))


def _asks_by(node: cst.CSTNode) -> str:
    """Return the variable by which a piece of source asks for a part of something, or no text."""
    match node:
        case cst.Index(value=cst.Name(value=name)):
            return name
        case cst.Call(func=cst.Name(value="getattr" | "setattr"), args=[_, cst.Arg(value=cst.Name(value=name)), *_]):
            return name
        case _:
            return ""


def _somewhere(run: Run, value: Value, depth: int) -> bool:
    match value:
        case Module() | Tensor() | Device():
            return True
        case Const(value=str(name)):
            return transfers.parse(name) is not None
        case Container() if not depth:
            return _differ(run, iteration.elements(run, value) or [], depth + 1)
        case _:
            return False


def _counted(run: Run, node: cst.For) -> str | None:
    """Return the name that counts the passes from 0: of `for i in range(n)` and `for i, x in enumerate(xs)`."""
    called = node.iter
    if not isinstance(called, cst.Call) or not isinstance(called.func, cst.Name) or len(called.args) != 1:
        return None
    if run.lookup(called.func.value) is not None:
        return None  # a name of the script's own
    target: cst.BaseExpression = node.target
    if called.func.value == "enumerate" and isinstance(target, cst.Tuple | cst.List) and len(target.elements) == 2:
        target = target.elements[0].value
    elif called.func.value != "range":
        return None
    return target.value if isinstance(target, cst.Name) else None


def _numbered(run: Run, value: Value, turn: int) -> Value:
    """Return what a pass is given: its number, or a pair of its number and an item."""
    if not isinstance(value, Container):
        return Const(turn)
    parts = iteration.elements(run, value)
    return run.container("tuple", (Const(turn), *parts[1:])) if parts else value


def run_while(run: Run, node: cst.While) -> statements.Flow:
    """Run a ``while`` loop; its test narrows the body."""
    world = run.world

    def begin(_: int) -> None:
        run.world = world | conditions.test(run, node.test).when_true
        conditions.narrow(run, node.test, True)

    endless = isinstance(node.test, cst.Name) and node.test.value == "True"
    return _run(run, node, begin, _passes(run), endless=endless, alike=True)


def _passes(run: Run) -> int:
    """Return how often the body of a loop that begins here is run."""
    deep = len(run.frame.loops) >= MAX_NESTED_PASSES or run.frame.depth > MAX_LOOPING_DEPTH
    return 1 if deep or run.steps >= run.budget else PASSES


def _run(
    run: Run,
    node: cst.For | cst.While,
    begin: Callable[[int], None],
    passes: int,
    endless: bool = False,
    counted: bool = False,
    alike: bool = False,
) -> statements.Flow:
    """Run the passes over a body; ``begin`` is what happens at the start of each, ``alike`` tells that it is the same.

    A pass that leaves nothing to a next one like it is the last.
    """
    world = run.world
    base, born = run.store.depth, run.new_key()
    breaks: list[Branch] = []
    after: list[Branch] = []
    for turn in range(passes):
        run.store.push()
        loop = Loop(node, base, world, born, counted and turn == 0)
        run.frame.loops.append(loop)
        run.running.append(node)
        begin(turn)
        ended = statements.block(run, node.body) is statements.Flow.NEXT
        if ended:
            tallies.dropped(run, loop)
        run.frame.loops.pop()
        run.running.pop()
        breaks.extend(Branch(way.branch.writes, ALWAYS) for way in loop.breaks)
        ways = [way.branch for way in loop.continues]
        if loop.untold is not None:
            ways, ended = [_untold(run, loop)], False
            breaks = ways if breaks else []
        if ended and not ways and turn + 1 < passes:
            last = alike and not _carries(run, loop)
            run.store.commit()
            run.world = world
            after = [Branch({}, ALWAYS)]
            if last:
                break
            continue
        if ended:
            ways.append(Branch(run.store.since(base), run.world - world))
        run.world = world
        run.store.rollback(base)
        if not ways:
            break
        run.store.push()
        run.store.merge(ways)
        last = loop.untold is not None or (alike and not _carries(run, loop))
        after = [Branch(run.store.pop(), ALWAYS)]
        if last:
            break
        if turn + 1 < passes:
            run.store.apply(after[0].writes)
            after = [Branch({}, ALWAYS)]
    if endless and breaks:
        after = []
    flow = _leave(run, node, after, breaks)
    return statements.Flow.LEFT if endless and not breaks else flow


def leave(run: Run, ways: list[Exit]) -> None:
    """Leave the innermost loop of the running scope, or this pass of it, by one way more."""
    loop = run.frame.loops[-1]
    if len(ways) < MAX_EXITS:
        ways.append(run.leave(loop.base, loop.world))
    else:
        loop.untold = {} if loop.untold is None else loop.untold
        loop.untold |= run.store.since(loop.base + 1)  # what stands in the layer of the pass itself is seen at its end


def _untold(run: Run, loop: Loop) -> Branch:
    """Return what a pass leaves behind that has too many ways out: of all that any of them wrote nothing is known."""
    writes = run.store.since(loop.base)
    for way in (*loop.breaks, *loop.continues):
        writes |= way.branch.writes
    return Branch({slot: _forgotten(slot[1], value) for slot, value in (writes | (loop.untold or {})).items()})


def _forgotten(name: str, value: object) -> object:
    if name == PLACEMENT:
        return ANY
    if name == ITEMS:
        return Items(lost=True)
    return value if name.startswith("<") else UNKNOWN


def _carries(run: Run, loop: Loop) -> bool:
    """Tell whether the pass that the innermost layer is of left something to the next, which would find all else alike.

    So it is where what is older than the loop changed, or a name is bound by now that was read when nothing had bound
    it. What the loop itself binds at the start of each pass is nothing that it left.
    """
    begun = set(_targets(loop.node.target)) if isinstance(loop.node, cst.For) else ()
    for slot, before in run.store.replaced[-1].items():
        owner, name = slot
        if owner > loop.born or (owner == run.frame.key and name in begun):
            continue
        if before is None:
            if owner not in run.frames or name in run.unbound:
                return True
        elif before != run.store.bindings.get(slot):
            return True
    return False


def _targets(node: cst.BaseExpression) -> Iterator[str]:
    """Yield the names that a target binds."""
    if type(node) is cst.Name:
        yield node.value
    elif type(node) is cst.Tuple or type(node) is cst.List:
        for element in node.elements:
            yield from _targets(element.value)


def _leave(run: Run, node: cst.For | cst.While, after: list[Branch], broken: list[Branch]) -> statements.Flow:
    """Join what the last pass left with what each `break` left; the `else` runs where no `break` left the loop."""
    if node.orelse is None:
        run.store.merge([*after, *broken])
        return statements.Flow.NEXT
    run.store.push()
    run.store.merge(after)
    left = statements.block(run, node.orelse.body) is statements.Flow.LEFT
    writes = run.store.pop()
    if left and not broken:
        return statements.Flow.LEFT
    run.store.merge([*([] if left else [Branch(writes, ALWAYS)]), *broken])
    return statements.Flow.NEXT
