"""Tensors that a call makes: factories, factories that follow a tensor, conversions of Python data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.knowledge.rows import Convert, Like, Make, RankRule, Unpack
from torchdevlint.lattice import ANY, Placement
from torchdevlint.state import Items
from torchdevlint.transfers import environment, ranks, workers
from torchdevlint.transfers.devices import place_of, typed
from torchdevlint.transfers.operands import subject
from torchdevlint.values import (
    ANY_RANK,
    NONE,
    SCALAR,
    UNKNOWN,
    Const,
    Container,
    Imported,
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


def make(run: Run, row: Make, call: Call, receiver: Argument | None) -> Tensor:
    """A factory: on the host or the default device, unless a device is given."""
    what = f"made by `{call.text}`"
    out = call.keywords.get("out")
    if out is not None and out.value != NONE:
        return Tensor(run.placement_of(out.value), ranks.made(run, row.rank, row.shape, row.packed, call), False)
    device = place_of(run, call.get(row.device, "device"), moving=False)
    hidden = call.spread or (call.hidden and row.device > 0)
    if row.legacy == "cuda":
        placement = lattice.on(lattice.Concrete("cuda"), Why(Role.CREATED, call.node, what))
        run.facts.accelerated = True
        typed(run, call.node, call.text)
    elif device is not None and not row.always_host:
        workers.placed(run, call.node, call.text, device)
        environment.begun_at(run, call.node, call.text, device)
        placement = _because(device, Why(Role.CREATED, call.node, what))
    elif hidden and "device" not in call.keywords and not row.always_host:
        placement = ANY
    elif row.always_host:
        placement = _host_only(run, call.node, what)
    else:
        placement = run.default_placement(call.node, what)
        if not row.legacy:
            run.facts.factories.add(call.node)
        if not row.legacy and "generator" not in call.keywords:  # one of the host's draws the same on every machine
            run.pace.made.add(call.node)
    grad = call.keywords.get("requires_grad")
    graph: bool | None = False
    if grad is not None:
        graph = grad.value == Const(True) if isinstance(grad.value, Const) else None
    size = call.get(row.shape, "size") if row.rank is RankRule.SHAPE and not row.packed else None
    empty = size is not None and size.value == Const(0)
    rank = _rank_of_array(run, call) if row.always_host else None
    made = ranks.made(run, row.rank, row.shape, row.packed, call) if rank is None else rank
    return Tensor(placement, made, graph, leaf=True, empty=empty)


def _rank_of_array(run: Run, call: Call) -> Rank | None:
    """Return the rank of what is made of an array that was made of a number, None for any other array."""
    value = call.arguments[0].value if call.arguments else UNKNOWN
    return SCALAR if isinstance(value, Object) and value.key in run.numbers_as_arrays else None


def _host_only(run: Run, node: cst.CSTNode, what: str) -> Placement:
    inside = run.frame.in_module and not run.frame.constructing
    return lattice.on(lattice.HOST, Why(Role.CREATED_IN_MODULE if inside else Role.CREATED, node, what))


def _because(placement: Placement, why: Why) -> Placement:
    """Return a placement with a reason of its own."""
    return frozenset(lattice.Possibility(p.device, p.condition, why) for p in placement)


def like(run: Run, row: Like, call: Call, receiver: Argument | None) -> Value:
    """A factory that follows a tensor, unless a device is given."""
    source = subject(call, receiver)
    if source is None:
        return UNKNOWN
    device = place_of(run, call.keywords.get("device"), moving=False)
    placement = device if device is not None else run.placement_of(source.value)
    if isinstance(source.value, Opaque):
        run.facts.tensors.add(source.value.key)
    if row.rank is RankRule.SAME:
        rank = source.value.rank if isinstance(source.value, Tensor) else ANY_RANK
    else:
        rank = ranks.made(run, row.rank, row.shape, row.packed, call)
    return Tensor(placement, rank, graph=False)


def unpack(run: Run, row: Unpack, call: Call, receiver: Argument | None) -> Value:
    """Return the padded tensor, and the lengths of its rows."""
    lengths = lattice.on(lattice.HOST, Why(Role.CREATED, call.node, f"given by `{call.text}`"))
    return run.container("tuple", [Tensor(run.placement_of(call.first), ANY_RANK), Tensor(lengths, (1, 1), False)])


def convert(run: Run, row: Convert, call: Call, receiver: Argument | None) -> Tensor:
    """`torch.tensor(e)`: a tensor keeps its device, anything else is made on the host."""
    argument = call.get(0, "data")
    device = place_of(run, call.keywords.get("device"), moving=False)
    value = argument.value if argument is not None else UNKNOWN
    rank = ranks.of_data(run, value)
    if isinstance(value, Opaque):
        rank = ANY_RANK
    why = Why(Role.CREATED, call.node, f"made by `{call.text}`")
    if device is not None:
        workers.placed(run, call.node, call.text, device)
        return Tensor(_because(device, why), rank, _graph(row, call, value), leaf=True)
    if isinstance(value, Tensor):
        return Tensor(value.placement, value.rank, _graph(row, call, value))
    if isinstance(value, Opaque | Unknown | Imported) and (not row.copies or _may_be_tensor(run, value)):
        return Tensor(run.placement_of(value) if isinstance(value, Opaque) and _is_tensor(run, value) else ANY, rank)
    if call.open:
        return Tensor(ANY, rank)
    empty = isinstance(value, Container) and run.items(value) == Items()
    placement = run.default_placement(call.node, f"made by `{call.text}`")
    run.facts.factories.add(call.node)
    return Tensor(placement, rank, _graph(row, call, value), leaf=True, empty=empty)


def _graph(row: Convert, call: Call, value: Value) -> bool | None:
    """Return whether what is made of a value carries a graph: its own if it is asked for, or that of a tensor."""
    asked = call.keywords.get("requires_grad")
    if asked is not None and asked.value != Const(False):
        return asked.value == Const(True) or None
    if isinstance(value, Tensor):
        return value.graph if row.graph else False
    return None if isinstance(value, Opaque | Unknown | Imported) and not row.copies else False


def _is_tensor(run: Run, value: Opaque) -> bool:
    """Tell whether an opaque value is a tensor, and not perhaps the number or list that an object on a device keeps."""
    return value.member or value.key in run.facts.tensors


def _may_be_tensor(run: Run, value: Value) -> bool:
    """Tell whether something shows that an opaque value is a tensor."""
    return isinstance(value, Opaque) and (
        value.key in run.facts.tensors or value.output or (value.placement != ANY and value.source == 0)
    )
