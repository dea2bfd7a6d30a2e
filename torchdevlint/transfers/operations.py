"""Operations on tensors: the result follows one of them, or several meet in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import Combined, Need, Operand
from torchdevlint.interpreter import calls, clocks, escapes, iteration, pace
from torchdevlint.knowledge.rows import Combine, Follow, Mix, RankRule
from torchdevlint.lattice import ANY, Placement, Symbol, SymbolKind
from torchdevlint.records import replace
from torchdevlint.transfers import leaves, ranks, reads, tensors
from torchdevlint.transfers.checkpoints import keep
from torchdevlint.transfers.operands import operand, parameters, subject
from torchdevlint.transfers.placing import taken
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Choice,
    Const,
    Container,
    Flag,
    Holder,
    Kept,
    Module,
    Object,
    Opaque,
    Parameters,
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
    source = call.get(row.position, "input") if row.position and receiver is None else subject(call, receiver)
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
    if isinstance(value, Container | Parameters):
        value = iteration.element(run, value, source.node)
    others = call.arguments if receiver is not None else call.arguments[1:]
    other = call.keywords.get("other") or (others[0] if others else None)
    if row.binary and other is not None and isinstance(other.value, Tensor):
        return combine(run, Combine(), call, receiver)
    written = outputs(run, call)
    if written:
        meet(run, call.node, Combine(mix=row.out_mix), [operand(run, source.node, value, "input"), *written])
        return call.keywords["out"].value
    return follow(run, row, value, call)


OUT = "out"
"""The role of a tensor that an operation writes to; without dimensions it is refused on the host like others."""


def outputs(run: Run, call: Call) -> list[Operand]:
    """Return the operands that a call writes to (`out=`), one or several."""
    out = call.keywords.get("out")
    if out is None:
        return []
    values = iteration.parts(run, out.value, out.node) if isinstance(out.value, Container) else [out.value]
    nodes = element_nodes(out.node, len(values))
    return [
        operand(run, node, value, OUT)
        for node, value in zip(nodes, values, strict=True)
        if isinstance(value, Tensor | Opaque)
    ]


def follow(
    run: Run, row: Follow, value: Value, call: Call | None = None, node: cst.BaseExpression | None = None
) -> Value:
    """An operation on one tensor, by a call or, at a ``node``, an attribute: the result is where the tensor is."""
    place = call.node if call is not None else node
    given = value
    if isinstance(value, Opaque):
        value = _of_opaque(run, row, value, place)
    elif isinstance(value, Tensor) and value.held is Holder.PARAMETER and not (row.in_place or run.frame.in_module):
        value = _of_parameter(run, row, value, place)
    if not isinstance(value, Tensor):
        return UNKNOWN
    rank = ranks.sizes_of(run, call) if row.rank is RankRule.SIZES else ranks.following(run, row.rank, value.rank, call)
    graph = False if run.no_grad else value.graph if row.graph is None else row.graph
    plain = row.rank is RankRule.SAME
    whole, gathered = value.output and plain, value.gathered if plain else None
    result = Tensor(value.placement, rank, graph, tallies=value.tallies, flight=value.flight, output=whole)
    if value.kept or gathered is not None:
        result = replace(result, kept=value.kept, gathered=gathered)
    if row.rank in (RankRule.REDUCE, RankRule.REDUCE_LATE) and call is not None:
        run.arrive(value, call.node)
        if value.gathered is not None:
            run.facts.reduced.add(value.gathered.node)
    if row.demands:
        return leaves.demanded(run, value, call.arguments[0].value if call is not None and call.arguments else None)
    if row.in_place:
        carries = value.graph if row.graph is None else row.graph
        changed = Tensor(value.placement, rank, carries, value.held, value.leaf, gathered=gathered)
        for slot in run.store.holders(given) if row.graph is False else ():
            run.store.set(*slot, changed)  # `x.detach_()`: the variable itself has no graph from here on
        return changed
    count = row.count
    if row.returns_pair_with_dim and call is not None:
        first = call.get(0, "input")
        positional = call.arguments[1:] if first is not None and first.value is given else call.arguments
        if positional or "dim" in call.keywords:
            count = 2
    if count == 0:
        return result
    if count < 0:
        return run.container("tuple", (), result)
    return run.container("tuple", (result, *(Tensor(value.placement, rank, False) for _ in range(count - 1))))


def _along(placement: Placement) -> Placement:
    """Return where something is that moves with a parameter: what is on the host now may be elsewhere later."""
    return ANY if any(lattice.is_host(p.device) for p in placement) else placement


def _of_opaque(run: Run, row: Follow, value: Opaque, node: cst.BaseExpression | None) -> Tensor:
    """Return the tensor that an object is; what is made of the parameters of a module does not move with it."""
    module = run.parameter_of.get(value.key)
    place = run.placement_of(value)
    if not value.parameter or module is None:
        return Tensor(place)
    if row.along:
        return Tensor(_along(place), (1, None))
    return Tensor(taken(run, place, module.key, node, "a copy of parameters") if node is not None else place, (1, None))


def _of_parameter(run: Run, row: Follow, value: Tensor, node: cst.BaseExpression | None) -> Tensor:
    """Return what is made of a parameter of a module outside of it: that does not move with the module."""
    holders = [slot for slot in run.store.holders(value) if slot in run.lent_parameters]
    if row.along:
        return replace(value, placement=_along(value.placement))
    if not holders or node is None:
        return value
    return replace(value, placement=taken(run, value.placement, holders[0][0], node, "a copy of a parameter"))


def operate(
    run: Run,
    row: Combine,
    node: cst.CSTNode,
    operands: Sequence[tuple[cst.CSTNode, Value]],
) -> Value:
    """Return the value of an operator on operands, and record that they met."""
    operands = [(part, _reckoned(value)) for part, value in operands]
    values = [value for _, value in operands]
    tensors = [v for v in values if isinstance(v, Tensor) or (isinstance(v, Opaque) and v.placement != ANY)]
    for value in values:
        run.arrive(value, node)
        if any(isinstance(one, Module) for one in values):
            escapes.escape(run, value)  # what is made of containers holds the same modules
    if any(isinstance(v, Tensor) for v in values):
        for v in tensors:
            if isinstance(v, Opaque) and reads.moved_itself(run, v):
                run.facts.tensors.add(v.key)  # what is moved, and then reckoned with a tensor, is one
    if not any(isinstance(v, Tensor) or _counts(run, v) for v in tensors):
        # Not proven: what is made of it is no more than it is, and is proven with it.
        return tensors[0] if tensors else _without_tensors(run, values)
    names = ("input", "other")
    meet(run, node, row, [operand(run, n, v, names[i]) for i, (n, v) in enumerate(operands) if v in tensors])
    result = combined(run, row, values)
    if _is_heavy(row):
        clocks.launched(run, node, result.placement)
    return result


def _reckoned(value: Value) -> Value:
    """Return the tensor that an operand is where it is not None, with which nothing can be reckoned."""
    if type(value) is not Choice:
        return value
    match [(option, condition) for option, condition in value.options if option != NONE]:
        case [(Tensor() as tensor, condition)]:
            return replace(tensor, placement=lattice.under(tensor.placement, condition) or ANY)
        case _:
            return value


def _is_heavy(row: Combine) -> bool:
    """Tell whether an operation may take its time: a product of matrices does, a sum of numbers does not."""
    return row.mix is Mix.STRICT and not row.in_place and not row.index and not row.sequence


def meet_assigned(
    run: Run, target: cst.Subscript, base: Tensor, value: Tensor, given: tuple[cst.CSTNode, bool], node: cst.CSTNode
) -> None:
    """Record that values met what they are assigned to by a mask or an index, and whether they were ``given`` whole."""
    other = replace(operand(run, given[0], value, "other"), part=not given[1])
    put(run, node, operand(run, target.value, base, "input"), other)


def put(run: Run, node: cst.CSTNode, owner: Operand, value: Operand) -> None:
    """Record that values met what they are put into; one without dimensions is moved there (ATen's `index_put_`)."""
    if value.rank[0] > 0:
        meet(run, node, Combine(), [owner, value])


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
    run.emit(
        Combined(
            node,
            run.world,
            run.frame.entry,
            tuple(operands),
            row.mix,
            row.in_place,
            strict=(OUT,),
            scalars=row.scalars,
        )
    )


def combined(run: Run, row: Combine, values: Sequence[Value]) -> Tensor:
    """Return the result of a combination."""
    tensors = [
        v if isinstance(v, Tensor) else Tensor(run.placement_of(v))
        for v in values
        if isinstance(v, Tensor) or (isinstance(v, Opaque) and _counts(run, v))
    ]
    # An operand of unknown kind may be a tensor: beside a host scalar it then decides where and what the result is.
    unseen = len(tensors) < sum(not isinstance(v, Const | Flag) for v in values)
    rank = ranks.combined(run, row.rank, [*tensors, Tensor()] if unseen else tensors)
    graph: bool | None
    if run.no_grad or row.graph is False:
        graph = False
    else:
        graphs = {t.graph for t in tensors}
        graph = True if True in graphs else None if None in graphs else False
    tallies = frozenset[int]().union(*(t.tallies for t in tensors))
    kept = pace.as_whole(tensors) if row.sequence else frozenset[Kept]()
    if not row.sequence and graph is not False:
        pace.computed(run, tensors)
    if row.in_place or row.mix is Mix.FREE:
        first = tensors[0] if tensors else Tensor()
        return Tensor(first.placement, first.rank if row.in_place else rank, graph, tallies=tallies)
    number = any(isinstance(v, Opaque) and v.placement == ANY for v in values)
    undecided = unseen and tensors and all(_may_be_host_scalar(t) for t in tensors)
    gathered = next((t.gathered for t in tensors if t.gathered is not None and t.rank == rank), None)
    place = ANY if undecided else result_placement(tensors)
    return Tensor(place, rank, graph, tallies=tallies, number=number, gathered=gathered, kept=kept)


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
    if row.sized is not None and call.get(len(row.operands), "size") is not None:
        return tensors.make(run, row.sized, call, receiver)
    arguments = [(name, _as_tensor(run, argument)) for name, argument in _operands(run, row, call, receiver)]
    values = [argument.value for _, argument in arguments]
    numbers = any(
        isinstance(a.value, Const) and a.value != NONE and name in row.number_overload for name, a in arguments
    )
    operands = []
    for name, argument in arguments:
        value = argument.value
        escapes.consume(run, value)
        keep(run, value)
        run.arrive(value, call.node)
        if isinstance(value, Opaque) and name in ("input", *row.operands[:1]) and not row.sequence:
            run.facts.tensors.add(value.key)
        if not isinstance(value, Tensor | Opaque) or name in row.optional_host:
            continue
        if numbers and name in row.number_overload and isinstance(value, Tensor) and value.rank[0] == 0:
            continue
        made = operand(run, argument.node, value, name, name in row.index)
        operands.append(replace(made, part=True) if argument.part else made)
    written = outputs(run, call)
    if written and row.out_mix not in (None, Mix.FREE):
        row = replace(row, mix=row.out_mix)
    meet(run, call.node, row, operands if row.out_mix is Mix.FREE else operands + written)
    if written:
        return call.keywords["out"].value
    results = [v for v in values if isinstance(v, Tensor | Opaque | Choice | Unknown)]
    if row.sequence and not any(isinstance(v, Tensor | Opaque) for v in results):
        return Tensor(ANY, (1, None))
    result = combined(run, row, results)
    if _is_heavy(row):
        clocks.launched(run, call.node, result.placement)
    if row.count < 0:
        return run.container("tuple", (), result)
    if row.count and isinstance(result, Tensor):
        further = (Tensor(result.placement, graph=None) for _ in range(row.count - 1))
        return run.container("tuple", (result, *further))
    return result


def _operands(run: Run, row: Combine, call: Call, receiver: Argument | None) -> list[tuple[str, Argument]]:
    """Return the tensor arguments of a combination with the names of their parameters."""
    found: list[tuple[str, Argument]] = []
    given = ([receiver] if receiver is not None else []) + call.arguments
    if row.format or row.variadic:
        given = given[1:] if row.format else given
        return [
            ("input", each)
            for argument in given
            for each in (_items(run, argument) if isinstance(argument.value, Container) else [argument])
        ]
    if row.sequence:
        first = given[0] if given else call.keywords.get("tensors")
        if first is not None:
            found = [("tensors", item) for item in _items(run, first)]
        return found
    separate = row.instead in call.keywords and call.keywords[row.instead].value != Const(False)
    for index, name in enumerate(row.operands):
        if not name or (separate and name == row.replaced):
            continue
        argument = call.keywords.get(name) or (given[index] if index < len(given) else None)
        if argument is not None:
            found.append((name, argument))
    found.extend((name, call.keywords[name]) for name in row.keywords if name in call.keywords)
    return found


def _as_tensor(run: Run, argument: Argument) -> Argument:
    """Return an argument that is a distribution as the tensor that stands for it."""
    tensor = parameters(run, argument.value)
    return replace(argument, value=tensor) if tensor is not None else argument


def _items(run: Run, argument: Argument) -> list[Argument]:
    """Return the elements of a sequence of tensors."""
    escapes.consume(run, argument.value)
    items = iteration.parts(run, argument.value, argument.node)
    nodes = element_nodes(argument.node, len(items))
    return [calls.Argument(node, item, node is argument.node) for node, item in zip(nodes, items, strict=True)]


def element_nodes(node: cst.CSTNode, count: int) -> list[cst.CSTNode]:
    """Return the nodes of the elements of a list display, or the node itself for each."""
    plain = isinstance(node, cst.List | cst.Tuple) and all(type(e) is cst.Element for e in node.elements)
    if plain and isinstance(node, cst.List | cst.Tuple) and len(node.elements) == count:
        return [element.value for element in node.elements]
    return [node] * count
