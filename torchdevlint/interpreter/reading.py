"""The lines of a function in the order of the source, where they bind and read a name, what they throw away."""

from __future__ import annotations

from collections.abc import Iterator
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


def lines(node: cst.CSTNode, around: Path = ()) -> Iterator[Line]:
    """Yield the lines of a suite, in the order of the source."""
    for child in node.children:
        match child:
            case cst.BaseSmallStatement() | cst.BaseExpression() | cst.WithItem():
                yield Line(child, around)
            case cst.BaseStatement() | cst.BaseSuite() | cst.Else() | cst.Finally():
                yield from lines(child, (*around, child))
            case cst.ExceptHandler() | cst.ExceptStarHandler() | cst.MatchCase():
                yield from lines(child, (*around, child))
            case _:
                continue


def nodes(node: cst.CSTNode) -> Iterator[Path]:
    """Yield the nodes in a node, each with those around it."""
    pending: list[Path] = [(node,)]
    while pending:
        path = pending.pop()
        yield path
        pending.extend((*path, child) for child in path[-1].children)


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
