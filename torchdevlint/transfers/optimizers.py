"""Optimizers: which modules' parameters they hold, whether they were stepped, and what was loaded into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.events import HeldOptimizer
from torchdevlint.interpreter import calls
from torchdevlint.knowledge.rows import LoadState, OptimizerType, Row, Step
from torchdevlint.names import text_of
from torchdevlint.state import OPTIMIZERS, STEPPED
from torchdevlint.values import (
    NONE,
    Choice,
    Container,
    Module,
    Opaque,
    Optimizer,
    Parameters,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run

LOADED = "<loaded>"


def construct(run: Run, row: OptimizerType, call: Call) -> Optimizer:
    """Build an optimizer: note on each module whose parameters it takes that it holds them."""
    made = Optimizer(run.new_key(), row, call.text)
    held = HeldOptimizer(made.key, row, call.text, call.node, None, None)
    argument = call.get(0, "params")
    if argument is not None:
        modules = _modules(run, argument.value, 0)
        run.optimizer_modules[made.key] = tuple(modules)
        for module in modules:
            _note(run, module, held)
    return made


def _note(run: Run, module: Module | Opaque, held: HeldOptimizer) -> None:
    from torchdevlint.transfers.moves import _keys

    for key in _keys(run, module, set()):
        known = run.store.get(key, OPTIMIZERS)
        run.store.set(key, OPTIMIZERS, (*(known if isinstance(known, tuple) else ()), held))


def _modules(run: Run, value: Value, depth: int) -> list[Module | Opaque]:
    """Return the modules whose parameters are among what an optimizer is given."""
    match value:
        case Parameters():
            return [value.module]
        case Opaque() if value.parameter and value.key in run.parameter_of:
            return [run.parameter_of[value.key]]
        case Container() if depth < 4:
            items = run.items(value)
            found: list[Module | Opaque] = []
            for item in (*(v for _, v in items.exact), *((items.rest,) if items.rest is not None else ())):
                found.extend(_modules(run, item, depth + 1))
            return found
        case Choice():
            return [module for option, _ in value.options for module in _modules(run, option, depth + 1)]
        case _:
            return []


def current(run: Run, held: HeldOptimizer) -> HeldOptimizer:
    """Return what is known of an optimizer now: stepped, and where state was loaded into it."""
    loaded = run.store.get(held.key, LOADED)
    stepped = run.store.get(held.key, STEPPED)
    return HeldOptimizer(
        held.key,
        held.type,
        held.text,
        held.node,
        stepped if isinstance(stepped, frozenset) else None,
        loaded if isinstance(loaded, cst.CSTNode) else None,
    )


def of_optimizer(run: Run, row: Row, receiver: Optimizer, call: Call) -> Value:
    """Call a method of an optimizer."""
    match row:
        case Step():
            step(run, receiver.key)
        case LoadState():
            run.store.set(receiver.key, LOADED, call.node)
        case _:
            pass
    return NONE


def step(run: Run, key: int) -> None:
    """Note a step: of the optimizer, and that the running function trains."""
    held = run.optimizer_modules.get(key, ())
    places = frozenset(p.device for module in held for p in run.module_placement(module) or ())
    run.store.set(key, STEPPED, places)
    run.facts.stepped[key] = run.new_key()
    trained(run)


def trained(run: Run) -> None:
    """Note that the function, and the loops it is in, run a backward pass or a step themselves."""
    run.facts.training_functions.add(run.frame.key)
    for loop in run.frame.loops:
        run.facts.training_loops.add(loop.node)


def of_unseen_optimizer(run: Run, row: Row, receiver: Opaque, call: Call) -> Value:
    """Call a method that only optimizers have on an object of unknown kind."""
    if isinstance(row, Step):
        trained(run)
    for argument in call.values():
        calls.escape(run, argument.value)
    return run.opaque(f"{text_of(call.node)}")
