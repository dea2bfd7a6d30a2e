"""The pace of a loop: where the host waits for the accelerator, and what it waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.costs import BatchMoved, Counted, Gathered, IndexCopied, MadeElsewhere, SampleMoved
from torchdevlint.interpreter import reading
from torchdevlint.interpreter.clocks import Instant, Launch
from torchdevlint.lattice import Placement
from torchdevlint.names import text_of
from torchdevlint.records import dataclass, field, replace
from torchdevlint.state import MAX_DEPTH, MODE
from torchdevlint.values import SCALAR, Const, Container, Kept, Opaque, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.events import Operand
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


NON_BLOCKING = "non_blocking"
"""The argument by which a move does not wait for its copy."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A read for which the host waited: where the tensor was, and whether it is one number."""

    before: Placement
    number: bool


@dataclass(slots=True)
class Pace:
    """Waits by the call that made them, names of what they gave, and how many items of loaders were drawn so far.

    ``veiled`` counts the contexts around that cannot be seen, in which no graph may be built. ``made`` are the calls of
    factories that could have been given a device. ``loader`` is the one that was drawn from last, ``sampled`` the one
    that is just putting samples together to batches, ``read`` the last call that read a file, and ``files`` are data
    sets of which each item is one. ``launch`` is what the accelerator was given to do last, None where a training goes
    on, and ``instants`` are the readings of clocks.
    """

    waits: dict[cst.CSTNode, Wait] = field(default_factory=dict)
    names: dict[tuple[int, str], cst.CSTNode] = field(default_factory=dict)
    drawn: int = 0
    veiled: int = 0
    made: set[cst.CSTNode] = field(default_factory=set)
    loader: int = 0
    sampled: cst.CSTNode | None = None
    read: cst.CSTNode | None = None
    files: dict[int, cst.CSTNode] = field(default_factory=dict)
    launch: Launch | None = None
    instants: dict[int, Instant] = field(default_factory=dict)


def waited(run: Run, node: cst.CSTNode, before: Placement, number: bool) -> None:
    """Note that the host waited for a tensor; a loop does so at every pass unless a test of its own comes first."""
    run.pace.waits[node] = Wait(before, number)
    outer = run.frame.loops[-1].world if run.frame.loops else run.frame.world
    if run.running and run.world == outer:
        run.facts.costs.waits.setdefault(run.running[-1], set()).add(node)


def switched(run: Run, key: int, training: bool, call: Call) -> None:
    """Note in which mode a module is: `train()`, `train(False)`, `eval()`."""
    mode = call.arguments[0].value if training and call.arguments else Const(training)
    run.store.set(key, MODE, mode if isinstance(mode, Const) else None)
    name = run.knowledge.module_mode
    run.store.set(key, name, mode if isinstance(mode, Const) else run.opaque(name))


def differentiated(run: Run) -> None:
    """Note that the loops that run ask for gradients."""
    run.facts.costs.differentiating.update(run.running)


def handed_out(run: Run, value: Value, depth: int = 0) -> None:
    """Note that the running function hands out what may have a graph."""
    match value:
        case Tensor():
            carries = value.graph is not False
        case Opaque():
            carries = value.output
        case Container() if depth < MAX_DEPTH:
            for _, item in run.items(value).exact:
                handed_out(run, item, depth + 1)
            rest = run.items(value).rest
            carries = False
            if rest is not None:
                handed_out(run, rest, depth + 1)
        case _:
            return
    if carries:
        run.facts.costs.handing.add(run.frame.key)


def moved_at_once(run: Run, call: Call, made: cst.CSTNode, before: Placement, after: Placement) -> None:
    """Record a move of what a factory has just made, or of what methods have made of it."""
    while isinstance(made, cst.Call) and made not in run.pace.made and isinstance(made.func, cst.Attribute):
        if any(argument.keyword is not None and argument.keyword.value == "generator" for argument in made.args):
            return
        made = made.func.value
    if made in run.pace.made and all(lattice.is_host(p.device) for p in before):
        run.emit(MadeElsewhere(call.node, run.world, text_of(made), after, made))


def gathered(run: Run, receiver: Container, node: cst.CSTNode, added: cst.CSTNode, value: Value, total: str) -> Value:
    """Record a tensor that every pass of a loop over batches adds to a list; return it as an element of that list."""
    loop = run.frame.loops[-1] if run.frame.loops else None
    if loop is None or not loop.batches or not isinstance(value, Tensor | Opaque) or run.frame.in_module:
        return value
    if run.world != loop.world or receiver.key in run.bounded or run.container_loops.get(receiver.key) is loop.node:
        return value
    if isinstance(value, Opaque):
        if not value.output:
            return value
        value = Tensor(value.placement, (1, None), output=True)
    if value.rank == SCALAR:
        return value
    graph, text = value.graph is True, text_of(added)
    run.emit(Gathered(node, run.world, text, total, receiver.key, graph, value.output, value.placement))
    return replace(value, kept=value.kept | {Kept(receiver.key)})


def fetched(run: Run, value: Value, node: cst.CSTNode) -> None:
    """Note that what a loop gathered is read on the host."""
    for kept in value.kept if isinstance(value, Tensor) else ():
        places = run.facts.costs.fetched_whole if kept.whole else run.facts.costs.fetched
        places.setdefault(kept.key, node)


def computed(run: Run, tensors: Iterable[Tensor]) -> None:
    """Note that something is computed from what a loop gathered."""
    run.facts.costs.computed.update(kept.key for tensor in tensors for kept in tensor.kept)


def as_whole(tensors: Iterable[Tensor]) -> frozenset[Kept]:
    """Return what is known of the elements of lists that are put together to one tensor."""
    return frozenset(replace(kept, whole=True) for tensor in tensors for kept in tensor.kept)


def batch_moved(run: Run, call: Call, text: str, loader: int, before: Placement, after: Placement) -> None:
    """Record a move of a part of a batch; one that is told whether to wait by what is not seen is left out."""
    asked = call.keywords.get(NON_BLOCKING)
    if not loader or call.open or (asked is not None and asked.value != Const(True)) or len(call.arguments) > 1:
        return
    event = BatchMoved(call.node, run.world, text, loader, before, after, asked is None)
    run.facts.costs.moves.setdefault(loader, []).append(event)
    run.emit(event)


def sample_moved(run: Run, call: Call, text: str, before: Placement, after: Placement) -> None:
    """Record a move in the code that makes a sample of a batch."""
    if run.pace.sampled is not None and run.worker is None:
        run.emit(SampleMoved(call.node, run.world, text, before, after, run.pace.sampled))


def drawn(run: Run, loader: int) -> None:
    """Note that a loop draws from a loader."""
    run.pace.drawn += 1
    run.pace.loader = loader


def indexed(run: Run, node: cst.CSTNode, base: Operand, indices: Iterable[Operand]) -> None:
    """Record indices on the host, where the same index is used again and again."""
    frame = run.frame
    if not run.running and (not frame.in_module or frame.constructing):
        return
    for index in indices:
        if index.rank[0] > 0 and base.placement != index.placement:
            proofs = (base.proof, index.proof)
            event = IndexCopied(node, run.world, base.text, index.text, base.placement, index.placement, proofs)
            run.emit(event)


def counted(run: Run, added: cst.CSTNode, total: str, only_numbers: bool = False) -> None:
    """Record the waits of an expression that a loop over batches adds to a total, a number at a time or whole."""
    loop = run.frame.loops[-1] if run.frame.loops else None
    if loop is None or not loop.batches:
        return
    for part in _parts(added):
        node = _read_before(run, part, loop.node.body, total) if isinstance(part, cst.Name) else part
        wait = run.pace.waits.get(node)
        if wait is None or (only_numbers and not wait.number) or _read_at_each_pass(loop.node.body, total):
            continue
        run.facts.costs.counted.add(node)
        if run.world == loop.world:
            run.emit(Counted(node, run.world, text_of(node), total, wait.before, loop.node))


def named(run: Run, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
    """Note the name under which a number is kept that the host waited for."""
    if run.pace.waits and type(target) is cst.Name:
        slot = (run.owner_of(target.value), target.value)
        if value in run.pace.waits:
            run.pace.names[slot] = value
        else:
            run.pace.names.pop(slot, None)


def _read_before(run: Run, name: cst.Name, suite: cst.BaseSuite, total: str) -> cst.CSTNode:
    """Return the read that a name stands for, where a body does nothing at every pass but add it to a total."""
    read = run.pace.names.get((run.owner_of(name.value), name.value))
    if read is None or _read_at_each_pass(suite, name.value, but_for=total):
        return name
    return read


def counted_by_method(run: Run, added: cst.CSTNode) -> None:
    """Record the waits of arguments that a method of a meter adds to a total of it: ``meter.update(loss.item())``."""
    frame = run.frame
    function, call, caller = frame.function, frame.call, frame.caller
    assert function is not None
    assert call is not None
    assert caller is not None
    run.frame = caller
    for index, parameter in enumerate(function.node.params.params[1:]):
        argument = call.get(index, parameter.name.value)
        if argument is not None and _mentions(added, parameter.name.value):
            counted(run, argument.node, call.receiver)
    run.frame = frame


def _read_at_each_pass(suite: cst.BaseSuite, total: str, but_for: str = "") -> bool:
    """Tell whether a body reads a total at every pass, beside adding to it: to show it, say.

    Of a name that stands for a number, adding it to a total is no reading (``but_for``).
    """
    for statement in suite.body:
        match statement:
            case cst.SimpleStatementLine():
                if any(_reads(small, total) and not _adds(small, but_for) for small in statement.body):
                    return True
            case cst.With():
                if _read_at_each_pass(statement.body, total, but_for):
                    return True
            case cst.If():
                if _mentions(statement.test, total):
                    return True
            case _ if _mentions(statement, total):
                return True
    return False


def _adds(statement: cst.BaseSmallStatement, total: str) -> bool:
    match statement:
        case cst.AugAssign(target=target) | cst.Assign(targets=[cst.AssignTarget(target=target)]):
            return text_of(target) == total
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=receiver))):
            return text_of(receiver) == total
        case _:
            return False


def _reads(statement: cst.BaseSmallStatement, total: str) -> bool:
    match statement:
        case cst.AugAssign():
            return _mentions(statement.value, total)
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) if text_of(target) == total:
            return False
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=receiver), args=arguments)) if text_of(receiver) == total:
            return any(_mentions(argument, total) for argument in arguments)
        case _:
            return _mentions(statement, total)


def _mentions(node: cst.CSTNode, total: str) -> bool:
    if isinstance(node, cst.Name | cst.Attribute) and text_of(node) == total:
        return True
    return any(_mentions(child, total) for child in reading.children(node))


def _parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the calls and names that an expression is computed from, those of its methods and operands."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        match part:
            case cst.BinaryOperation():
                waiting += (part.left, part.right)
            case cst.Comparison():
                waiting += (part.left, *(target.comparator for target in part.comparisons))
            case cst.Call():
                yield part
                waiting += (part.func, *(argument.value for argument in part.args))
            case cst.Attribute():
                waiting.append(part.value)
            case cst.Name():
                yield part
            case _:
                continue
