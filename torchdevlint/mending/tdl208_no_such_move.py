"""What `like=` names is given as the other tensor."""

from __future__ import annotations

import ast

from torchdevlint.mending.edits import Edit, Repair, Safety, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.positions import Span
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Drop the name of an argument of which only the value is meant."""
    call = source.call(finding.node)
    match call:
        case ast.Call(args=[], keywords=[ast.keyword(arg=str(), value=value) as given]) if finding.about:
            start, end = source.span(given), source.span(value)
            return unsafe(Edit(Span(start.line, start.column, end.line, end.column), ""))
        case _:
            return None
