"""Optimizers: which modules' parameters they hold, whether they were stepped, and what was loaded into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.incidents import HeldOptimizer
from torchdevlint.interpreter import calls, escapes, iteration
from torchdevlint.knowledge.rows import AddGroup, GroupsOf, LoadState, OptimizerType, Row, Step
from torchdevlint.lattice import ALWAYS, Condition
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import MAX_DEPTH, OPTIMIZERS, STEPPED
from torchdevlint.transfers import checkpoints, leaves
from torchdevlint.transfers.placing import contained
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
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


MAX_HOLDING = 64
"""How many optimizers of one module are followed."""

LOADED = "<loaded>"
"""The slot that holds the call by which state was loaded into an optimizer."""


def construct(run: Run, row: OptimizerType, call: Call, receiver: Argument | None) -> Optimizer:
    """Build an optimizer: note on each module whose parameters it takes that it holds them."""
    made = Optimizer(run.new_key(), row, call.text)
    run.facts.works |= run.activation == 0
    stateless = row.stateless_without != "" and row.stateless_without not in call.keywords
    argument = call.get(0, "params")
    if argument is not None:
        modules = _modules(run, argument.value, 0)
        leaves.optimized(run, argument.value, call)
        run.optimizer_modules[made.key] = tuple(module for module, _ in modules)
        home = _devices(_places(run, made.key))
        scope = run.frame.scope
        held = HeldOptimizer(made.key, row, call.text, call.node, None, None, stateless, home, scope=scope)
        for module, condition in modules:
            _note(run, module, replace(held, condition=condition))
        if row.eager_state:
            run.store.set(made.key, STEPPED, _places(run, made.key))
    return made


def _add_group(run: Run, receiver: Optimizer, call: Call) -> None:
    """Hold the parameters of one more group; their state is made at the next step, whatever the optimizer."""
    argument = call.get(0, "param_group")
    if argument is not None:
        leaves.optimized(run, argument.value, call)
    run.facts.regrouped[receiver.key] = run.new_key()
    late = HeldOptimizer(receiver.key, receiver.type, receiver.name, call.node, None, None, late=True)
    for module, condition in _modules(run, argument.value, 0) if argument is not None else ():
        _note(run, module, replace(late, condition=condition))


def ask_group(run: Run, optimizer: Optimizer, key: object) -> Value | None:
    """Note that a group of an optimizer was asked for its parameters, which may be replaced there.

    Return a list in which one parameter stands for all of each module that is held, None where none is known.
    """
    if not any(isinstance(row, GroupsOf) and row.parameters == key for row in run.knowledge.optimizer.values()):
        return None
    run.facts.regrouped[optimizer.key] = run.new_key()
    held = run.optimizer_modules.get(optimizer.key, ())
    found = [iteration.element(run, Parameters(module), cst.Name("parameters")) for module in held]
    return run.container("list", found) if found else None


def _note(run: Run, module: Module | Opaque, held: HeldOptimizer) -> None:
    for key in _keys(run, module, set()):
        known = run.store.get(key, OPTIMIZERS)
        holding = known if isinstance(known, tuple) else ()
        if len(holding) < MAX_HOLDING:
            run.store.set(key, OPTIMIZERS, (*holding, held))
        run.facts.taken[key] = run.counter


def _modules(run: Run, value: Value, depth: int) -> list[tuple[Module | Opaque, Condition]]:
    """Return the modules whose parameters are among what an optimizer is given, and under which condition they are."""
    match value:
        case Parameters():
            return [(value.module, ALWAYS)]
        case Opaque() if value.parameter and value.key in run.parameter_of:
            return [(run.parameter_of[value.key], ALWAYS)]
        case Container() if depth < MAX_DEPTH:
            items = run.items(value)
            held = (*(v for _, v in items.exact), *((items.rest,) if items.rest is not None else ()))
            return [found for item in held for found in _modules(run, item, depth + 1)]
        case Choice():
            return [
                (module, condition | further)
                for option, condition in value.options
                for module, further in _modules(run, option, depth + 1)
            ]
        case _:
            return []


def current(run: Run, held: HeldOptimizer) -> HeldOptimizer:
    """Return what is known of an optimizer now: stepped, and where state was loaded into it."""
    loaded = run.store.get(held.key, LOADED)
    stepped = run.store.get(held.key, STEPPED)
    return replace(
        held,
        stepped=stepped if isinstance(stepped, frozenset) else None,
        loaded=loaded if isinstance(loaded, cst.CSTNode) else None,
        apart=held.scope is not run.frame.scope,
    )


def of_optimizer(run: Run, row: Row, receiver: Optimizer, call: Call) -> Value:
    """Call a method of an optimizer."""
    match row:
        case Step():
            for argument in call.values():
                escapes.consume(run, calls.call_value(run, argument.value, calls.Call(call.node, "closure")))
            step(run, receiver.key)
        case LoadState():
            run.store.set(receiver.key, LOADED, call.node)
            run.facts.repaired[receiver.key] = run.new_key()
            for argument in call.arguments:
                checkpoints.keep(run, argument.value)
                run.facts.copied.add(argument.node)
                run.facts.restored.add(argument.node)
        case AddGroup():
            _add_group(run, receiver, call)
        case _:
            pass
    return NONE


def step(run: Run, key: int) -> None:
    """Note a step: of the optimizer, and that the running function trains."""
    places = _places(run, key)
    run.store.set(key, STEPPED, places)
    run.facts.steps.setdefault(key, []).append((run.new_key(), _devices(places), run.world))
    trained(run)


def _places(run: Run, key: int) -> lattice.Placement:
    """Return where the parameters that an optimizer holds are now."""
    held = run.optimizer_modules.get(key, ())
    return frozenset(p for module in held for p in run.module_placement(module) or lattice.ANY)


def _devices(placement: lattice.Placement) -> frozenset[lattice.Device]:
    return frozenset(p.device for p in placement)


def trained(run: Run) -> None:
    """Note that the function, and the loops it is in, run a backward pass or a step themselves."""
    run.pace.launch = None
    run.facts.training_functions.add(run.frame.key)
    run.facts.training_loops.update(run.running)


def of_unseen_optimizer(run: Run, row: Row, call: Call) -> Value:
    """Call a method that only optimizers have on an object of unknown kind."""
    if isinstance(row, Step):
        trained(run)
    for argument in call.values():
        escapes.escape(run, argument.value)
    return run.opaque(f"{text_of(call.node)}")


def held_optimizers(run: Run, module: Module | Opaque) -> tuple[HeldOptimizer, ...]:
    """Return the optimizers that hold parameters of a module or of anything in it."""
    found: dict[tuple[int, Condition], HeldOptimizer] = {}
    for key in _keys(run, module, set()):
        held = run.store.get(key, OPTIMIZERS)
        if isinstance(held, tuple):
            for optimizer in held:
                found[optimizer.key, optimizer.condition] = optimizer
    return tuple(current(run, optimizer) for optimizer in found.values())


def _keys(run: Run, module: Value, seen: set[int]) -> set[int]:
    """Return the keys of a module and of the modules and parameters in it."""
    match module:
        case Module() | Opaque():
            if module.key in seen:
                return seen
            seen.add(module.key)
            for _, value in run.attribute_values(module.key):
                if isinstance(value, Module | Opaque):
                    _keys(run, value, seen)
            if isinstance(module, Module):
                for value in contained(run, module):
                    _keys(run, value, seen)
        case _:
            pass
    return seen
