"""The weight moves to where the prediction is."""

from __future__ import annotations

from torchdevlint.mending.calls import argument, moved
from torchdevlint.mending.devices import sent_to
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Move the argument where the loss is built, or where it is called."""
    call = source.call(finding.node)
    odd, other = map(source.expression, finding.about) if finding.about else (None, None)
    if call is None:
        return None
    here = other is not None and source.scopes.statement(other) is source.scopes.statement(call)
    weight = odd if here else argument(call, str(finding.parts["role"]))
    if here and other is not None:
        place = f"{source.text_of(other)}.device" if is_plain(other) else None
    else:
        place = sent_to(source, finding.parts["other_place"], call)
    edits = moved(source, weight, place) if place is not None else None
    return safe(*edits) if edits is not None else None
