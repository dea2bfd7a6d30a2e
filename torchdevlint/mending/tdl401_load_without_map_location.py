"""What is read goes to the host where it is copied into something, else to the device variable of the script."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import argument, argument_added, instead
from torchdevlint.mending.devices import device_at
from torchdevlint.mending.edits import Repair, Safety, safe, unsafe
from torchdevlint.mending.numbers import may_be_number
from torchdevlint.mending.source import Source
from torchdevlint.mending.uses import is_copied, is_copied_from, is_imported, is_moved, is_restored, replaces_moved
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE, Safety.UNSAFE)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Pass `map_location`; what a variable calls may be another function."""
    call = source.call(finding.node)
    if call is None or not is_imported(source, call.func):
        return None
    copied = is_copied(source, call)
    on_host = copied or is_moved(source, call) or is_restored(source, call)
    device = None if on_host else device_at(source, call)
    if on_host or (device is None and is_copied_from(source, call)):
        device = source.quoted("cpu")
    none = argument(call, "map_location")
    if device is None or may_be_number(source, device):
        return None
    if device == source.quoted("cpu") and replaces_moved(source, call):
        return None  # no one place suits an optimizer, or a module, and what is used as it comes
    if none is not None:
        edit = instead(source, none, device) if isinstance(none, ast.Constant) else None
    else:
        edit = argument_added(source, call, "map_location", device)
    return (safe if copied else unsafe)(edit) if edit is not None else None
