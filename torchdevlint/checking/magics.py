"""What IPython makes of a cell: magics, shell commands and help, as lines of Python that say no more than is known.

What a magic does to the names it is given is unknown, unless it is one that only measures.
https://ipython.readthedocs.io/en/stable/config/inputtransforms.html
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from torchdevlint.checking.documents import LINES
from torchdevlint.records import dataclass, replace

_RUN_HERE = frozenset({"capture", "debug", "memit", "prun", "time", "timeit"})
"""Cell magics that run their cell as it is, and measure or catch what it says."""
_RUN_ELSEWHERE = frozenset(
    {"!", "HTML", "SVG", "bash", "cmd", "file", "html", "javascript", "js", "latex", "markdown", "perl", "pypy"}
    | {"python", "python2", "python3", "ruby", "script", "sh", "svg", "sx", "system", "writefile"}
)
"""Cell magics whose cell is no part of the program: it is shown, written to a file or run by another process."""
_AUTOMATIC = re.compile(
    r"[ \t]*(?P<code>(?:alias|bookmark|cat|cd|clear|colors|conda|config|cp|env|gui|history|less|load|load_ext|ls|macro|"
    r"mamba|man|matplotlib|mkdir|more|mv|notebook|pip|popd|pushd|pylab|reload_ext|reset|rm|rmdir|run|set_env|store|"
    r"system|unload_ext|uv|who|whos|xmode)[ \t]+(?!\W{0,3}=|,|(?:and|for|if|in|is|not|or)\b)\S.*)"
)
"""Line magics and their words, which IPython takes without a `%` where they are no Python, nor the beginning of any."""
_MEASURES = re.compile(r"(?P<magic>%(?:memit|prun|timeit|time))(?P<options>(?:[ \t]+-\w+(?:[ \t]*\d+)?)*)[ \t]+")
_CELL_MAGIC = re.compile(r"%%(?P<name>!|\w+)")
_ESCAPED = re.compile(r"[ \t]*(?P<code>[%!?/,;].*)", re.DOTALL)
_ASSIGNED = re.compile(r"(?P<target>[ \t]*[^=#\s(\"'][^=#(\"']*=[ \t]*)(?P<code>[%!].*)", re.DOTALL)
_HELP = re.compile(r"[ \t]*%{0,2}[^\W\d][\w*]*(?:\.[\w*]+|\[-?\d+\])*\?\??[ \t]*;?\s*\Z")
_COMMAND = re.compile(r"(?:[^\n]*\\\n)*[^\n]*\n?")
_TOKEN = re.compile(
    r"""(?P<string>\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"""
    r"|(?P<comment>\#[^\n]*)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<joined>\\\n)|(?P<end>\n)|[^\"'\#()\[\]{}\\\n]+|.",
    re.DOTALL,
)
_UNKNOWN = "get_ipython()"


class NoPython(Exception):
    """A cell that IPython cannot run either: ``message``, and the row and column in it, from 1 and from 0."""

    def __init__(self, message: str, row: int, column: int) -> None:
        super().__init__(message)
        self.message, self.row, self.column = message, row, column


@dataclass(frozen=True, slots=True)
class Line:
    """A line of Python for one of a cell: its text, the row it stands for, and how far the cell's line is indented.

    One that is ``added`` stands before the line of the cell, and for nothing in it.
    """

    text: str
    row: int
    shift: int = 0
    added: bool = False


def translate(source: str) -> list[Line]:
    """Return the lines of Python that a cell comes to, in the order of its rows. Raises `NoPython`."""
    lines = _dedented([one.rstrip("\r\n") for one in LINES.findall(source)])
    for index, line in enumerate(lines):
        if line.text.strip() == "":
            continue
        magic = _CELL_MAGIC.match(line.text)
        if magic is None:
            break
        rest = lines[index + 1 :]
        lines[index] = replace(line, text="")
        if magic["name"] not in _RUN_HERE:
            known = magic["name"] in _RUN_ELSEWHERE
            lines[index] = replace(line, text="" if known else unknown("\n".join(one.text for one in rest)))
            return [*lines[: index + 1], *(replace(one, text="") for one in rest)]
    tree = parsed(lines)
    if tree is None:
        lines = list(_without_magics(lines))
        tree = parsed(lines)
    return _shown(lines, tree) if tree is not None else _refused(lines)


def parsed(lines: Sequence[Line]) -> ast.Module | None:
    """Return the syntax tree of a cell, or None where it is no Python."""
    try:
        return _parse("\n".join(one.text for one in lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python says of literals is not ours to say
        return ast.parse(text)


def _refused(lines: Sequence[Line]) -> list[Line]:
    try:
        _parse("\n".join(one.text for one in lines))
    except SyntaxError as error:
        row = min(max(error.lineno or 1, 1), len(lines))
        raise NoPython(error.msg, row, max((error.offset or 1) - 1, 0) + lines[row - 1].shift) from None
    except (RecursionError, MemoryError):
        raise NoPython("nested too deeply", 1, 0) from None
    except ValueError as error:  # a null byte, half a surrogate
        raise NoPython(str(error), 1, 0) from None
    raise AssertionError  # pragma: no cover (it did not parse a moment ago)


def _dedented(texts: Sequence[str]) -> list[Line]:
    """Return the lines without the indentation that all of them have."""
    depths = [len(text) - len(text.lstrip(" \t")) for text in texts if text.strip()]
    shift = min(depths, default=0)
    return [Line(text[shift:], row, min(shift, len(text))) for row, text in enumerate(texts, 1)]


def unknown(code: str) -> str:
    """Return a statement that may do to the names of some code whatever that does, on one line."""
    try:
        tree = _parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "pass"
    bound: dict[str, None] = {}
    read: dict[str, None] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                bound[name] = None
            case ast.Name(id=name, ctx=ast.Load()):
                read[name] = None
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound[name] = None
            case ast.alias(name=name, asname=other) if name != "*":
                bound[other or name.partition(".")[0]] = None
    if not bound and not read:
        return "pass"
    target = f"{', '.join(bound)}, = " if bound else ""
    return f"{target}{_UNKNOWN}({', '.join(read)})"


def _without_magics(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines of a cell with Python instead of what only IPython understands."""
    for start, text in _statements("\n".join(one.text for one in lines)):
        own = lines[start : start + text.count("\n") + (0 if text.endswith("\n") else 1)]
        instead = _instead(text)
        if instead is None:
            yield from own
        else:
            yield replace(own[0], text=instead)
            yield from (replace(one, text="") for one in own[1:])


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the logical lines of a cell with the index of their first line; a command ends where its line does."""
    place = row = 0
    while place < len(text):
        command = _COMMAND.match(text, place)
        assert command is not None
        found = command[0]
        if _instead(found) is None:
            found = text[place : _end(text, place)]
        yield row, found
        place += len(found)
        row += found.count("\n")


def _end(text: str, place: int) -> int:
    """Return where the logical line that begins at a place ends."""
    depth = 0
    for token in _TOKEN.finditer(text, place):
        match token.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth = max(depth - 1, 0)
            case "end" if depth == 0:
                return token.end()
    return len(text)


def _instead(text: str) -> str | None:
    """Return the Python for a logical line that only IPython understands, or None where it is Python."""
    text = text.rstrip("\n")
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    if _HELP.match(text):
        return f"{indent}pass"
    escaped = _ESCAPED.match(text)
    if escaped is not None:
        return indent + _command(escaped["code"])
    automatic = _AUTOMATIC.fullmatch(text)
    if automatic is not None and parsed([Line(automatic["code"], 1)]) is None:
        return indent + _command(f"%{automatic['code']}")
    assigned = _ASSIGNED.match(text)
    if assigned is None:
        return None
    measured = _MEASURES.match(assigned["code"])
    if measured is not None and measured["magic"] == "%time":
        return assigned["target"] + " " * measured.end() + assigned["code"][measured.end() :]
    return f"{assigned['target']}{_UNKNOWN}"


def _command(code: str) -> str:
    """Return the Python for a magic or a command; what is measured stays in its columns."""
    measured = _MEASURES.match(code)
    if measured is None:
        _, _, rest = code.partition(" ")
        return unknown(rest) if code.startswith("%") else "pass"
    rest = code[measured.end() :]
    tree = parsed([Line(rest, 1)])
    match tree.body if tree is not None else []:
        case [ast.Expr()]:
            return "_=".ljust(measured.end()) + rest
        case [ast.Assign() | ast.AnnAssign() | ast.AugAssign()] if measured["magic"] == "%time":
            return "0;".ljust(measured.end()) + rest
        case _:
            return unknown(rest)


def _shown(lines: list[Line], tree: ast.Module) -> list[Line]:
    """Return the lines with the value of the last expression bound to `_`: it is shown, and so not thrown away."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or isinstance(last.value, ast.Constant):
        return lines
    before = tree.body[-2].end_lineno if len(tree.body) > 1 else 0
    assert before is not None
    assert last.end_lineno is not None
    end = lines[last.end_lineno - 1].text.encode()[last.end_col_offset :].decode()
    start = next(
        (i for i in range(before, last.lineno) if lines[i].text.strip() and not lines[i].text.startswith("#")), None
    )
    if start is None or end.partition("#")[0].rstrip().endswith(";") or lines[start].text[:1].isspace():
        return lines
    return [*lines[:start], replace(lines[start], text="_ = \\", added=True), *lines[start:]]
