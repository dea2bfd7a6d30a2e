"""The module moves to where its inputs are sent, when it is built."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import moved
from torchdevlint.mending.devices import sent_to
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.mending.uses import value_of
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Move what the only statement that binds its name builds."""
    call = source.call(finding.node)
    made = value_of(source, call.func) if call is not None else None
    if not isinstance(made, ast.Call):
        return None
    place = sent_to(source, finding.parts["other_place"], made)
    edits = moved(source, made, place) if place is not None else None
    return safe(*edits) if edits is not None else None
