"""What is added up has no graph."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import applied
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Detach what is added by `+=` or an append; a list has no graph of its own."""
    match source.call(finding.node) or source.statement(finding.node):
        case ast.AugAssign(value=value) | ast.Call(args=[value], keywords=[]):
            pass
        case _:
            return None
    listed = isinstance(value, ast.List | ast.Tuple | ast.Starred)
    return safe(*applied(source, value, ".detach()")) if not listed else None
