"""A leaf is made of the copy, or the copy is what becomes a parameter."""

from __future__ import annotations

import ast

from torchdevlint.mending.edits import Edit, Repair, Safety, after, unsafe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.positions import Span
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Move what the parameter is made of, or make a leaf of a copy that takes the name of the old one."""
    call = source.call(finding.node)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    leaf = call.func.value
    match source.scopes.parent(call):
        case ast.Assign(targets=[target], value=value) if value is call and is_plain(leaf):
            if ast.unparse(target) != ast.unparse(leaf) or not isinstance(target, ast.Name):
                return None
            return unsafe(after(source.span(leaf), ".detach()"), after(source.span(call), ".requires_grad_()"))
        case ast.Assign() if isinstance(leaf, ast.Call) and len(leaf.args) == 1 and finding.about:
            made, whole, inner = leaf.args[0], source.span(call), source.span(leaf)
            text = source.text(Span(inner.end_line, inner.end_column, whole.end_line, whole.end_column))
            if not isinstance(made, ast.Name | ast.Call | ast.Attribute) or "\n" in text:
                return None
            gone = Edit(Span(inner.end_line, inner.end_column, whole.end_line, whole.end_column), "")
            return unsafe(after(source.span(made), text), gone)
        case _:
            return None
