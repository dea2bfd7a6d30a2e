"""The tensor is asked for its device, not for the number of it."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import instead
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Read the attribute instead."""
    call = source.call(finding.node)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    return safe(instead(source, call, f"{source.text_of(call.func.value)}.device"))
