"""Leaves: tensors that a gradient is gathered for, and the copies of them that a move makes, which are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import LeafMoved
from torchdevlint.facts import PROVEN
from torchdevlint.interpreter import pace
from torchdevlint.lattice import Placement, Symbol
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import MAX_DEPTH
from torchdevlint.transfers.placing import contained
from torchdevlint.values import Const, Container, Holder, Tensor, Unleafed, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


def demanded(run: Run, value: Tensor, wanted: Value | None) -> Tensor:
    """Have a graph built for a tensor from here on, or none, under whatever name it is known."""
    graph: bool | None = None
    if wanted is None or (isinstance(wanted, Const) and isinstance(wanted.value, bool)):
        graph = wanted is None or wanted == Const(True)
    if graph is not False:
        pace.differentiated(run)
    made = replace(value, graph=graph)
    for slot in run.store.holders(value):
        run.store.set(*slot, made)
    return made


def unleafed(
    run: Run, call: Call, node: cst.CSTNode, value: Tensor, after: Placement, derived: bool
) -> Unleafed | None:
    """Return what is known of a move by which a tensor is no leaf any more, or never was one."""
    if not value.leaf or value.graph is not True or run.no_grad:
        return value.unleafed
    parameter = value.held is Holder.PARAMETER
    if parameter and not derived:
        for possibility in after:  # where a parameter is moved, modules are
            if isinstance(possibility.device, Symbol):
                run.facts.carriers.setdefault(possibility.device.key, set()).add(PROVEN)
    return Unleafed(call.node, f"{text_of(node)}.{call.text}", parameter, value.placement, after, run.world)


def assigned(run: Run, value: Value, name: str, node: cst.CSTNode) -> None:
    """Record that the copy of a parameter was given to a module, which registers parameters only."""
    if isinstance(value, Tensor) and value.unleafed is not None and value.unleafed.parameter:
        _used(run, value.unleafed, f"`{name}` registers none", node)


def optimized(run: Run, value: Value, call: Call, depth: int = 0) -> None:
    """Record each copy of a leaf among what an optimizer is given."""
    match value:
        case Tensor(unleafed=Unleafed() as move):
            _used(run, move, f"`{call.text}` refuses it", call.node)
        case Container() if depth < MAX_DEPTH:
            for item in contained(run, value):
                optimized(run, item, call, depth + 1)
        case _:
            return


def _used(run: Run, move: Unleafed, use: str, node: cst.CSTNode) -> None:
    if lattice.compatible(move.world, run.world):
        kind = "parameter" if move.parameter else "leaf"
        world = move.world | run.world
        run.emit(LeafMoved(move.node, world, move.text, kind, move.before, move.after, use, node))
