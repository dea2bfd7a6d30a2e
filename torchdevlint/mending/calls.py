"""Edits of calls and expressions: an argument more or less, an attribute or a call applied."""

from __future__ import annotations

import ast
import re

from torchdevlint.mending.edits import Edit, after, before
from torchdevlint.mending.source import Place, Source
from torchdevlint.positions import Span

_COMMENT = re.compile(r"\s*(?P<comma>,)?\s*#")
"""What stands behind an argument that has a comment."""


def applied(source: Source, node: ast.expr, text: str) -> tuple[Edit, ...]:
    """Return the edits that apply an attribute or a call to an expression (`x` becomes `x.cpu()`)."""
    span = source.span(node)
    if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        return (after(span, text),)
    return (before(span, "("), after(span, f"){text}"))


def moved(source: Source, node: ast.expr | None, place: str) -> tuple[Edit, ...] | None:
    """Return the edits that move what an expression gives, unless it stands for several, or a copy would be changed."""
    outer = source.scopes.parent(node) if node is not None else None
    if node is None or isinstance(node, ast.Starred) or isinstance(outer, ast.Starred):
        return None
    if isinstance(outer, ast.Subscript) and outer.value is node and not isinstance(outer.ctx, ast.Load):
        return None
    return applied(source, node, f".to({place})")


def instead(source: Source, node: ast.expr, text: str) -> Edit:
    """Return the edit that writes a text instead of an expression."""
    return Edit(source.span(node), text)


def argument(call: ast.Call, keyword: str) -> ast.expr | None:
    """Return what a call is given under a keyword."""
    return next((one.value for one in call.keywords if one.arg == keyword), None)


def argument_added(source: Source, call: ast.Call | None, keyword: str, value: str) -> Edit | None:
    """Return the edit that gives a call one argument more, below the last one where that has a line of its own.

    None where it has that argument, or may have it.
    """
    if call is None or any(one.arg in (None, keyword) for one in call.keywords):
        return None
    text = f"{keyword}={value}"
    end = _end(source, call)
    given = _given(source, call)
    if not given:
        inside = source.between(_end_of(source, call.func), end)
        return Edit(Span(*end, *end), text) if inside.strip() == "(" else None
    last = given[-1]
    place = _closed(source, (last.end_line, last.end_column), end)
    if place is None:
        return None
    own_line = last.line > call.lineno and source.lines[last.line - 1][: last.column].isspace()
    rest = source.lines[place[0] - 1][place[1] :]
    if own_line and (comment := _COMMENT.match(rest)):
        comma = comment["comma"] or ""
        whole = Span(*place, place[0], place[1] + len(rest))
        return Edit(whole, f"{'' if comma else ','}{rest}\n{source.indent(last.line)}{text}{comma}")
    gap = f"\n{source.indent(last.line)}" if own_line else " "
    return Edit(Span(*place, *place), f",{gap}{text}")


def argument_dropped(source: Source, call: ast.Call | None, keyword: str) -> Edit | None:
    """Return the edit that takes a keyword argument from a call, None where a comment would go with it."""
    found = next((one for one in call.keywords if one.arg == keyword), None) if call is not None else None
    if call is None or found is None:
        return None
    given, end = _given(source, call), _end(source, call)
    index = given.index(source.span(found))
    if index:
        start = _closed(source, (given[index - 1].end_line, given[index - 1].end_column), end)
        stop = _closed(source, (given[index].end_line, given[index].end_column), end)
    else:
        start = (given[0].line, given[0].column)
        stop = (given[1].line, given[1].column) if len(given) > 1 else end
    if start is None or stop is None or "#" in source.between(start, stop):
        return None
    return Edit(Span(*start, *stop), "")


def _given(source: Source, call: ast.Call) -> list[Span]:
    """Return where the arguments of a call are, in the order of the source."""
    spans = [*(source.span(one) for one in call.args), *(source.span(one) for one in call.keywords)]
    return sorted(spans, key=lambda span: (span.line, span.column))


def _end(source: Source, call: ast.Call) -> Place:
    """Return where the closing parenthesis of a call is."""
    span = source.span(call)
    return span.end_line, span.end_column - 1


def _end_of(source: Source, node: ast.expr) -> Place:
    span = source.span(node)
    return span.end_line, span.end_column


def _closed(source: Source, place: Place, end: Place) -> Place | None:
    """Return where an argument ends with the parentheses around it; ``end`` is that of the call."""
    line, column = place
    if place > end:
        return None  # a generator, whose parentheses are those of the call
    while (line, column) < end:
        rest = source.lines[line - 1][column : end[1] if line == end[0] else None]
        mark = rest.lstrip()[:1]
        if mark == ")":
            column += rest.index(")") + 1
            place = (line, column)
        elif mark in ("", "#", "\\"):
            line, column = line + 1, 0
        else:
            break
    return place
