"""Nothing is pinned that is no host memory."""

from __future__ import annotations

from torchdevlint.mending.calls import argument_dropped
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Drop the argument of a loader; without one nothing is pinned."""
    dropped = argument_dropped(source, source.call(finding.node), "pin_memory")
    return safe(dropped) if dropped is not None else None
