"""The layers are not converted."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import instead
from torchdevlint.mending.edits import Repair, Safety, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Write the module instead of the conversion."""
    call = source.call(finding.parts["converted"])
    match call:
        case ast.Call(args=[module], keywords=[]) if source.gap(call.func, module) == "(":
            return unsafe(instead(source, call, source.text_of(module)))
        case _:
            return None
