"""The replacement comes before the optimizer is built."""

from __future__ import annotations

from torchdevlint.mending.edits import Repair, Safety, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.mending.statements import moved_up
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Write the statement that replaces the parameters before the one that builds the optimizer."""
    edits = moved_up(source, source.statement(finding.node), source.statement(finding.parts["built"]))
    return unsafe(*edits) if edits is not None else None
