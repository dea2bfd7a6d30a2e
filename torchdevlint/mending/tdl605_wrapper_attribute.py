"""The module in the wrapper is asked."""

from __future__ import annotations

import ast

from torchdevlint.mending.edits import Repair, Safety, after, safe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Ask it where the wrapper has no such attribute."""
    match source.expression(finding.about[0]) if finding.about else None:
        case ast.Attribute(value=wrapper, ctx=ast.Load()):
            return safe(after(source.span(wrapper), ".module")) if is_plain(wrapper) else None
        case _:
            return None
