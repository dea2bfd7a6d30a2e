"""Wrappers that replicate a module over devices, and ask that it is on the first of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.interpreter import iteration
from torchdevlint.knowledge.rows import ContainerKind, ModuleType, Replicas
from torchdevlint.lattice import ACCELERATOR, Concrete, Placement
from torchdevlint.names import text_of
from torchdevlint.parallel import Fed, Replicated
from torchdevlint.state import ALONE, MAX_DEPTH
from torchdevlint.transfers import groups, scattering
from torchdevlint.transfers.operands import function_text
from torchdevlint.transfers.placing import contained, move_module
from torchdevlint.values import NONE, Const, Container, Device, Holder, Module, Tensor, Value, options

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


WRAPPED = "<wrapped>"
"""The slot that holds the call that made a wrapper, and where it wants its module."""


def wrap(run: Run, made: Module, row: ModuleType, wrapped: Argument, call: Call) -> None:
    """Note where a wrapper wants the module that it is given, and record it where it asks at once."""
    given = call.get(1, "device_ids")
    if row.replicas is Replicas.CALLED:
        groups.replicated(run, wrapped.value, call, function_text(call))
    if row.replicas is Replicas.MOVED and isinstance(wrapped.value, Module):
        before = run.module_placement(wrapped.value) or lattice.ANY
        if any(lattice.is_host(p.device) for p in before):
            move_module(run, wrapped.value, lattice.ANY)
    if row.replicas in (Replicas.NEVER, Replicas.MOVED) or call.open:
        return
    world = run.world
    for value, condition in options(given.value) if given is not None else ((NONE, lattice.ALWAYS),):
        run.world = world | condition
        if not condition or row.replicas is Replicas.MADE:
            _told(run, made, row, wrapped.value, value, call)
    run.world = world


def _told(run: Run, made: Module, row: ModuleType, inner: Value, given: Value, call: Call) -> None:
    """Note or record what a wrapper is told of its devices."""
    if given == NONE:
        devices = None
    elif isinstance(given, Container):
        devices = iteration.elements(run, given)
    else:
        return
    if row.replicas is Replicas.MADE:
        _asked(run, inner, devices or [], call)
    elif isinstance(inner, Module) and (devices is None or len(devices) > 1):
        first = devices[0] if devices is not None else Const(0)
        if isinstance(first, Const) and isinstance(first.value, int):
            run.store.set(made.key, WRAPPED, (call.node, Concrete(ACCELERATOR, first.value)))


def _asked(run: Run, inner: Value, devices: list[Value], call: Call) -> None:
    """Record what a wrapper for one process sees of its module where it is made and told devices."""
    if not devices:
        return
    run.facts.neighbours |= not isinstance(devices[0], Const)
    text, name = function_text(call), inner.name if isinstance(inner, Module) else "a module"
    if len(devices) > 1:
        run.emit(Replicated(call.node, run.world, text, name, lattice.ANY, lattice.ANY, None, len(devices)))
        return
    match devices[0]:
        case Const(value=int(index)):
            home = lattice.on(Concrete(ACCELERATOR, index))
        case Device(placement=placement):
            home = placement
        case _:
            home = lattice.on(Concrete(ACCELERATOR))
    for state in states(run, inner, 0):
        if state != lattice.ANY:
            run.emit(Replicated(call.node, run.world, text, name, state, home, None))
        if isinstance(inner, Module) and any(lattice.is_host(p.device) for p in state):
            move_module(run, inner, lattice.ANY)  # what it refuses goes nowhere


def meet(run: Run, module: Module, inner: object, call: Call) -> None:
    """Record that a wrapper was called that wants its module on a device."""
    kept = run.store.get(module.key, WRAPPED)
    if isinstance(kept, tuple) and isinstance(inner, Module):
        state = next((state for state in states(run, inner, 0) if state != lattice.ANY), None)
        if state is not None:
            home = lattice.on(kept[1])
            run.emit(Replicated(call.node, run.world, function_text(call), inner.name, state, home, kept[0]))


def called(run: Run, module: Module, inner: object, placed: Placement, call: Call) -> Value | None:
    """Return what a wrapper with several devices gathers where its replicas give scalars, else None."""
    kept = run.store.get(module.key, WRAPPED)
    if not isinstance(kept, tuple) or not isinstance(inner, Module):
        return None
    given = scattering.replicate(run, inner, kept[1], call)
    return scattering.gathered(run, *given, placed, call) if given is not None else None


def fed(run: Run, module: Module) -> None:
    """Record the loaders from which the loops that run feed a wrapper that runs in several processes."""
    if module.type.replicas is not Replicas.MADE or module.key not in run.wrapped or run.store.get(0, ALONE):
        return
    for loop in run.running:
        for loader, condition in run.fed.get(loop, ()):
            if loader.made is not None and loader.whole and lattice.compatible(condition, run.world):
                text, wrapped = text_of(loader.made), run.wrapped[module.key][0]
                run.emit(Fed(loader.made, run.world | condition, text, loop, loader.whole, wrapped))


def states(run: Run, value: Value, depth: int) -> Iterator[Placement]:
    """Yield where the tensors are that a module surely holds."""
    match value:
        case Tensor() if value.held is not Holder.NONE:
            yield value.placement
        case Module() if depth < MAX_DEPTH:
            if value.cls is None and value.type.container is ContainerKind.NONE:
                if value.type.holds_tensors and not value.type.abstract:
                    yield run.module_placement(value) or lattice.ANY
                return
            for _, item in run.attribute_values(value.key):
                yield from states(run, item, depth + 1)
            for item in contained(run, value):
                yield from states(run, item, depth + 1)
        case _:
            return
