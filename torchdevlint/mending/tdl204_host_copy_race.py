"""The copy waits."""

from __future__ import annotations

from torchdevlint.mending.calls import argument_dropped
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Drop the argument by which it does not."""
    dropped = argument_dropped(source, source.call(finding.node), "non_blocking")
    return safe(dropped) if dropped is not None else None
