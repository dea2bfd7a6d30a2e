"""Operations on tensors: the result follows one of them, or several meet in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import Combined, Need, Operand
from torchdevlint.interpreter import calls, escapes, iteration
from torchdevlint.knowledge.rows import Combine, Follow, Mix, RankRule
from torchdevlint.lattice import ANY, Placement, Symbol, SymbolKind
from torchdevlint.transfers import leaves, ranks, reads
from torchdevlint.transfers.checkpoints import keep
from torchdevlint.transfers.operands import operand, subject
from torchdevlint.values import (
    UNKNOWN,
    Choice,
    Const,
    Container,
    Flag,
    Object,
    Opaque,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


IN_PLACE = Combine(mix=Mix.IN_PLACE, rank=RankRule.SAME, in_place=True)


def follow_call(run: Run, row: Follow, call: Call, receiver: Argument | None) -> Value:
    """An operation on one tensor, as a function or as a method; of a list of tensors on its elements."""
    source = subject(call, receiver)
    if source is None:
        return UNKNOWN
    value = source.value
    if row.pins:
        reads.need_host(run, call, source, Need.PINNING)
    if isinstance(value, Opaque):
        if row.binary and receiver is None:
            run.facts.tensors.add(value.key)
        if receiver is None and value.placement == ANY and value.key not in run.facts.modules:
            run.facts.tensors.add(value.key)
    if isinstance(value, Container):
        value = iteration.element(run, value, source.node)
    others = call.arguments if receiver is not None else call.arguments[1:]
    if row.binary and others and isinstance(others[0].value, Tensor):
        return combine(run, Combine(), call, receiver)
    return follow(run, row, value, call)


def follow(run: Run, row: Follow, value: Value, call: Call | None = None) -> Value:
    """An operation on one tensor: the result is where the tensor is."""
    given = value
    if isinstance(value, Opaque):
        value = Tensor(run.placement_of(value))
    if not isinstance(value, Tensor):
        return UNKNOWN
    rank = ranks.sizes_of(run, call) if row.rank is RankRule.SIZES else ranks.following(run, row.rank, value.rank, call)
    graph = False if run.no_grad else value.graph if row.graph is None else row.graph
    result = Tensor(value.placement, rank, graph, tallies=value.tallies, flight=value.flight)
    if row.rank is RankRule.REDUCE and call is not None:
        run.arrive(value, call.node)
    if row.demands:
        return leaves.demanded(run, value, call.arguments[0].value if call is not None and call.arguments else None)
    if row.in_place:
        kept = value.graph if row.graph is None else row.graph
        changed = Tensor(value.placement, rank, kept, value.held, value.leaf)
        for slot in run.store.holders(given) if row.graph is False else ():
            run.store.set(*slot, changed)  # `x.detach_()`: the variable itself has no graph from here on
        return changed
    count = row.count
    if row.returns_pair_with_dim and call is not None:
        positional = call.arguments[1:] if call.get(0, "input") is not None else call.arguments
        if positional or "dim" in call.keywords:
            count = 2
    if count == 0:
        return result
    if count < 0:
        return run.container("tuple", (), result)
    return run.container("tuple", (result, *(Tensor(value.placement, rank, False) for _ in range(count - 1))))


def operate(
    run: Run,
    row: Combine,
    node: cst.CSTNode,
    operands: Sequence[tuple[cst.CSTNode, Value]],
) -> Value:
    """Return the value of an operator on operands, and record that they met."""
    values = [value for _, value in operands]
    tensors = [v for v in values if isinstance(v, Tensor) or (isinstance(v, Opaque) and v.placement != ANY)]
    for value in values:
        run.arrive(value, node)
    if not any(isinstance(v, Tensor) or _counts(run, v) for v in tensors):
        # Not proven: what is made of it is no more than it is, and is proven with it.
        return tensors[0] if tensors else _without_tensors(run, values)
    names = ("input", "other")
    meet(run, node, row, [operand(run, n, v, names[i]) for i, (n, v) in enumerate(operands) if v in tensors])
    return combined(run, row, values)


def meet_assigned(run: Run, target: cst.Subscript, base: Tensor, value: Tensor, node: cst.CSTNode) -> None:
    """Record that values assigned by a mask or an index met what they are assigned to."""
    source = node.value if isinstance(node, cst.Assign) else node
    operands = [operand(run, target.value, base, "input"), operand(run, source, value, "other")]
    meet(run, node, Combine(), operands)


def _counts(run: Run, value: Opaque) -> bool:
    """Tell whether an opaque operand may be taken for a tensor: a part of a batch or output, or proven."""
    return value.member or value.output or value.key in run.facts.tensors


def _without_tensors(run: Run, values: Iterable[Value]) -> Value:
    array = next((v for v in values if isinstance(v, Object) and v.type.array), None)
    if array is not None:
        return array
    return run.opaque("") if any(isinstance(v, Opaque) for v in values) else UNKNOWN


def meet(run: Run, node: cst.CSTNode, row: Combine, operands: list[Operand]) -> None:
    """Record that operands met, where at least two of them may clash."""
    if len(operands) < 2 or len({o.placement for o in operands}) == 1:
        return
    if all(o.placement == ANY for o in operands[1:]) or all(o.placement == ANY for o in operands[:-1]):
        return
    run.emit(Combined(node, run.world, run.frame.entry, tuple(operands), row.mix, row.in_place))


def combined(run: Run, row: Combine, values: Sequence[Value]) -> Value:
    """Return the result of a combination."""
    tensors = [
        v if isinstance(v, Tensor) else Tensor(run.placement_of(v))
        for v in values
        if isinstance(v, Tensor) or (isinstance(v, Opaque) and _counts(run, v))
    ]
    # An operand of unknown kind may be a tensor: beside a host scalar it then decides where and what the result is.
    unseen = len(tensors) < sum(not isinstance(v, Const | Flag) for v in values)
    rank = ranks.combined(row.rank, [*tensors, Tensor()] if unseen else tensors)
    graph: bool | None
    if run.no_grad or row.graph is False:
        graph = False
    else:
        graphs = {t.graph for t in tensors}
        graph = True if True in graphs else None if None in graphs else False
    tallies = frozenset[int]().union(*(t.tallies for t in tensors))
    if row.in_place or row.mix is Mix.FREE:
        first = tensors[0] if tensors else Tensor()
        return Tensor(first.placement, first.rank, graph, tallies=tallies)
    number = any(isinstance(v, Opaque) and v.placement == ANY for v in values)
    undecided = unseen and tensors and all(_may_be_host_scalar(t) for t in tensors)
    return Tensor(ANY if undecided else result_placement(tensors), rank, graph, tallies=tallies, number=number)


def _whereabouts(placement: Placement) -> bool:
    """Tell whether a placement says no more than that the value is somewhere."""
    return all(
        isinstance(p.device, Symbol) and p.device.kind in (SymbolKind.WHEREABOUTS, SymbolKind.DEVICE_OF)
        for p in placement
    )


def _may_be_host_scalar(tensor: Tensor) -> bool:
    """Tell whether a tensor is on the host and may be 0-dim: it then mixes with tensors of any device."""
    return tensor.rank[0] == 0 and all(lattice.is_host(p.device) for p in tensor.placement)


def result_placement(tensors: Sequence[Tensor]) -> Placement:
    """Return where the result of a combination is that did not fail.

    Operands of unknown whereabouts are where the known ones are; a host operand that may be 0-dim says
    nothing beside others; operands that differ give Unknown, else one cause makes a dozen findings.
    """
    known = [t for t in tensors if not _whereabouts(t.placement)]
    if not known:
        places = {t.placement for t in tensors}
        return places.pop() if len(places) == 1 else ANY
    firm = [t for t in known if not _may_be_host_scalar(t)]
    if not firm:
        return known[0].placement if len(known) == len(tensors) else ANY
    first = firm[0].placement
    return first if all(t.placement == first for t in firm) else ANY


def combine(run: Run, row: Combine, call: Call, receiver: Argument | None) -> Value:
    """An operation on several tensors, as a function or as a method of its first operand."""
    arguments = _operands(run, row, call, receiver)
    values = [argument.value for _, argument in arguments]
    numbers = any(isinstance(a.value, Const) and name in row.number_overload for name, a in arguments)
    operands = []
    for name, argument in arguments:
        value = argument.value
        escapes.consume(run, value)
        keep(run, value)
        run.arrive(value, call.node)
        if isinstance(value, Opaque) and name == "input":
            run.facts.tensors.add(value.key)
        if not isinstance(value, Tensor | Opaque) or name in row.optional_host:
            continue
        if numbers and name in row.number_overload and isinstance(value, Tensor) and value.rank[0] == 0:
            continue
        operands.append(operand(run, argument.node, value, name, name in row.index))
    meet(run, call.node, row, operands)
    results = [v for v in values if isinstance(v, Tensor | Opaque | Choice | Unknown)]
    if row.sequence and not any(isinstance(v, Tensor | Opaque) for v in results):
        return Tensor(ANY, (1, None))
    if "out" in call.keywords:
        return call.keywords["out"].value
    return combined(run, row, results)


def _operands(run: Run, row: Combine, call: Call, receiver: Argument | None) -> list[tuple[str, Argument]]:
    """Return the tensor arguments of a combination with the names of their parameters."""
    found: list[tuple[str, Argument]] = []
    given = ([receiver] if receiver is not None else []) + call.arguments
    if row.format:
        given = given[1:]
        return [("input", argument) for argument in given]
    if row.sequence:
        first = given[0] if given else call.keywords.get("tensors")
        if first is not None:
            escapes.consume(run, first.value)
            items = iteration.parts(run, first.value, first.node)
            nodes = _element_nodes(first.node, len(items))
            found = [("tensors", calls.Argument(node, item)) for node, item in zip(nodes, items, strict=True)]
        return found
    for index, name in enumerate(row.operands):
        if not name:
            continue
        argument = call.keywords.get(name) or (given[index] if index < len(given) else None)
        if argument is not None:
            found.append((name, argument))
    out = call.keywords.get("out")
    if out is not None and isinstance(out.value, Tensor):
        found.append(("out", out))
    return found


def _element_nodes(node: cst.CSTNode, count: int) -> list[cst.CSTNode]:
    """Return the nodes of the elements of a list display, or the node itself for each."""
    if isinstance(node, cst.List | cst.Tuple) and len(node.elements) == count:
        return [element.value for element in node.elements]
    return [node] * count


def indexed(base: Tensor, indices: Sequence[tuple[cst.CSTNode, Value | None]]) -> Tensor:
    """Return the result of indexing a tensor: integers lower the rank, None raises it, slices keep it."""
    low, high = base.rank
    for node, value in indices:
        if value is None or isinstance(node, cst.Ellipsis):
            continue
        match value:
            case Const(value=None):
                low, high = low + 1, None if high is None else high + 1
            case Const():
                low, high = max(low - 1, 0), None if high is None else max(high - 1, 0)
            case Container(kind="tuple"):
                low = 0  # it may index every dimension
            case _:
                low, high = max(low - 1, 0), None
    return Tensor(base.placement, (low, high), base.graph)
