"""What the order of building an optimizer and moving its module leads to; shared by the rules 301 to 303."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from torchdevlint import lattice
from torchdevlint.events import HeldOptimizer, Moved
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import ON_HOST, Possibility
from torchdevlint.rule import Finding


class Trouble(Enum):
    """What comes of a move after an optimizer took the parameters."""

    BREAKS = "the optimizer fails or trains nothing"
    LOADED = "loaded state stays behind"
    ORDER = "the optimizer carries on"
    NONE = "the parameters come back to where the state is"


def troubles(event: Moved, facts: FileFacts, wanted: Trouble) -> Iterator[Finding]:
    """Yield a finding for each optimizer that a move brings into one kind of trouble."""
    if event.proof and event.proof not in facts.modules and event.moves_in_place is None:
        return
    far = _accelerated(event, facts)
    if far is None:
        return
    for optimizer in event.optimizers:
        kind, reason = _trouble(event, optimizer)
        if kind is wanted and facts.stepped.get(optimizer.key, 0) > event.moment:
            yield Finding(
                event.node,
                {
                    "module": event.text,
                    "after": str(far.device),
                    "optimizer": optimizer.text,
                    "built": optimizer.node,
                    "loaded": optimizer.loaded,
                    "reason": reason,
                },
                (optimizer.node, "order"),
            )


def _accelerated(event: Moved, facts: FileFacts) -> Possibility | None:
    """Return where a move takes a module that was not there before, if that is an accelerator."""
    if not event.device:
        return None
    found = lattice.clash(event.after, ON_HOST, facts, event.world)
    if found is None:
        return None
    if event.before & event.after or any(not lattice.is_host(p.device) for p in event.before if p.why is not None):
        return None
    return found.left


def _trouble(event: Moved, optimizer: HeldOptimizer) -> tuple[Trouble, str]:
    if event.replaces:
        return Trouble.BREAKS, "the move replaces parameters, which are then never trained"
    if optimizer.loaded is not None:
        return Trouble.LOADED, ""
    if optimizer.type.eager_state:
        return Trouble.BREAKS, "it made its state in the constructor, which stays behind"
    if optimizer.stepped is not None:
        if optimizer.stepped & {p.device for p in event.after}:
            return Trouble.NONE, ""
        return Trouble.BREAKS, "it was stepped, and its state stays behind"
    return Trouble.ORDER, ""
