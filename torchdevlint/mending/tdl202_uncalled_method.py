"""What is named is called."""

from __future__ import annotations

from torchdevlint.mending.edits import Repair, Safety, after, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Call it where it needs no argument."""
    found = source.expression(finding.node)
    return unsafe(after(source.span(found), "()")) if found is not None and finding.about else None
