"""Moves that there are not: of containers, with strange arguments, of modules and tensors that a library places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.incidents import NoMove
from torchdevlint.interpreter import expressions
from torchdevlint.knowledge.rows import Move
from torchdevlint.lattice import ANY, Concrete, Placement, SymbolKind, is_host
from torchdevlint.names import text_of
from torchdevlint.transfers.operands import receiver_node
from torchdevlint.values import Const, Container, Module, Tensor

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

SPREAD = "<spread>"
"""The slot that holds the argument by which a library was asked to spread a module over devices."""

_KINDS = {"list": "a list", "dict": "a dict", "set": "a set", "tuple": "a sequence"}


def of_container(run: Run, receiver: Container, name: str, call: Call, node: cst.Attribute) -> None:
    """Record that a container was asked to move, unless a test that cannot be seen may have asked what it is."""
    tested = any("?" in guard for guard, _ in run.world)
    if not isinstance(run.knowledge.module.get(name), Move) or receiver.kind not in _KINDS:
        return
    if not isinstance(node.value, cst.Name | cst.Attribute | cst.Subscript):
        return
    items = run.items(receiver)
    if not items.exact and items.rest is None:
        return  # an empty one may stand for nothing
    if tested or run.guarded or items.lost or expressions.evaluate(run, node.value) != receiver:
        return  # it may be something else
    _record(run, call, text_of(node.value), f"is {_KINDS[receiver.kind]}, which has no `.{name}`")


def arguments(run: Run, row: Move, call: Call, proof: int) -> bool:
    """Record that a move was given an argument that it does not take, and return whether it was.

    ``proof`` is that of an `Operand`.
    """
    strange = next((name for name in call.keywords if name not in row.keywords and name != "**"), None)
    kernel = bool(proof) and run.frame.decorated_unseen  # what a kernel is handed only looks like a tensor
    if row.keywords and strange is not None and not run.guarded and not kernel:
        _record(run, call, text_of(receiver_node(call)), f"cannot be moved with `{strange}=`", proof, named=True)
    return row.keywords != () and strange is not None


def spread(run: Run, module: Module, names: tuple[str, ...], call: Call) -> None:
    """Note that a library was asked to spread a module over devices as it sees fit."""
    for name in names:
        given = call.keywords.get(name)
        if given is not None and isinstance(given.value, Const) and given.value.value in run.knowledge.spreads:
            run.store.set(module.key, SPREAD, (call.node, f"{name}={given.value.value!r}"))


def of_spread(run: Run, module: Module, call: Call, after: Placement) -> None:
    """Record that a module was moved which a library has spread over devices; what is asked for may be a dtype."""
    kept = run.store.get(module.key, SPREAD)
    sure = all(isinstance(p.device, Concrete) or p.device.kind is SymbolKind.PLACE for p in after) and after != ANY
    if isinstance(kept, tuple) and sure and not run.guarded:
        why = f"was spread by `{kept[1]}` (a move undoes that, or fails where parts are offloaded)"
        _record(run, call, text_of(receiver_node(call)), why)


def prepared(run: Run, call: Call, argument: Argument) -> None:
    """Record that a framework was given a tensor to prepare, which it leaves alone."""
    if isinstance(argument.value, Tensor):
        text = text_of(argument.node)
        why = f"is a tensor, which `{call.text}` leaves where it is"
        stays = next((p.why for p in argument.value.placement if is_host(p.device)), None)
        run.emit(NoMove(call.node, run.world, text, why, 0, stays=stays))


def _record(run: Run, call: Call, text: str, why: str, proof: int = 0, named: bool = False) -> None:
    run.emit(NoMove(call.node, run.world, text, why, proof, named))
