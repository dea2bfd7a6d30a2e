"""Groups of processes: when this one joined, and modules that each of them puts in the same place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.interpreter import calls
from torchdevlint.knowledge.rows import EnvironmentRow, StartProcesses
from torchdevlint.lattice import Concrete, Placement
from torchdevlint.parallel import PlacedAlike, Unsynchronised
from torchdevlint.state import ALONE, JOINED, SYNCHRONISED
from torchdevlint.transfers.operands import function_text
from torchdevlint.values import Const, Module, Opaque, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def join(run: Run, row: EnvironmentRow, call: Call) -> None:
    """Note that the process joined a group, unless it is the only one in it."""
    processes, rank = call.keywords.get(row.processes), call.keywords.get(row.rank)
    if processes is not None and processes.value == Const(1):
        run.store.set(0, ALONE, True)
    else:
        run.store.set(0, JOINED, (call.node, run.world, run.foreign))
        run.facts.ranked |= rank is not None and not isinstance(rank.value, Const)


def start(run: Run, row: StartProcesses, call: Call, receiver: Argument | None) -> Value:
    """Note that processes run beside each other on one machine."""
    run.facts.neighbours = True
    return calls.unseen(run, call)


def synchronised(run: Run, module: Value, call: Call) -> None:
    """Note that the layers of a module were made to exchange statistics between processes."""
    if isinstance(module, Module | Opaque):
        run.store.set(module.key, SYNCHRONISED, (call.node, run.world))


def _conversion(run: Run, module: Module | Opaque) -> cst.CSTNode | None:
    """Return the call that made the layers of a module exchange statistics, if it can have run in this world."""
    match run.store.get(module.key, SYNCHRONISED):
        case (cst.CSTNode() as node, frozenset() as world) if lattice.compatible(world, run.world):
            return node
        case _:
            return None


def replicated(run: Run, module: Value, call: Call, text: str) -> None:
    """Record that a module whose layers exchange statistics between processes is replicated in one."""
    converted = _conversion(run, module) if isinstance(module, Module | Opaque) else None
    if converted is not None:
        run.emit(Unsynchronised(call.node, run.world, text, converted, True))


def called_alone(run: Run, module: Module, call: Call) -> None:
    """Record that a module whose layers exchange statistics was called in a program that has joined no group."""
    converted = _conversion(run, module)
    joined = run.store.get(0, JOINED) is not None or run.store.get(0, ALONE) is not None
    seen = not run.foreign and run.activation == 0 and module.key not in run.lent
    if converted is not None and seen and not joined:
        run.emit(Unsynchronised(call.node, run.world, function_text(call), converted, False))


def told_by(run: Run, local: tuple[str, ...], name: Value | None) -> None:
    """Note that the process is told its number on the machine by a variable of the environment."""
    if isinstance(name, Const) and name.value in local:
        run.facts.ranked = run.facts.neighbours = True


def chosen(run: Run, value: Value, placement: Placement | None) -> None:
    """Note that a device may be chosen for this process: one that is named by what cannot be followed."""
    devices = [p.device for p in lattice.expanded(placement or frozenset(), lattice.NO_FACTS)]
    if placement is None or all(isinstance(device, Concrete) for device in devices):
        return
    run.facts.chosen = True


def placed(run: Run, node: cst.CSTNode, text: str, after: Placement, proof: int) -> None:
    """Record that a module was put where every other process of the group puts its own."""
    joined = run.store.get(0, JOINED)
    if not isinstance(joined, tuple) or joined[2] or run.foreign:
        return
    if any(guard not in lattice.ACCELERATORS for guard, _ in run.world - joined[1]):
        return  # perhaps one of the processes only
    shared = [p for p in lattice.expanded(after, lattice.NO_FACTS, run.world) if lattice.is_accelerator(p.device)]
    if len(shared) == 1 and isinstance(shared[0].device, Concrete):
        run.emit(PlacedAlike(node, run.world, text, shared[0], joined[0], proof))
