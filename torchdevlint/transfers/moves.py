"""Moves: where a call sends its receiver, and what a move is evidence of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import Moved
from torchdevlint.facts import BATCH, PROVEN
from torchdevlint.incidents import HeldOptimizer
from torchdevlint.interpreter import discards, pace
from torchdevlint.knowledge.rows import Carrier, Cast, Move, MoveKind
from torchdevlint.lattice import ANY, HOST, Placement, Possibility, Symbol
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import PLACEMENT
from torchdevlint.transfers import environment, groups, leaves, refusals, workers
from torchdevlint.transfers.checkpoints import keep
from torchdevlint.transfers.destinations import destination
from torchdevlint.transfers.operands import receiver_node
from torchdevlint.transfers.optimizers import held_optimizers
from torchdevlint.transfers.placing import move_module, placed
from torchdevlint.values import (
    SCALAR,
    UNKNOWN,
    Const,
    Device,
    Flight,
    Form,
    Holder,
    Module,
    Object,
    Opaque,
    Tensor,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


REPLACES = "<replaces>"
"""The slot that tells that moving a module replaces its parameters."""


def move(run: Run, row: Move, call: Call, receiver: Argument | None) -> Value:
    """Move a tensor; of anything else only the result counts, which is at the destination."""
    assert receiver is not None
    keep(run, receiver.value)
    if isinstance(receiver.value, Tensor):
        return move_tensor(run, row, call, receiver)
    after, _ = destination(run, row, call)
    return Tensor(after if after is not None else run.placement_of(receiver.value))


def cast(run: Run, row: Cast, call: Call, receiver: Argument | None) -> Value:
    """Change the dtype: a new tensor where the old one is."""
    assert receiver is not None
    value = receiver.value
    note_cast(run, call, receiver)
    if isinstance(value, Tensor):
        graph = False if row.whole else value.graph
        return Tensor(value.placement, value.rank, graph, tallies=value.tallies, flight=value.flight, kept=value.kept)
    if isinstance(value, Opaque) and (value.member or value.key in run.facts.tensors):
        return Tensor(run.placement_of(value), (1, None) if value.member and not value.within else (0, None))
    return value


def _why(row: Move, call: Call, before: Placement, after: Placement) -> Placement:
    """Return a destination with the move as its reason; an explicit move to the host is meant."""
    earlier = next((p.why for p in lattice.ordered(before) if p.why is not None), None)
    source = earlier.root().source if earlier is not None else 0
    to_host = row.kind is MoveKind.CPU or all(lattice.is_host(p.device) for p in after)
    role = Role.MOVED_TO_HOST if to_host else Role.MOVED
    why = Why(role, call.node, f"moved by `.{call.text}`", earlier, source)
    return frozenset(Possibility(p.device, p.condition, why) for p in after)


def note_carrier(run: Run, module: Value, after: Placement) -> None:
    """Note that a module or a part of a batch was moved to a place; of an opaque value only its kind decides."""
    for possibility in after:
        if isinstance(possibility.device, Symbol):
            note_carrier(run, module, possibility.device.expansion or frozenset())
            match module:
                case Opaque(source=0):
                    key = module.key
                case Module():
                    key = PROVEN
                case _:
                    key = BATCH
            run.facts.carriers.setdefault(possibility.device.key, set()).add(key)


def _left_behind(run: Run, receiver: Opaque) -> None:
    """A copy made before its original is moved off the host stays on the host."""
    for key, node in run.copies.get(receiver.key, ()):
        if run.store.get(key, PLACEMENT) is None:
            why = Why(Role.CREATED, node, f"copied from `{receiver.name}` before the move")
            run.store.set(key, PLACEMENT, lattice.on(HOST, why))


def evidence(run: Run, source: int, after: Placement, derived: bool, call: Call) -> None:
    """Note that a batch arrives on the host, where a member of it is moved off."""
    if not source or derived or after == ANY:
        return
    if call.discarded and source not in run.facts.built_loaders:
        return  # an object that moves in place, whose tensors may move with it
    if all(lattice.is_host(p.device) for p in after):
        return
    note_carrier(run, UNKNOWN, after)
    if run.iterated_in.get(source) not in (run.frame.base, None):
        return
    known = run.facts.host_batches.get(source)
    if known is None or len(run.world) < len(known[0]):
        run.facts.host_batches[source] = (_own_world(run), call.node)


def _note_input(run: Run, before: Placement, after: Placement, derived: bool) -> None:
    """Note that a module moves what it is handed: then it takes its inputs from anywhere."""
    if derived or after == ANY or all(lattice.is_host(p.device) for p in after):
        return
    for p in before:
        if isinstance(p.device, Symbol) and p.why is not None and p.why.root().role is Role.INPUT:
            run.facts.moved_inside.add(p.device.key)


def _note_owner(run: Run, before: Placement, after: Placement) -> None:
    """Note that a module sends its own tensors to an accelerator for an operation: they are not there, then."""
    if not all(lattice.is_accelerator(p.device) for p in after):
        return
    for p in before:
        if p.why is None or not isinstance(p.device, Symbol):
            continue
        if p.why.root().role is Role.OWNER and p.why.of(Role.OUTPUT) is None:
            run.facts.at_home.add(p.device.key)


def _own_world(run: Run) -> frozenset[tuple[str, bool]]:
    """Return the guards under which the current function moves, beyond those it was called under."""
    return run.world - run.frame.world


def move_tensor(run: Run, row: Move, call: Call, receiver: Argument) -> Value:
    """Move a tensor: the result is elsewhere, the receiver stays."""
    value = receiver.value
    assert isinstance(value, Tensor)
    if row.kind is MoveKind.TYPE and not call.arguments and not call.keywords:
        return Device(value.placement, form=Form.TYPE)
    if refusals.arguments(run, row, call, 0):
        return UNKNOWN
    accelerated, (after, derived) = run.facts.accelerated, destination(run, row, call)
    run.facts.accelerated &= accelerated or not call.discarded  # a copy that nobody keeps brings nothing there
    if after is None:
        _moved(run, call, receiver.node, value.placement, value.placement, in_place=False, device=False)
        return replace(value, leaf=False)
    source = next((p.why.root().source for p in lattice.ordered(value.placement) if p.why and p.why.root().source), 0)
    evidence(run, source, after, derived, call)
    _note_input(run, value.placement, after, derived)
    _note_owner(run, value.placement, after)
    if all(lattice.is_host(p.device) for p in after):
        pace.fetched(run, value, call.node)
    pace.batch_moved(run, call, f"{text_of(receiver.node)}.{call.text}", value.batch, value.placement, after)
    pace.moved_at_once(run, call, receiver.node, value.placement, after)
    after = _why(row, call, value.placement, after)
    _moved(run, call, receiver.node, value.placement, after, in_place=False, member=bool(source))
    unleafed = leaves.unleafed(run, call, receiver.node, value, after, derived)
    flight = _launched(run, call, value, after)
    return replace(value, placement=after, leaf=False, held=Holder.NONE, unleafed=unleafed, flight=flight)


def _launched(run: Run, call: Call, value: Tensor, after: Placement) -> int:
    """Return the key of a copy to the host that nothing waits for, 0 for any other move; a blocking one waits."""
    asynchronous = call.keywords.get("non_blocking")
    if asynchronous is None or asynchronous.value != Const(True):
        run.waits += 1
        if all(lattice.is_host(p.device) for p in after):
            pace.waited(run, call.node, value.placement, number=value.rank == SCALAR)
        return 0
    if not all(lattice.is_host(p.device) for p in after):
        return 0
    key = run.new_key()
    run.flights[key] = Flight(call.node, value.placement, run.waits)
    return key


def _moved(
    run: Run,
    call: Call,
    node: cst.CSTNode,
    before: Placement,
    after: Placement,
    in_place: bool | None,
    device: bool = True,
    proof: int = 0,
    member: bool = False,
    optimizers: tuple[HeldOptimizer, ...] = (),
    replaces: bool = False,
    module: Module | Opaque | None = None,
) -> None:
    text = text_of(node)
    if device:
        workers.placed(run, call.node, f"{text}.{call.text}", after)
        pace.sample_moved(run, call, f"{text}.{call.text}", before, after)
    if device and not proof:
        environment.begun_at(run, call.node, f"{text}.{call.text}", after)
    if module is not None:
        groups.placed(run, call.node, text, after, proof)
        run.facts.movers.setdefault(module.key, call.node)
    idle = False
    if call.discarded and not in_place and isinstance(call.node, cst.Call):
        to_host = device and all(lattice.is_host(p.device) for p in after)
        idle = discards.is_idle(run, call.node, node, device, to_host)
    run.emit(
        Moved(
            call.node, run.world, text, call.text, before, after, device, call.discarded, in_place, proof, member,
            discards.is_named(run, node), optimizers, replaces, run.new_key(), module, idle,
        )
    )  # fmt: skip


def _of_loader(run: Run, value: Opaque) -> bool:
    """Tell whether a value is a member of a batch of a loader that the file builds: those are tensors."""
    return value.member and value.source in run.facts.built_loaders


def move_opaque(run: Run, row: Move, receiver: Opaque, call: Call, node: cst.Attribute) -> Value:
    """Move an object of unknown kind: a module would move in place, of a tensor the result is elsewhere."""
    if row.kind is MoveKind.TYPE and not call.arguments and not call.keywords:
        return Device(run.placement_of(receiver), form=Form.TYPE)
    keep(run, receiver)
    refusals.arguments(run, row, call, receiver.key)
    after, derived = destination(run, row, call, receiver.key)
    is_tensor = receiver.key in run.facts.tensors
    before = run.placement_of(receiver)
    if after is None:
        member = _of_loader(run, receiver)
        _moved(run, call, node.value, before, before, None, device=False, proof=receiver.key, member=member)
        return receiver
    run.moved.add((receiver.key, call.node))
    pace.batch_moved(run, call, f"{text_of(node.value)}.{call.text}", receiver.source, before, after)
    evidence(run, receiver.source if receiver.member else 0, after, derived, call)
    _note_input(run, before, after, derived)
    moved = _why(row, call, before if receiver.placement != ANY else frozenset(), after)
    state = run.module_placement(receiver)
    if not is_tensor and not receiver.source:
        held = held_optimizers(run, receiver)
        _moved(
            run, call, node.value, state if state is not None else ANY, moved, None, proof=receiver.key,
            optimizers=held, replaces=row.empties or run.store.get(0, REPLACES) is True, module=receiver,
        )  # fmt: skip
        note_carrier(run, receiver, after)
        if state is None:
            _left_behind(run, receiver)
        move_module(run, receiver, moved)
        for name, value in run.attribute_values(receiver.key):
            if isinstance(value, Tensor):  # what was stored on an object travels with it
                run.store.set(receiver.key, name, replace(value, placement=moved))
    else:
        _moved(
            run, call, node.value, before, moved, False if is_tensor else None, proof=receiver.key,
            member=_of_loader(run, receiver),
        )  # fmt: skip
    if derived and after == ANY:
        return receiver
    if call.discarded and not is_tensor and receiver.source not in run.facts.built_loaders:
        for slot in run.store.holders(receiver):  # an object that moves in place, for all that can be told
            run.store.set(*slot, replace(receiver, placement=ANY))
    return replace(receiver, placement=moved, parameter=False)  # the copy of a parameter is none


def move_proven(run: Run, row: Move, receiver: Module, call: Call) -> None:
    """Move a module in place, with everything it has registered."""
    refusals.arguments(run, row, call, 0)
    after, derived = destination(run, row, call)
    before = run.module_placement(receiver) or ANY
    if after is None:
        return
    if not derived:
        refusals.of_spread(run, receiver, call, after)
    moved = _why(row, call, before, after)
    _moved(
        run,
        call,
        receiver_node(call),
        before,
        moved,
        in_place=True,
        optimizers=held_optimizers(run, receiver),
        replaces=row.empties or run.store.get(0, REPLACES) is True,
        module=receiver,
    )
    note_carrier(run, receiver, after)
    move_module(run, receiver, moved)


def move_object(run: Run, receiver: Object, name: str, call: Call) -> Value | None:
    """Move a library's object with tensors inside, in place or as a copy; None if the method is no move."""
    row = run.knowledge.module.get(name)
    if not isinstance(row, Move) or receiver.type.carrier is Carrier.NONE:
        return None
    after, _ = destination(run, row, call)
    before = run.placement_of(receiver)
    if after is None:
        return receiver
    moved = _why(row, call, before, after)
    in_place = receiver.type.carrier is Carrier.IN_PLACE
    _moved(run, call, receiver_node(call), before, moved, in_place)
    result = receiver if in_place else Object(run.new_key(), receiver.type, moved)
    run.store.set(result.key, PLACEMENT, moved)
    for attribute, value in run.attribute_values(receiver.key):
        run.set_attribute(result.key, attribute, placed(run, value, moved))
    return result


def note_cast(run: Run, call: Call, receiver: Argument) -> None:
    """Record a cast whose result may have been thrown away."""
    if not call.discarded:
        return
    value = receiver.value
    before = run.placement_of(value)
    if isinstance(value, Opaque):
        _moved(
            run, call, receiver.node, before, before, None, device=False, proof=value.key, member=_of_loader(run, value)
        )  # fmt: skip
    else:
        _moved(run, call, receiver.node, before, before, in_place=False, device=False)
