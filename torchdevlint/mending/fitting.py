"""Lines that fixes make longer: what does not fit is broken inside the brackets of a call, or not made."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator

from torchdevlint.edits import Edit, Repair
from torchdevlint.mending.source import Source
from torchdevlint.mending.statements import is_alone, step_of
from torchdevlint.positions import Span

_OPENING, _CLOSING = "([{", ")]}"
_COMMAS_OF_THEIR_OWN = ("lambda", "for")

MAX_BROKEN = 1_000
"""How long a line may be that is broken: of a longer one nobody reads the arguments, and each try parses all of it."""

_EXAMPLES = 3
"""How many lines of a width show that a file means to have it: one may be a long address in a docstring."""


def width_of(line: str) -> int:
    """Return how long a line is without the comment at its end."""
    return len(line.partition("  #")[0].rstrip())  # comments may stand below each other


def usual_width(lines: Iterable[str]) -> int:
    """Return how long the lines of a file may be by its own example: as long as several of them, which is no slip."""
    widths = sorted(map(width_of, lines), reverse=True)
    return widths[min(_EXAMPLES, len(widths)) - 1]


def fitted(source: Source, repair: Repair, width: int) -> Repair | None:
    """Return a repair after which no line is too long that was not there, None where that cannot be had."""
    known = source.cached(_lines)
    allowed = max(width, source.cached(_usual))
    edits: list[Edit] = []
    for group in _by_lines(repair.edits):
        first, last = group[0].span.line, max(edit.span.end_line for edit in group)
        text = _changed(source, group, first, last)
        if all(width_of(line) <= allowed or line in known for line in text.split("\n")):
            edits += group
            continue
        breakable = first == last and len(source.lines[first - 1]) <= MAX_BROKEN
        begins = first in source.cached(_statements)
        broken = (_broken if begins else _broken_inside)(source, text, first, allowed) if breakable else None
        if broken is None:
            return None
        indent = len(source.indent(first))
        edits.append(Edit(Span(first, indent, first, len(source.lines[first - 1])), broken))
    return Repair(repair.safety, tuple(edits))


def _lines(source: Source) -> frozenset[str]:
    return frozenset(source.lines)


def _usual(source: Source) -> int:
    return usual_width(source.lines)


def _by_lines(edits: tuple[Edit, ...]) -> list[list[Edit]]:
    """Return edits in the order of the source, those together that share a line."""
    groups: list[list[Edit]] = []
    last = 0
    for edit in sorted(edits, key=lambda e: (e.span.line, e.span.column)):
        if not groups or edit.span.line > last:
            groups.append([])
        groups[-1].append(edit)
        last = max(last, edit.span.end_line)
    return groups


def _changed(source: Source, edits: list[Edit], first: int, last: int) -> str:
    """Return what stands in some lines after edits of them."""
    parts, place = [], (first, 0)
    for edit in edits:
        parts += [source.between(place, (edit.span.line, edit.span.column)), edit.text]
        place = (edit.span.end_line, edit.span.end_column)
    return "".join((*parts, source.between(place, (last, len(source.lines[last - 1])))))


def _broken(source: Source, text: str, line: int, allowed: int) -> str | None:
    """Return the statement of a line over several lines, without its first indentation, None where it stays one.

    It ends in a call, whose arguments get a line of their own, or each its own line if they do not fit on one.
    """
    statement = source.cached(_statements).get(line)
    if statement is None or statement.lineno != statement.end_lineno or not is_alone(source, statement):
        return None
    indent, code = source.indent(line), text.strip()
    try:
        parts = _arguments(code)
    except SyntaxError:  # what is no Python is not made
        return None
    if parts is None:
        return None
    head, arguments, has_comma, tail = parts
    inner = indent + step_of(source)
    together, apart = [", ".join(arguments)], [f"{one}," for one in arguments]
    for lines in [apart] if has_comma else [together, apart]:
        written = [f"{indent}{head}", *(f"{inner}{one}" for one in lines), f"{indent}){tail}"]
        if all(width_of(one) <= allowed for one in written):
            return "\n".join(written).removeprefix(indent)
    return None


def _broken_inside(source: Source, text: str, line: int, allowed: int) -> str | None:
    """Return a line within a statement over several, without its first indentation, None where it stays one.

    One that has the arguments of a call to itself becomes a line for each; one that ends in a call has what that is
    given on a line of its own.
    """
    indent, code = source.indent(line), text.strip()
    comma = "," if code.endswith(",") else ""
    code = code.removesuffix(",")
    found = _brackets(code)
    if found is None:
        return None
    commas, opening = found
    alone = source.lines[line - 2].rstrip().endswith("(") and source.lines[line].lstrip().startswith(")")
    if commas and alone:
        ends = [*commas, len(code)]
        written = [f"{indent}{code[a:b].strip()}," for a, b in zip((0, *(c + 1 for c in commas)), ends, strict=True)]
    elif opening is not None and not commas:
        inner = indent + step_of(source)
        written = [f"{indent}{code[: opening + 1]}", f"{inner}{code[opening + 1 : -1].strip()}", f"{indent}){comma}"]
    else:
        return None
    return "\n".join(written).removeprefix(indent) if all(width_of(one) <= allowed for one in written) else None


def _brackets(code: str) -> tuple[list[int], int | None] | None:
    """Return where the commas outside brackets are, and where the call begins that a text ends in.

    None where its brackets are not in pairs, or where a comma may be no separator of arguments.
    """
    opened: list[int] = []
    commas: list[int] = []
    closed = None
    try:
        for token in _tokens(code):
            if token.type == tokenize.COMMENT or (not opened and token.string in _COMMAS_OF_THEIR_OWN):
                return None
            if token.type == tokenize.OP and token.string in _OPENING:
                opened.append(token.start[1])
            elif token.type == tokenize.OP and token.string in _CLOSING:
                if not opened:
                    return None
                opening = opened.pop()
                closed = opening if token.string == ")" and token.end[1] == len(code) else None
            elif token.string == "," and not opened:
                commas.append(token.start[1])
    except (tokenize.TokenError, SyntaxError):  # a part of a text that goes on in another line
        return None
    return commas, closed


def _statements(source: Source) -> dict[int, ast.stmt]:
    return {one.lineno: one for one in ast.walk(source.tree) if isinstance(one, ast.stmt)}


def _arguments(code: str) -> tuple[str, list[str], bool, str] | None:
    """Return how a statement begins that ends in a call, or in an attribute of what that gives: `model(x).logits`.

    With the arguments of the call, whether a comma follows them, and what follows the call.
    """
    match ast.parse(code).body:
        case [ast.Expr(value=value) | ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Return(value=value)]:
            pass
        case _:
            return None
    if value is None or value.end_col_offset != len(code.encode()):
        return None  # a part of it is in parentheses
    while isinstance(value, ast.Attribute):
        value = value.value
    if not isinstance(value, ast.Call) or any(isinstance(one, ast.Call) for one in ast.walk(value.func)):
        return None
    start, end = (len(code.encode()[:place].decode()) for place in (value.func.end_col_offset, value.end_col_offset))
    opening = code.find("(", start)
    if code[start:opening].strip() or code[end : end + 1].strip(".") or code[end - 1] != ")":
        return None  # a part of it is in parentheses
    found = _split(code[:end], opening)
    return (*found, code[end:]) if found is not None else None


def _split(code: str, opening: int) -> tuple[str, list[str], bool] | None:
    """Split what is between a bracket and the end of a text at the commas that are in no other bracket."""
    depth, begin, arguments = 0, opening + 1, []
    for token in _tokens(code):
        column = token.start[1]
        if token.type == tokenize.COMMENT or (depth == 1 and token.string in _COMMAS_OF_THEIR_OWN):
            return None
        if column < opening or token.type != tokenize.OP:
            continue
        depth += (token.string in _OPENING) - (token.string in _CLOSING)
        if token.string == "," and depth == 1:
            arguments.append(code[begin:column].strip())
            begin = column + 1
    last = code[begin:-1].strip()
    arguments += [last] if last else []
    return (code[: opening + 1], arguments, not last) if arguments else None


def _tokens(code: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(code).readline)
