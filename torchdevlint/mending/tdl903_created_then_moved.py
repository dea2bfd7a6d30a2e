"""The tensor is made where it is moved to."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import argument, argument_added
from torchdevlint.mending.edits import Edit, Repair, Safety, unsafe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.positions import Span
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Tell the factory the device that the move is told; numbers that are drawn there are others.

    Where it is told of a gradient, this arrives at what is made, and not at what it is moved to.
    """
    call = source.call(finding.node)
    made = source.call(finding.about[0]) if finding.about else None
    if call is None or made is None or not isinstance(call.func, ast.Attribute) or call.func.value is not made:
        return None
    if argument(made, "requires_grad") is not None:
        return None
    place = argument(call, "device") or next(iter(call.args), None)
    if len(call.args) + len(call.keywords) != 1 or place is None or not is_plain(place) or not source.is_device(place):
        return None
    added = argument_added(source, made, "device", source.text_of(place))
    inner, whole = source.span(made), source.span(call)
    gone = Edit(Span(inner.end_line, inner.end_column, whole.end_line, whole.end_column), "")
    if added is None or "#" in source.text(gone.span):
        return None
    return unsafe(added, gone)
