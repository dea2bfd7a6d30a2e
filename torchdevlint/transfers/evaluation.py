"""Evaluation: modules that are called in a loop over batches although nobody needs the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint.costs import Evaluated
from torchdevlint.names import text_of
from torchdevlint.state import MODE
from torchdevlint.transfers.modules import FROZEN
from torchdevlint.transfers.optimizers import held_optimizers
from torchdevlint.values import Const, Module, Opaque, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


def evaluated(run: Run, module: Module | Opaque, call: Call, result: Value | None) -> None:
    """Record that a loop over batches called a module in evaluation mode, where a graph is built."""
    frame = run.frame
    if not frame.loops or not frame.loops[-1].batches or run.no_grad or run.pace.veiled or frame.in_module:
        return
    if run.store.get(module.key, MODE) != Const(False) or run.store.get(module.key, FROZEN) is True:
        return
    known = isinstance(result, Tensor) and result.graph is True
    if not known and not (result is None or _may_carry(result)):
        return
    if not known and not held_optimizers(run, module):
        return
    caller = frame
    while caller.caller is not None and not caller.decorated_unseen:
        caller = caller.caller
    if caller.decorated_unseen:
        return
    text = text_of(call.node)
    run.emit(Evaluated(call.node, run.world, text, frame.key, tuple(run.running), caller is run.top))


def _may_carry(value: Value) -> bool:
    return not isinstance(value, Tensor) or value.graph is not False
