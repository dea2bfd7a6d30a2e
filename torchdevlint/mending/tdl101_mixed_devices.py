"""The odd operand moves to where the other one is; one that came to the host with a type is converted where it is."""

from __future__ import annotations

import ast

from torchdevlint.knowledge import written
from torchdevlint.lattice import Possibility
from torchdevlint.mending.edits import Edit, Repair, Safety, safe
from torchdevlint.mending.meeting import odd_moved
from torchdevlint.mending.source import Source
from torchdevlint.positions import Span
from torchdevlint.rule import Finding
from torchdevlint.why import Role

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Convert by a method that leaves the tensor where it is, else move what is odd."""
    place = finding.parts.get("odd_place")
    odd = source.expression(finding.about[0]) if finding.about else None
    if odd is not None and isinstance(place, Possibility) and place.why is not None:
        typed = [edit for node in ast.walk(odd) if (edit := _converted(source, node)) is not None]
        if typed and place.why.of(Role.MOVED_TO_HOST, Role.MOVED) is not None:
            return safe(*typed)
    return odd_moved(finding, source)


def _converted(source: Source, node: ast.AST) -> Edit | None:
    """Return the edit that makes `x.float()` of `x.type(torch.FloatTensor)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="type"), args=[given], keywords=[]):
            named = {source.scopes.spelled(name, node): method for name, method in written.HOST_TYPES.items()}
            method = named.get(ast.unparse(given))
            start, end = source.span(value), source.span(node)
            whole = Span(start.end_line, start.end_column, end.end_line, end.end_column)
            return Edit(whole, f".{method}()") if method is not None else None
        case _:
            return None
