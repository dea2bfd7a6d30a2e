"""The tensor is registered as a buffer, which moves with the module, and is cast with it, too."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import argument
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
    calls = (one for one in ast.walk(value) if isinstance(one, ast.Call))
    trained = any(argument(one, "requires_grad") is not None for one in calls)
    start, end, whole = source.span(target), source.span(value), source.span(found)
    grouped = (whole.end_line, whole.end_column) != (end.end_line, end.end_column)  # parentheses around the value
    if trained or grouped or isinstance(value, ast.Tuple) or not is_set_once(source, target):
        return None
    opening = f"{owner}.register_buffer({source.quoted(name)}, "
    return unsafe(Edit(Span(start.line, start.column, end.line, end.column), opening), after(whole, ")"))
