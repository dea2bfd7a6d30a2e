"""Fixes: what a rule would have stand in the source, told in nodes, and the edits of the text that this comes to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from enum import Enum

import libcst as cst

from torchdevlint.names import text_of
from torchdevlint.positions import Span
from torchdevlint.records import dataclass


class Safety(Enum):
    """Whether a fix may change what a correct program computes."""

    SAFE = "safe"
    UNSAFE = "unsafe"


class Where(Enum):
    """Where a change stands: before a node, after it, or instead of it."""

    BEFORE = "before"
    AFTER = "after"
    INSTEAD = "instead"


@dataclass(frozen=True, slots=True)
class Change:
    """One change: a text that is written somewhere about a node.

    ``kept`` is a name that the text binds: it stands where the whole statement is an expression, where the name is a
    variable of the same function, and is read afterwards, or there is nothing to gain.
    """

    node: cst.CSTNode
    where: Where
    text: str
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """The changes that mend a finding, all of them or none."""

    safety: Safety
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of source and what stands there instead; an empty stretch is an insertion."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Repair:
    """A fix as edits of the text."""

    safety: Safety
    edits: tuple[Edit, ...]


# what rules ask for -------------------------------------------------------------------------------------------


def is_plain(node: cst.CSTNode | None) -> bool:
    """Tell whether an expression is a name or an attribute of one, so that it can be written twice."""
    while isinstance(node, cst.Attribute) and not node.lpar:
        node = node.value
    return isinstance(node, cst.Name) and not node.lpar


def applied(node: cst.CSTNode, text: str) -> tuple[Change, ...]:
    """Return the changes that apply an attribute or a call to an expression (`x` becomes `x.cpu()`)."""
    if isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript) and not node.lpar:
        return (Change(node, Where.AFTER, text),)
    return (Change(node, Where.BEFORE, "("), Change(node, Where.AFTER, f"){text}"))


def moved(node: cst.CSTNode, other: cst.CSTNode, of_module: bool = False) -> Fix | None:
    """Return the fix that moves a tensor to where another value of the same statement is, whatever that is called."""
    if not is_plain(other):
        return None
    text = text_of(other)
    place = f"next({text}.parameters()).device" if of_module else f"{text}.device"
    return Fix(Safety.SAFE, applied(node, f".to({place})"))


def on_host(node: cst.CSTNode) -> Fix:
    """Return the fix that copies a tensor to the host where it is used; one that is there stays."""
    return Fix(Safety.SAFE, applied(node, ".cpu()"))


def argument_added(node: cst.CSTNode, text: str, safety: Safety) -> Fix | None:
    """Return the fix that gives a call one argument more."""
    if not isinstance(node, cst.Call) or not node.args:
        return None
    keyword = text.partition("=")[0]
    if any(one.star == "**" or (one.keyword is not None and one.keyword.value == keyword) for one in node.args):
        return None
    return Fix(safety, (Change(node.args[-1].value, Where.AFTER, f", {text}"),))


def argument_dropped(node: cst.CSTNode, keyword: str, safety: Safety) -> Fix | None:
    """Return the fix that takes a keyword argument from a call."""
    if not isinstance(node, cst.Call):
        return None
    kept = [one for one in node.args if one.keyword is None or one.keyword.value != keyword]
    if len(kept) == len(node.args):
        return None
    if kept and node.args[-1] not in kept:
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return instead(node, cst.Module([]).code_for_node(node.with_changes(args=kept)), safety)


def assigned(node: cst.CSTNode) -> Fix | None:
    """Return the fix that binds the object of a call to its result (`x.cuda()` becomes `x = x.cuda()`)."""
    if not (
        isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and isinstance(node.func.value, cst.Name)
    ):
        return None  # an attribute may be a parameter or a property, which takes no tensor
    text = node.func.value.value
    return Fix(Safety.UNSAFE, (Change(node, Where.BEFORE, f"{text} = ", kept=text),))


def called(node: cst.CSTNode) -> Fix:
    """Return the fix that calls what is named only."""
    return Fix(Safety.UNSAFE, (Change(node, Where.AFTER, "()"),))


def detached(node: cst.CSTNode) -> Fix | None:
    """Return the fix that adds to a total, by `+=` or an append, what has no graph."""
    match node:
        case cst.AugAssign(value=cst.List() | cst.Tuple()):
            return None
        case cst.AugAssign(value=value) | cst.Call(args=[cst.Arg(value=value)]):
            return Fix(Safety.SAFE, applied(value, ".detach()"))
        case _:
            return None


def attribute_instead(node: cst.CSTNode, name: str) -> Fix | None:
    """Return the fix that reads an attribute of an object where one of its methods is called."""
    if not (isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)):
        return None
    return instead(node, f"{cst.Module([]).code_for_node(node.func.value)}.{name}", Safety.SAFE)


def instead(node: cst.CSTNode, text: str, safety: Safety) -> Fix:
    """Return the fix that writes a text instead of an expression."""
    return Fix(safety, (Change(node, Where.INSTEAD, text),))


# what comes of it in the text -----------------------------------------------------------------------------------


def nodes(fix: Fix | None) -> Iterator[cst.CSTNode]:
    """Yield the nodes whose positions a fix needs."""
    for change in fix.changes if fix is not None else ():
        yield change.node


def resolve(fix: Fix, spans: Mapping[cst.CSTNode, Span], scopes: Scopes) -> Repair | None:
    """Return a fix as edits, or None where a change cannot stand in its place."""
    edits = []
    for change in fix.changes:
        span = spans.get(change.node)
        if span is None:
            return None
        if change.kept and not scopes.keeps(change.kept, span):
            return None
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        match change.where:
            case Where.BEFORE:
                end = start
            case Where.AFTER:
                start = end
            case Where.INSTEAD:
                pass
        edits.append(Edit(Span(*start, *end), change.text))
    return Repair(fix.safety, tuple(edits))


class Scopes:
    """Which names are variables where, and whether they are read again."""

    def __init__(self, text: str) -> None:
        """Take the text of a file that Python can parse."""
        self._tree = ast.parse(text)

    def keeps(self, name: str, place: Span) -> bool:
        """Tell whether an expression is a statement of its own, and what it would bind to a name is read later."""
        scope = _around(self._tree, place)[-1]
        statements = [n for n in ast.walk(scope) if isinstance(n, ast.Expr) and _is_at(n.value, place)]
        return bool(statements) and name in _bound(scope, place) and _is_read(scope, name, place)


def _is_at(node: ast.expr, place: Span) -> bool:
    return isinstance(node, ast.Call) and (node.lineno, node.end_lineno) == (place.line, place.end_line)


def _is_read(scope: _Scope, name: str, place: Span) -> bool:
    """Tell whether a name is read below a place, or above it in a loop around that does not bind it anew."""
    reads = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    if any(read.lineno > place.end_line for read in reads):
        return True
    for loop in ast.walk(scope):
        if isinstance(loop, ast.For | ast.While) and loop.lineno < place.line <= (loop.end_lineno or 0):
            bound = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            if name not in bound and any(loop.lineno <= read.lineno < place.line for read in reads):
                return True
    return False


_Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _around(tree: ast.Module, place: Span) -> list[_Scope]:
    """Return the scopes around a place, the outermost first."""
    inside = (node for node in ast.walk(tree) if isinstance(node, _SCOPES))
    return [tree, *(node for node in inside if node.lineno <= place.line <= (node.end_lineno or node.lineno))]


def _bound(scope: _Scope, above: Span) -> set[str]:
    """Return the names that a scope binds above a place."""
    names: set[str] = set()
    if not isinstance(scope, ast.Module | ast.ClassDef):
        arguments = scope.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
        names |= {one.arg for one in every if one is not None}
    todo: list[ast.AST] = [*(scope.body if isinstance(scope.body, list) else [scope.body])]
    while todo:
        node = todo.pop()
        line = getattr(node, "lineno", 0)
        if line > above.line:
            continue
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
                continue
            case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                continue
            case ast.Name(id=name, ctx=ast.Store()) if line < above.line:
                names.add(name)
            case ast.alias(name=name, asname=asname) if line < above.line:
                names.add((asname or name).partition(".")[0])
            case _:
                pass
        todo.extend(ast.iter_child_nodes(node))
    return names
