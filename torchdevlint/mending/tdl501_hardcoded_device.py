"""The device variable of the script stands for the literal, or the host stands in where there is no accelerator."""

from __future__ import annotations

import ast

from torchdevlint.mending.devices import for_literal, with_fallback
from torchdevlint.mending.edits import Repair, Safety, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Write the variable, or what decides where the literal is bound to one."""
    literal = source.expression(finding.node)
    if not isinstance(literal, ast.Constant) or not isinstance(literal.value, str):
        return None
    found = with_fallback(source, literal) if finding.about else None
    if found is None:
        found = for_literal(source, literal)
    return unsafe(found) if found is not None else None
