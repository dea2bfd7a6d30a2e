"""Gradients: backward passes, and contexts in which no graph is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.interpreter import calls, conditions, escapes, pace
from torchdevlint.knowledge.rows import Backward, Differentiate, GradMode, NoGrad, RunForward
from torchdevlint.names import text_of
from torchdevlint.parallel import BackwardOfMany
from torchdevlint.state import TRAINED
from torchdevlint.transfers import optimizers
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Const,
    Imported,
    Opaque,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def backward(run: Run, row: Backward, call: Call, receiver: Argument | None) -> Value:
    """Run a backward pass: what it runs on has a graph, and whoever runs it trains."""
    receiver = receiver or (call.arguments[0] if call.arguments else None)
    optimizers.trained(run)
    run.facts.stepping_loops.update(run.running[-1:])
    if receiver is None:
        return NONE
    run.store.set(0, TRAINED, run.activation + 1)
    escapes.consume(run, receiver.value)
    slot = conditions.slot_of(run, receiver.node)
    if slot is not None:
        run.facts.backward.add(slot)
    made = receiver.value.gathered if isinstance(receiver.value, Tensor) else None
    if made is not None and not call.keywords and not any(a is not receiver for a in call.arguments):
        world = run.world | made.condition
        if lattice.compatible(world, world):
            run.emit(BackwardOfMany(call.node, world, text_of(receiver.node), made.text, made.node))
    if isinstance(receiver.value, Opaque):
        run.facts.tensors.add(receiver.value.key)
        run.facts.graphs.add(receiver.value.key)
    return NONE


def differentiate(run: Run, row: Differentiate | RunForward, call: Call, receiver: Argument | None) -> Value:
    """Give gradients: the loops that run need a graph."""
    pace.differentiated(run)
    return calls.unseen(run, call)


def grad_mode(run: Run, row: GradMode, call: Call, receiver: Argument | None) -> Value:
    """Switch the building of graphs off (or on again) until the function ends, or for one block."""
    mode = call.get(0, "mode")
    on = mode is not None and mode.value == Const(True)
    if call.discarded:
        run.no_grad = 0 if on else run.no_grad + 1
        return NONE
    return UNKNOWN if on else Imported("", row)


def no_grad(run: Run, row: NoGrad, call: Call, receiver: Argument | None) -> Value:
    """Return the context in which no graph is built; one that is switched off (`inference_mode(False)`) is none."""
    mode = call.get(0, "mode")
    return UNKNOWN if mode is not None and mode.value == Const(False) else Imported("", row)
