"""The layer moves to where its module was sent, when it is put into it."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import moved
from torchdevlint.mending.devices import sent_to
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Move what is assigned."""
    match source.statement(finding.node):
        case ast.Assign(targets=[ast.Attribute()], value=ast.Call() as made):
            place = sent_to(source, finding.parts["other_place"], made)
        case _:
            return None
    edits = moved(source, made, place) if place is not None else None
    return safe(*edits) if edits is not None else None
