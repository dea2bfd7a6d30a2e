"""The name is bound to the result."""

from __future__ import annotations

import ast

from torchdevlint.mending.edits import Repair, Safety, before, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.mending.uses import is_read_later
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Bind a name to what its method returns, where it is read afterwards; an attribute may be a property."""
    call = source.call(finding.node)
    if call is None or not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return None
    name = call.func.value.id
    return unsafe(before(source.span(call), f"{name} = ")) if is_read_later(source, name, call) else None
