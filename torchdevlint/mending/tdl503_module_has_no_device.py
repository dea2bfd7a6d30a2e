"""A parameter is asked for its device."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import instead
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Ask the first parameter of the module."""
    match source.expression(finding.node):
        case ast.Attribute(value=module, ctx=ast.Load()) as found if is_plain(module):
            return safe(instead(source, found, f"next({source.text_of(module)}.parameters()).{found.attr}"))
        case _:
            return None
