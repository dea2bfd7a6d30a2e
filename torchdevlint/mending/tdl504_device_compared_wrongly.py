"""The type of the device is compared, which is a text."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import instead
from torchdevlint.mending.edits import Repair, Safety, after, unsafe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Ask the object for its type, and compare that with a text without an index."""
    if not finding.about:
        return None
    device, other = map(source.expression, finding.about)
    if device is None or not is_plain(device):
        return None
    around = source.scopes.parent(device)
    while isinstance(around, ast.expr):  # what is asked whether it has a device may be an array, whose device is a text
        if any(isinstance(one, ast.Name) and one.id == "hasattr" for one in ast.walk(around)):
            return None
        around = source.scopes.parent(around)
    asked = after(source.span(device), ".type")
    match other:
        case ast.Constant(value=str(text)) if ":" not in text:
            return unsafe(asked)
        case ast.Call(args=[ast.Constant(value=str(text)) as literal], keywords=[]) if ":" not in text:
            return unsafe(asked, instead(source, other, source.text_of(literal)))
        case _:
            return None
