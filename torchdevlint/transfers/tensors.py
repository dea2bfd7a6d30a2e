"""Tensors: factories, conversions, operations on one and on several, indexing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import Combined, Operand
from torchdevlint.interpreter import calls, iteration
from torchdevlint.knowledge.rows import Combine, Convert, Follow, Like, Make, Mix, RankRule
from torchdevlint.lattice import ANY, Placement, Symbol, SymbolKind
from torchdevlint.names import text_of
from torchdevlint.transfers.checkpoints import keep
from torchdevlint.transfers.devices import place_of
from torchdevlint.values import (
    ANY_RANK,
    NONE,
    SCALAR,
    UNKNOWN,
    Const,
    Container,
    Flag,
    Object,
    Opaque,
    Rank,
    Tensor,
    Unknown,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

IN_PLACE = Combine(mix=Mix.IN_PLACE, rank=RankRule.SAME, in_place=True)


def operand(run: Run, node: cst.CSTNode, value: Value, role: str, is_index: bool = False) -> Operand:
    """Return an operand of an event."""
    rank, proof = ANY_RANK, 0
    match value:
        case Tensor():
            rank = value.rank
        case Opaque(member=True):
            rank = (1, None)  # a member of a batch has the dimension of the batch at least
        case Opaque() if value.key not in run.facts.tensors:
            proof = value.key
        case _:
            pass
    return Operand(node, text_of(node), role, run.placement_of(value), rank, proof, is_index)


def make(run: Run, row: Make, call: Call) -> Tensor:
    """A factory: on the host or the default device, unless a device is given."""
    what = f"made by `{call.text}`"
    out = call.keywords.get("out")
    if out is not None and out.value != NONE:
        return Tensor(run.placement_of(out.value), _made_rank(run, row.rank, row.shape, row.packed, call), False)
    device = place_of(run, call.keywords.get("device"), moving=False)
    if row.legacy == "cuda":
        placement = lattice.on(lattice.Concrete("cuda"), Why(Role.CREATED, call.node, what))
        run.facts.accelerated = True
    elif device is not None and not row.always_host:
        placement = _because(device, Why(Role.CREATED, call.node, what))
    elif (call.spread or _draws_elsewhere(run, call)) and "device" not in call.keywords and not row.always_host:
        placement = ANY
    elif row.always_host:
        placement = _host_only(run, call.node, what)
    else:
        placement = run.default_placement(call.node, what)
    grad = call.keywords.get("requires_grad")
    graph: bool | None = False
    if grad is not None:
        graph = grad.value == Const(True) if isinstance(grad.value, Const) else None
    return Tensor(placement, _made_rank(run, row.rank, row.shape, row.packed, call), graph, leaf=True)


def _draws_elsewhere(run: Run, call: Call) -> bool:
    """Tell whether a factory draws from a generator that may be on an accelerator."""
    generator = call.keywords.get("generator")
    if generator is None or generator.value == NONE:
        return False
    return not isinstance(generator.value, Object) or run.placement_of(generator.value) != ANY


def _host_only(run: Run, node: cst.CSTNode, what: str) -> Placement:
    inside = run.frame.in_module and not run.frame.constructing
    return lattice.on(lattice.HOST, Why(Role.CREATED_IN_MODULE if inside else Role.CREATED, node, what))


def _because(placement: Placement, why: Why) -> Placement:
    """Return a placement with a reason of its own."""
    return frozenset(lattice.Possibility(p.device, p.condition, why) for p in placement)


def _made_rank(run: Run, rule: RankRule, shape: int, packed: bool, call: Call) -> Rank:
    match rule:
        case RankRule.ONE:
            return (1, 1)
        case RankRule.VECTOR:
            return (1, None)
        case RankRule.SCALAR:
            return SCALAR
        case RankRule.SHAPE:
            return _shape_rank(run, shape, packed, call)
        case _:
            return ANY_RANK


def _shape_rank(run: Run, shape: int, packed: bool, call: Call) -> Rank:
    """Return the rank that the sizes of a call name; sizes that cannot be counted are at least one."""
    keyword = call.keywords.get("size")
    sizes = [keyword] if keyword is not None else call.arguments[shape:] if shape >= 0 else call.arguments[-1:]
    if packed and keyword is None:
        sizes = sizes[:1]
    if call.open or not sizes:
        return (1, None)
    if len(sizes) == 1:
        value = sizes[0].value
        known = iteration.elements(run, value)
        if isinstance(value, Container):
            return (len(known), len(known)) if known is not None else (1, None)
        return (1, 1) if isinstance(value, Const) and not packed else (1, None)
    return (len(sizes), len(sizes))


def like(run: Run, row: Like, call: Call, source: Argument | None) -> Value:
    """A factory that follows a tensor, unless a device is given."""
    if source is None:
        return UNKNOWN
    device = place_of(run, call.keywords.get("device"), moving=False)
    placement = device if device is not None else run.placement_of(source.value)
    if isinstance(source.value, Opaque):
        run.facts.tensors.add(source.value.key)
    if row.rank is RankRule.SAME:
        rank = source.value.rank if isinstance(source.value, Tensor) else ANY_RANK
    else:
        rank = _made_rank(run, row.rank, row.shape, row.packed, call)
    return Tensor(placement, rank, graph=False)


def convert(run: Run, row: Convert, call: Call) -> Tensor:
    """`torch.tensor(e)`: a tensor keeps its device, anything else is made on the host."""
    argument = call.get(0, "data")
    device = place_of(run, call.keywords.get("device"), moving=False)
    value = argument.value if argument is not None else UNKNOWN
    rank = _data_rank(run, value)
    if isinstance(value, Opaque):
        rank = ANY_RANK
    why = Why(Role.CREATED, call.node, f"made by `{call.text}`")
    if device is not None:
        return Tensor(_because(device, why), rank, leaf=True)
    if isinstance(value, Tensor):
        return Tensor(value.placement, value.rank, value.graph if row.graph else False)
    if isinstance(value, Opaque | Unknown) and (not row.copies or value_may_be_tensor(run, value)):
        return Tensor(run.placement_of(value) if isinstance(value, Opaque) else ANY, rank)
    if call.open:
        return Tensor(ANY, rank)
    return Tensor(run.default_placement(call.node, f"made by `{call.text}`"), rank, graph=False, leaf=True)


def value_may_be_tensor(run: Run, value: Value) -> bool:
    """Tell whether something shows that an opaque value is a tensor."""
    return isinstance(value, Opaque) and (
        value.key in run.facts.tensors or value.output or (value.placement != ANY and value.source == 0)
    )


def _data_rank(run: Run, value: Value) -> Rank:
    """Return the rank of a tensor made of nested Python data."""
    match value:
        case Const() | Flag():
            return SCALAR
        case Tensor():
            return value.rank
        case Container():
            inner = run.items(value).any()
            if inner is None:
                return (1, 1)
            low, high = _data_rank(run, inner)
            return (low + 1, None if high is None else high + 1)
        case _:
            return ANY_RANK


def follow(run: Run, row: Follow, value: Value, call: Call | None = None) -> Value:
    """An operation on one tensor: the result is where the tensor is."""
    if isinstance(value, Opaque):
        value = Tensor(run.placement_of(value), parameter_graph(run, value))
    if not isinstance(value, Tensor):
        return UNKNOWN
    rank = _sizes(run, call) if row.rank is RankRule.SIZES else _following_rank(run, row.rank, value.rank, call)
    graph = False if run.no_grad else value.graph if row.graph is None else row.graph
    result = Tensor(value.placement, rank, graph, tally=value.tally)
    if row.in_place:
        return Tensor(value.placement, rank, value.graph, value.held, value.leaf)
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


def _sizes(run: Run, call: Call | None) -> Rank:
    """Return the rank of a view with the sizes of a call; sizes that cannot be counted are at least one."""
    if call is None or call.open:
        return (1, None)
    sizes = call.arguments if _is_method(call) else call.arguments[1:]
    if len(sizes) > 1:
        return (len(sizes), len(sizes))
    known = iteration.elements(run, sizes[0].value) if sizes else None
    if known is not None:
        return (len(known), len(known))
    return (1, 1) if sizes and isinstance(sizes[0].value, Const) else (1, None)


def _is_method(call: Call) -> bool:
    """Tell whether a call is one of a method: then its receiver is not among its arguments."""
    return "." not in call.text and isinstance(call.node, cst.Call) and isinstance(call.node.func, cst.Attribute)


def parameter_graph(run: Run, value: Opaque) -> Rank:
    """Return the rank of an opaque tensor: not known."""
    return ANY_RANK


def _following_rank(run: Run, rule: RankRule, rank: Rank, call: Call | None) -> Rank:
    low, high = rank
    match rule:
        case RankRule.SAME:
            return rank
        case RankRule.SCALAR:
            return SCALAR
        case RankRule.ONE:
            return (1, 1)
        case RankRule.VECTOR:
            return (1, None)
        case RankRule.PLUS_ONE:
            return (low + 1, None if high is None else high + 1)
        case RankRule.MINUS_ONE:
            return (max(low - 1, 0), None if high is None else max(high - 1, 0))
        case RankRule.REDUCE:
            return _reduced(run, rank, call)
        case _:
            return ANY_RANK


def _reduced(run: Run, rank: Rank, call: Call | None) -> Rank:
    """Return the rank after a reduction: 0 of everything, less by the number of dimensions, the same with keepdim."""
    if call is None:
        return SCALAR
    low, high = rank
    given = call.arguments if _is_method(call) else call.arguments[1:]
    dim = call.keywords.get("dim") or call.keywords.get("axis") or (given[0] if given else None)
    if dim is None or (isinstance(dim.value, Const) and isinstance(dim.value.value, bool | None)):
        return (0, high) if call.open else SCALAR
    keep = call.keywords.get("keepdim") or (given[1] if len(given) > 1 else None)
    if keep is not None and keep.value == Const(True):
        return rank
    known = iteration.elements(run, dim.value)
    if known is None and not isinstance(dim.value, Const):
        return (0, high)
    count = len(known) if known is not None else 1
    kept = high if keep is not None or high is None else max(high - count, 0)
    return (max(low - count, 0), kept)


def operate(
    run: Run,
    row: Combine,
    symbol: str,
    node: cst.CSTNode,
    operands: Sequence[tuple[cst.CSTNode, Value]],
    in_place: bool = False,
) -> Value:
    """Return the value of an operator on operands, and record that they met."""
    values = [value for _, value in operands]
    tensors = [v for v in values if isinstance(v, Tensor) or (isinstance(v, Opaque) and v.placement != ANY)]
    if not any(isinstance(v, Tensor) or _counts(run, v) for v in tensors):
        # Not proven: what is made of it is no more than it is, and is proven with it.
        return tensors[0] if tensors else _without_tensors(run, values)
    names = ("input", "other")
    meet(run, node, symbol, row, [operand(run, n, v, names[i]) for i, (n, v) in enumerate(operands) if v in tensors])
    return combined(run, row, values)


def meet_assigned(run: Run, target: cst.Subscript, base: Tensor, value: Tensor, node: cst.CSTNode) -> None:
    """Record that values assigned by a mask or an index met what they are assigned to."""
    source = node.value if isinstance(node, cst.Assign) else node
    operands = [operand(run, target.value, base, "input"), operand(run, source, value, "other")]
    meet(run, node, "[]=", Combine(), operands)


def _counts(run: Run, value: Opaque) -> bool:
    """Tell whether an opaque operand may be taken for a tensor: a part of a batch or output, or proven."""
    return value.member or value.output or value.key in run.facts.tensors


def _without_tensors(run: Run, values: Iterable[Value]) -> Value:
    array = next((v for v in values if isinstance(v, Object) and v.type.array), None)
    if array is not None:
        return array
    return run.opaque("") if any(isinstance(v, Opaque) for v in values) else UNKNOWN


def meet(run: Run, node: cst.CSTNode, op: str, row: Combine, operands: list[Operand], **more: object) -> None:
    """Record that operands met, where at least two of them may clash."""
    if len(operands) < 2 or len({o.placement for o in operands}) == 1:
        return
    if all(o.placement == ANY for o in operands[1:]) or all(o.placement == ANY for o in operands[:-1]):
        return
    run.emit(Combined(node, run.world, run.frame.entry, op, tuple(operands), row.mix, row.in_place, **more))  # type: ignore[arg-type]


def combined(run: Run, row: Combine, values: Sequence[Value]) -> Value:
    """Return the result of a combination."""
    tensors = [
        v if isinstance(v, Tensor) else Tensor(run.placement_of(v))
        for v in values
        if isinstance(v, Tensor) or (isinstance(v, Opaque) and _counts(run, v))
    ]
    rank = _combined_rank(row.rank, tensors, len(tensors) == len(values))
    graph: bool | None
    if run.no_grad or row.graph is False:
        graph = False
    else:
        graphs = {t.graph for t in tensors}
        graph = True if True in graphs else None if None in graphs else False
    tally = next((t.tally for t in tensors if t.tally), 0)
    if row.in_place or row.mix is Mix.FREE:
        first = tensors[0] if tensors else Tensor()
        return Tensor(first.placement, first.rank, graph, tally=tally)
    number = any(isinstance(v, Opaque) and v.placement == ANY for v in values)
    result = Tensor(result_placement(tensors), rank, graph, tally=tally, number=number)
    if row.count:
        return run.container("tuple", (), result)
    return result


def _combined_rank(rule: RankRule, tensors: Sequence[Tensor], complete: bool) -> Rank:
    match rule:
        case RankRule.BROADCAST:
            if not tensors:
                return ANY_RANK
            low = max(t.rank[0] for t in tensors)
            highs = [t.rank[1] for t in tensors]
            return (low, None if None in highs else max(h for h in highs if h is not None))
        case RankRule.SAME:
            return tensors[0].rank if tensors else ANY_RANK
        case RankRule.SCALAR:
            return SCALAR
        case RankRule.ONE:
            return (1, 1)
        case RankRule.VECTOR:
            return (1, None)
        case RankRule.PLUS_ONE:
            if not tensors:
                return (1, None)
            low, high = tensors[0].rank
            return (low + 1, None if high is None else high + 1)
        case _:
            return ANY_RANK


def _whereabouts(placement: Placement) -> bool:
    """Tell whether a placement says no more than that the value is somewhere."""
    return all(
        isinstance(p.device, Symbol) and p.device.kind in (SymbolKind.WHEREABOUTS, SymbolKind.DEVICE_OF)
        for p in placement
    )


def result_placement(tensors: Sequence[Tensor]) -> Placement:
    """Return where the result of a combination is that did not fail.

    Operands of unknown whereabouts are where the known ones are; a host operand that may be 0-dim says
    nothing beside others; operands that differ give Unknown, else one cause makes a dozen findings.
    """
    known = [t for t in tensors if not _whereabouts(t.placement)]
    if not known:
        places = {t.placement for t in tensors}
        return places.pop() if len(places) == 1 else ANY
    firm = [t for t in known if t.rank[0] > 0 or not all(lattice.is_host(p.device) for p in t.placement)]
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
        calls.consume(run, value, "combined")
        keep(run, value)
        if isinstance(value, Opaque) and name == "input":
            run.facts.tensors.add(value.key)
        if not isinstance(value, Tensor | Opaque) or name in row.optional_host:
            continue
        if numbers and name in row.number_overload and isinstance(value, Tensor) and value.rank[0] == 0:
            continue
        operands.append(operand(run, argument.node, value, name, name in row.index))
    meet(run, call.node, call.text, row, operands)
    results = [v for v in values if isinstance(v, Tensor | Opaque)]
    if row.sequence and not results:
        return Tensor(ANY, (1, None))
    if "out" in call.keywords:
        return call.keywords["out"].value
    return combined(run, row, results)


def _operands(run: Run, row: Combine, call: Call, receiver: Argument | None) -> list[tuple[str, Argument]]:
    """Return the tensor arguments of a combination with the names of their parameters."""
    from torchdevlint.interpreter.calls import Argument

    found: list[tuple[str, Argument]] = []
    given = ([receiver] if receiver is not None else []) + call.arguments
    if row.format:
        given = given[1:]
        return [("input", argument) for argument in given]
    if row.sequence:
        first = given[0] if given else call.keywords.get("tensors")
        if first is not None:
            calls.consume(run, first.value, "stacked")
            items = iteration.parts(run, first.value, first.node)
            nodes = _element_nodes(first.node, len(items))
            found = [("tensors", Argument(node, item)) for node, item in zip(nodes, items, strict=True)]
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


def indexed(run: Run, base: Tensor, indices: Sequence[tuple[cst.CSTNode, Value | None]]) -> Tensor:
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
            case _:
                low, high = max(low - 1, 0), None
    return Tensor(base.placement, (low, high), base.graph)
