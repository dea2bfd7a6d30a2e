"""The device variable of the script says where to."""

from __future__ import annotations

import ast

from torchdevlint.mending.devices import known_at
from torchdevlint.mending.edits import Edit, Repair, Safety, unsafe
from torchdevlint.mending.numbers import may_be_number
from torchdevlint.mending.source import Source
from torchdevlint.positions import Span
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Move to the variable instead."""
    call = source.call(finding.node)
    device = known_at(source, call) if call is not None else None
    if call is None or device is None or not finding.about or not isinstance(call.func, ast.Attribute):
        return None
    if call.args or may_be_number(source, device):
        return None  # a number is one of CUDA, and by default often None
    start, end = source.span(call.func.value), source.span(call)
    dot = source.between((start.end_line, start.end_column), (end.end_line, end.end_column))
    if not dot.lstrip("\n \\").startswith(".") or dot.count("(") != 1 or "#" in dot:
        return None
    given, rest = (", " if call.keywords else ""), dot[dot.index("(") + 1 :]
    text = f"{dot[: dot.index('.') + 1]}to({device}{given}{rest}"
    return unsafe(Edit(Span(start.end_line, start.end_column, end.end_line, end.end_column), text))
