"""The name of today is used, which older versions do not have."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import instead
from torchdevlint.mending.edits import Edit, Repair, Safety, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.positions import Span
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Write it, and the type of the device before named arguments: others have another order."""
    call = source.call(finding.node)
    name = (
        source.scopes.spelled(str(finding.parts["now"]), call) if call is not None and "now" in finding.parts else None
    )
    if call is None or name is None or not isinstance(call.func, ast.Attribute) or call.args:
        return None
    start, end = source.span(call.func), source.span(call)
    rest = source.between((start.end_line, start.end_column), (end.end_line, end.end_column))
    if not rest.startswith("("):
        return None
    gap = ", " if call.keywords else ""
    return unsafe(
        instead(source, call.func, name),
        Edit(
            Span(start.end_line, start.end_column + 1, start.end_line, start.end_column + 1),
            f"{source.quoted('cuda')}{gap}",
        ),
    )
