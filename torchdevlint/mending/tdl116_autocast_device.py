"""The type of the device is given instead of the device."""

from __future__ import annotations

from torchdevlint.mending.calls import applied
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Ask the object for its type."""
    given = source.expression(finding.about[0]) if finding.about else None
    return safe(*applied(source, given, ".type")) if given is not None else None
