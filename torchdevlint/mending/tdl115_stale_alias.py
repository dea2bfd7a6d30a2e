"""The module moves before the value is taken out of it."""

from __future__ import annotations

from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.mending.statements import moved_up, moving
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Write the statement that moves the module before the one that takes the value."""
    mover = finding.about[0] if finding.about else None
    edits = moved_up(source, moving(source, source.call(mover)), source.statement(finding.node))
    return safe(*edits) if edits is not None else None
