"""The variable is set before anything asks for CUDA."""

from __future__ import annotations

from torchdevlint.mending.edits import Repair, Safety, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.mending.statements import moved_up
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Write the statement before the one that initialised CUDA."""
    edits = moved_up(source, source.statement(finding.node), source.statement(finding.parts["begun"]))
    return unsafe(*edits) if edits is not None else None
