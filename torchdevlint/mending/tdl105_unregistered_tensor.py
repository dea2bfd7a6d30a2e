"""The tensor is registered as a buffer, which moves with the module, and is cast with it, too."""

from __future__ import annotations

import ast

from torchdevlint.mending.edits import Edit, Repair, Safety, after, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.mending.uses import is_set_once
from torchdevlint.positions import Span
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Register what is assigned; a name that the class has for something else is no name for a buffer."""
    match source.statement(finding.node):
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=name) as target], value=value) as found:
            pass
        case _:
            return None
    if isinstance(value, ast.Tuple) or source.text_of(value).startswith("(") or not is_set_once(source, target):
        return None
    start, end = source.span(target), source.span(value)
    opening = Edit(
        Span(start.line, start.column, end.line, end.column), f"{owner}.register_buffer({source.quoted(name)}, "
    )
    whole = source.span(found)
    return (
        unsafe(opening, after(whole, ")"))
        if (whole.end_line, whole.end_column) == (end.end_line, end.end_column)
        else None
    )
