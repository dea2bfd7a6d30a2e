"""The numbers are drawn where the generator is."""

from __future__ import annotations

from torchdevlint.mending.calls import argument, argument_added
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Tell the device of the generator to a call that is given one and told no device."""
    call = source.call(finding.node)
    generator = argument(call, "generator") if call is not None else None
    if generator is None or not is_plain(generator) or not source.takes_device(finding.node):
        return None
    added = argument_added(source, call, "device", f"{source.text_of(generator)}.device")
    return safe(added) if added is not None else None
