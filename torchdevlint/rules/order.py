"""What the order of building an optimizer and moving its module leads to; shared by the rules 301 to 303."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from torchdevlint import lattice
from torchdevlint.events import Moved
from torchdevlint.facts import FileFacts
from torchdevlint.incidents import HeldOptimizer
from torchdevlint.rule import Finding
from torchdevlint.values import Module, Opaque


class Trouble(Enum):
    """What comes of a move after an optimizer took the parameters."""

    BREAKS = "the optimizer fails or trains nothing"
    LOADED = "loaded state stays behind"
    ORDER = "the optimizer carries on"
    NONE = "nothing"


def troubles(event: Moved, facts: FileFacts, wanted: Trouble) -> Iterator[Finding]:
    """Yield a finding for each optimizer that a move brings into one kind of trouble.

    An optimizer that is not stepped after the move, or whose state is loaded or moved by hand after it, is in none.
    """
    if not event.device or (event.proof and event.proof not in facts.modules and event.moves_in_place is None):
        return
    for optimizer in event.optimizers:
        places = facts.next_step(optimizer.key, event.moment, event.world)
        if places is None or not lattice.compatible(optimizer.condition, event.world):
            continue
        if facts.repaired.get(optimizer.key, 0) > event.moment:
            continue
        after = {p.device for p in event.after}
        stays = places <= after if all(lattice.is_host(d) for d in after) else places & after
        if places and not stays:
            continue  # the module moved on before the optimizer was stepped
        kind, reason = _trouble(event, optimizer, facts)
        if kind is wanted:
            parts = {
                "module": event.text,
                "after": " or ".join(sorted(map(str, _reached(event)))),
                "optimizer": optimizer.text,
                "built": optimizer.node,
                "loaded": optimizer.loaded,
                "reason": reason,
                # A group that is added later has no state yet, whatever the optimizer.
                "fails": "XLA or `to_empty`" if optimizer.late else "Adagrad, XLA or `to_empty`",
            }
            yield Finding(event.node, parts, (optimizer.node, "order"))


def _reached(event: Moved) -> set[lattice.Device]:
    """Return where a move goes on a machine with an accelerator: the other way of `… else "cpu"` changes nothing."""
    return {p.device for p in event.after if not lattice.without_device(p)}


def _trouble(event: Moved, optimizer: HeldOptimizer, facts: FileFacts) -> tuple[Trouble, str]:
    after = _reached(event)
    source, target = (frozenset(lattice.expanded(side, facts)) for side in (event.before, event.after))
    if source and source <= target:
        return Trouble.NONE, ""  # a device by two names is one
    stateless = optimizer.stateless or (optimizer.late and optimizer.type.eager_state)
    if optimizer.stepped is not None and not stateless:
        places = (optimizer.stepped, event.before, event.after)
        sent = lattice.on_accelerator(event.after, facts, event.world)
        world = event.world if sent is None else event.world | sent.condition  # where an option chooses it
        state, before, there = (_devices(place, world, facts) for place in places)
        left = {one for one in state & before if not any(_is_same(one, two, facts) for two in there)}
        if not left or not _apart(event, facts):
            return Trouble.NONE, ""  # the state is not where the parameters were: they come back to it
        if isinstance(event.module, Module) and event.before == lattice.ANY:
            return Trouble.NONE, ""  # something placed the module that cannot be seen, perhaps there
        made = "made its state in the constructor" if optimizer.type.eager_state else "was stepped"
        return Trouble.BREAKS, f"it {made}, and its state stays behind"
    if optimizer.home & after or not _leaves_host(event, facts) or _sent_unseen(event, facts):
        return Trouble.NONE, ""
    if event.replaces:
        return Trouble.BREAKS, "the move replaces parameters, which are then never trained"
    if optimizer.loaded is not None and not optimizer.stateless:  # what is loaded may have no state either
        return Trouble.LOADED, ""
    if optimizer.stateless and optimizer.apart:
        return Trouble.NONE, ""  # there is nothing to lose, and no lines to swap
    return Trouble.ORDER, ""


def _is_same(one: lattice.Device, two: lattice.Device, facts: FileFacts) -> bool:
    return one == two or lattice.compare(one, two, facts) is lattice.Answer.SAME


def _devices(placement: lattice.Placement, world: lattice.Condition, facts: FileFacts) -> set[lattice.Device]:
    """Return the devices of the possibilities that can be in a world, on a machine with an accelerator."""
    possibilities = [p for p in lattice.expanded(placement, facts, world) if lattice.compatible(p.condition, world)]
    return {p.device for p in possibilities if not lattice.without_device(p, world)}


def _apart(event: Moved, facts: FileFacts) -> bool:
    """Tell whether a move changes the device: to an accelerator, or from one to the host."""
    if lattice.on_accelerator(event.after, facts, event.world) is not None:
        return True
    return lattice.on_accelerator(event.before, facts, event.world) is not None


def _leaves_host(event: Moved, facts: FileFacts) -> bool:
    """Tell whether a module goes to an accelerator that was not on one before."""
    if lattice.on_accelerator(event.after, facts, event.world) is None:
        return False
    return not any(lattice.is_accelerator(p.device) or _is_place(p.device) for p in event.before)


def _sent_unseen(event: Moved, facts: FileFacts) -> bool:
    """Tell whether code that cannot be seen was given the module and a device: it may have moved it there before."""
    key = event.module.key if isinstance(event.module, Module | Opaque) else 0
    return facts.sent_unseen.get(key, event.moment) < event.moment


def _is_place(device: lattice.Device) -> bool:
    return isinstance(device, lattice.Symbol) and device != lattice.ANYWHERE
