"""The move of a module before its optimizer is built; shared by the rules 301 to 303."""

from __future__ import annotations

from torchdevlint.mending.edits import Repair, safe
from torchdevlint.mending.source import Source
from torchdevlint.mending.statements import moved_up, moving
from torchdevlint.rule import Finding


def move_first(finding: Finding, source: Source) -> Repair | None:
    """Write the statement that moves the module before the one that builds the optimizer."""
    statement = moving(source, source.call(finding.node))
    edits = moved_up(source, statement, source.statement(finding.parts["built"]))
    return safe(*edits) if edits is not None else None
