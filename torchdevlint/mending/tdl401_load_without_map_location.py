"""What is read goes to the host where it is copied into something, else to the device variable of the script."""

from __future__ import annotations

from torchdevlint.mending.calls import argument_added
from torchdevlint.mending.edits import Repair, Safety, safe, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.mending.uses import is_copied, is_imported, is_moved
from torchdevlint.rule import Finding

SAFETY = (
    Safety.SAFE,
    Safety.UNSAFE,
)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Pass `map_location`; what a variable calls may be another function."""
    call = source.call(finding.node)
    if call is None or not is_imported(source, call.func):
        return None
    host = source.quoted("cpu")
    if is_copied(source, call):
        added = argument_added(source, call, "map_location", host)
        return safe(added) if added is not None else None
    device = host if is_moved(source, call) else source.device_at(call)
    added = argument_added(source, call, "map_location", device) if device is not None else None
    return unsafe(added) if added is not None else None
