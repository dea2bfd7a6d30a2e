"""The lines of a function in the order of the source, where they bind and read a name, what they throw away."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

import libcst as cst

from torchdevlint.records import dataclass

Path: TypeAlias = tuple[cst.CSTNode, ...]
"""Nodes, each in the one before it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A simple statement, or what a compound one evaluates or binds, with the statements and suites around it."""

    node: cst.CSTNode
    around: Path


_LAYOUT = (
    "_", "whitespace", "lpar", "rpar", "lbra", "rbra", "leading_", "lines_after", "trailing_", "header", "footer",
    "comma", "semicolon", "equal", "dot",
)  # fmt: skip
"""How the names of fields begin that hold spaces, comments and punctuation."""
_SUITES = ("body", "handlers", "orelse", "finalbody")


@cache
def _parts(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """Return the fields of a type of node that may hold nodes, in the order of the source."""
    names = [name for name in kind.__dataclass_fields__ if not name.startswith(_LAYOUT)]
    return (*(name for name in names if name not in _SUITES), *(name for name in _SUITES if name in names))


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes in a node, but for spaces and punctuation; libcst makes the node anew to answer that."""
    for name in _parts(type(node)):
        value = getattr(node, name)
        kind = type(value)
        if kind is tuple or kind is list:
            yield from value
        elif value is not None and kind not in _PLAIN:
            yield value


_PLAIN = frozenset({str, bool, cst.MaybeSentinel})


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all that is in it, but for layout, in no order."""
    pending = [node]
    while pending:
        one = pending.pop()
        yield one
        pending.extend(children(one))


@cache
def _is_line(kind: type[cst.CSTNode]) -> bool | None:
    """Tell whether nodes of a type are lines or have lines in them; None for neither."""
    if issubclass(kind, cst.BaseSmallStatement | cst.BaseExpression | cst.WithItem):
        return True
    return False if issubclass(kind, _AROUND) else None


_AROUND = (
    cst.BaseStatement, cst.BaseSuite, cst.Else, cst.Finally, cst.ExceptHandler, cst.ExceptStarHandler, cst.MatchCase
)  # fmt: skip


def lines(node: cst.CSTNode, around: Path = ()) -> Iterator[Line]:
    """Yield the lines of a suite, in the order of the source."""
    for child in children(node):
        is_line = _is_line(type(child))
        if is_line:
            yield Line(child, around)
        elif is_line is not None:
            yield from lines(child, (*around, child))


def nodes(node: cst.CSTNode) -> Iterator[Path]:
    """Yield the nodes in a node, each with those around it."""
    pending: list[Path] = [(node,)]
    while pending:
        path = pending.pop()
        yield path
        pending.extend((*path, child) for child in children(path[-1]))


def _is_target(line: Line) -> bool:
    """Tell whether a line is what a loop binds."""
    return bool(line.around) and isinstance(line.around[-1], cst.For) and line.around[-1].target is line.node


def binds(line: Line, name: str) -> bool:
    """Tell whether a line binds a name, whatever else it does."""
    match line.node:
        case cst.Assign(targets=several):
            targets: list[cst.CSTNode] = [target.target for target in several]
        case cst.AnnAssign(target=target) | cst.WithItem(asname=cst.AsName(name=target)):
            targets = [target]
        case node:
            targets = [node] if _is_target(line) else []
    while targets:
        match targets.pop():
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                targets.extend(element.value for element in elements)
            case cst.Name(value=bound) if bound == name:
                return True
            case _:
                continue
    return False


def is_fresh(line: Line) -> bool:
    """Tell whether a line binds a name to what it has just made, so that nothing else stands for it."""
    match line.node:
        case cst.Assign(value=value) | cst.AnnAssign(value=value):
            return isinstance(value, cst.Call | cst.BinaryOperation | cst.UnaryOperation)
        case _:
            return False


def runs_with(line: Line, other: Line) -> bool:
    """Tell whether a line stands in a suite that is around another: it runs whenever that one does."""
    suites, inner = (
        [part for part in one.around if not isinstance(part, cst.SimpleStatementLine)] for one in (line, other)
    )
    return suites == inner[: len(suites)]


def reads(line: Line, name: str) -> Iterator[Path]:
    """Yield where a line reads a name, with all around it in the line."""
    for path in nodes(line.node) if not _is_target(line) else ():
        match path:
            case (*_, cst.Attribute(attr=inner) | cst.Arg(keyword=inner), cst.Name()) if inner is path[-1]:
                continue
            case (*outer, cst.Name(value=read)) if read == name and not _is_bound(outer):
                yield path
            case _:
                continue


def _is_bound(outer: list[cst.CSTNode]) -> bool:
    """Tell whether a name with this around it is a target, alone or among others."""
    while outer and isinstance(outer[-1], cst.Tuple | cst.List | cst.Element):
        outer.pop()
    return bool(outer) and isinstance(outer[-1], cst.AssignTarget | cst.AsName)


def discarded(node: cst.BaseExpression) -> Iterator[cst.Call]:
    """Yield the calls whose results a statement throws away: itself, or the parts of what it evaluates to."""
    match node:
        case cst.Call():
            yield node
        case cst.Await():
            yield from discarded(node.expression)
        case cst.Tuple() | cst.List():
            for element in node.elements:
                yield from discarded(element.value)
        case cst.IfExp():
            yield from discarded(node.body)
            yield from discarded(node.orelse)
        case cst.BooleanOperation():
            yield from discarded(node.right)
        case cst.ListComp():
            yield from discarded(node.elt)
        case _:
            return
