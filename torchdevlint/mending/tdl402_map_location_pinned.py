"""The device variable of the script says where to, or the host is enough."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import instead
from torchdevlint.mending.devices import for_literal
from torchdevlint.mending.edits import Repair, Safety, unsafe
from torchdevlint.mending.numbers import may_be_number
from torchdevlint.mending.source import Source
from torchdevlint.mending.uses import is_copied
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Write the variable, or the host where what is loaded is only copied into something."""
    literal = source.expression(finding.node)
    call = source.scopes.parent(literal) if literal is not None else None
    call = source.scopes.parent(call) if isinstance(call, ast.keyword) else call
    if not isinstance(literal, ast.Constant) or not isinstance(call, ast.Call):
        return None
    if is_copied(source, call):
        return unsafe(instead(source, literal, source.quoted("cpu", literal)))
    found = for_literal(source, literal)
    return unsafe(found) if found is not None and not may_be_number(source, found.text) else None
