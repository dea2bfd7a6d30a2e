"""The tensor is made where a tensor is that the method was handed, or that it meets."""

from __future__ import annotations

from torchdevlint.mending.calls import applied, argument_added
from torchdevlint.mending.devices import beside, input_beside
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Name the device of that tensor, which is known above the call."""
    call = source.call(finding.node)
    if call is None:
        return None
    partner = source.expression(finding.about[0]) if finding.about else None
    place = next(
        (text for one in (partner, *source.fed_beside(call)) if (text := beside(source, one, call)) is not None), None
    )
    place = place or input_beside(source, partner, finding.parts["other_place"], call)
    if place is None:
        return None
    if source.takes_device(finding.node):
        added = argument_added(source, call, "device", place)
        return safe(added) if added is not None else None
    return safe(*applied(source, call, f".to({place})"))
