"""Edits of statements: one that is moved above another, and a block that is put into another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdevlint.mending.edits import Edit
from torchdevlint.mending.source import Source
from torchdevlint.positions import Span

MAX_BETWEEN = 40
"""How many statements a statement moves across."""


def moved_up(source: Source, statement: ast.stmt | None, other: ast.stmt | None) -> tuple[Edit, ...] | None:
    """Return the edits that move a statement, with the comments above it, before another of its block.

    Nothing that stands between the two may use what the statement uses, or bind it anew. Where the other one is in a
    block of its own, the statement goes before that.
    """
    if statement is None or other is None:
        return None
    block, last_number = source.scopes.block(statement)
    around: ast.AST | None = other
    while around is not None and not (isinstance(around, ast.stmt) and source.scopes.block(around)[0] is block):
        around = source.scopes.parent(around)
    if not isinstance(around, ast.stmt):
        return None
    between = block[source.scopes.block(around)[1] : last_number]
    if not 0 < len(between) <= MAX_BETWEEN:
        return None
    used, modules = set(paths(statement)), source.scopes.imported
    if any(_binds(one, used) for one in between) or any(_uses(one, statement, modules) for one in between[1:]):
        return None
    if not (is_alone(source, statement) and is_alone(source, around)):
        return None
    first, last, above = _first_line(source, statement), statement.end_lineno, _first_line(source, around)
    assert last is not None
    if last == len(source.lines):
        return None  # without an end of its last line
    text = "".join(f"{line}\n" for line in source.lines[first - 1 : last])
    before, after = _blank(source, first - 1, -1), _blank(source, last + 1, 1)
    if isinstance(statement, ast.If) and _blank(source, above - 1, -1):
        text += "\n"  # a block stands apart where what it goes before did
    # of the lines around it that are empty, those below it stay
    return (Edit(Span(above, 0, above, 0), text), Edit(Span(first - (before if after else 0), 0, last + 1, 0), ""))


def _blank(source: Source, line: int, step: int) -> int:
    """Return how many lines are empty from a line on, up or down."""
    found = 0
    while 0 < line + step * found <= len(source.lines) and not source.lines[line + step * found - 1].strip():
        found += 1
    return found


def moving(source: Source, move: ast.Call | None) -> ast.stmt | None:
    """Return the statement that does nothing but a move, or the test around that does nothing but such moves."""
    statement = source.scopes.statement(move) if move is not None else None
    if move is None or not isinstance(move.func, ast.Attribute) or _moved(statement, move.func.attr) is not move:
        return None
    around = source.scopes.parent(statement) if statement is not None else None
    match around:
        case ast.If(body=body, orelse=[]) if all(_moved(one, move.func.attr) is not None for one in body):
            return around
        case _:
            return statement


def _moved(statement: ast.stmt | None, method: str) -> ast.Call | None:
    """Return the call of a method that is all of a statement, whose result, if bound, replaces its object."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name)) as call) if name == method:
            return call
        case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute(value=moved, attr=name)) as call):
            return call if name == method and ast.unparse(target) == ast.unparse(moved) else None
        case _:
            return None


def paths(node: ast.AST) -> Iterator[tuple[str, ...]]:
    """Yield the names in a piece of source with the attributes that are asked of them: `self.model` as one."""
    match node:
        case ast.Attribute():
            names: list[str] = []
            inner: ast.expr = node
            while isinstance(inner, ast.Attribute):
                names.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                yield (inner.id, *reversed(names))
            else:
                yield from paths(inner)
        case ast.Name(id=name):
            yield (name,)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from paths(child)


def _uses(node: ast.AST, statement: ast.stmt, modules: set[str]) -> bool:
    """Tell whether a piece of source uses what a statement changes, or may change an attribute that it reads."""
    changed = set(_changed(statement, modules))
    if any(path[: len(one)] == one or one[: len(path)] == path for one in changed for path in paths(node)):
        return True
    methods = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    roots = {path[0] for path in paths(statement) if len(path) > 1} - modules
    return any(isinstance(m, ast.Attribute) and isinstance(m.value, ast.Name) and m.value.id in roots for m in methods)


def _changed(statement: ast.stmt, modules: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the objects that a statement may change: whose methods it calls, and whose parts it binds."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Attribute(value=changed)):
                yield from (path for path in paths(changed) if path[0] not in modules)
            case ast.Attribute(value=changed, ctx=ast.Store()) | ast.Subscript(value=changed, ctx=ast.Store()):
                yield from paths(changed)
            case ast.Name(id=name, ctx=ast.Store()):
                yield (name,)
            case _:
                pass


def _binds(node: ast.AST, used: set[tuple[str, ...]]) -> bool:
    targets = {
        path
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store | ast.Del)
        for path in paths(one)
    }
    return any(path[: len(target)] == target for target in targets for path in used)


def is_alone(source: Source, node: ast.stmt) -> bool:
    """Tell whether a statement shares its lines with comments only."""
    span = source.span(node)
    behind = source.lines[span.end_line - 1][span.end_column :].strip()
    return source.lines[span.line - 1][: span.column].strip() == "" and behind[:1] in ("", "#")


def _first_line(source: Source, node: ast.stmt) -> int:
    """Return where the comments above a statement begin, or else the statement."""
    decorators = getattr(node, "decorator_list", [])
    line: int = min([node.lineno, *(one.lineno for one in decorators)])
    indent = source.indent(line)
    while line > 1 and source.lines[line - 2].startswith(f"{indent}#"):
        line -= 1
    return line


def within(source: Source, statement: ast.stmt | None, header: str) -> tuple[Edit, ...] | None:
    """Return the edits that put a statement into a block of its own, None where a line of it is part of a text."""
    if statement is None or not is_alone(source, statement):
        return None
    assert statement.end_lineno is not None
    texts = (n for n in ast.walk(statement) if isinstance(n, ast.Constant | ast.JoinedStr))
    if any(one.lineno != one.end_lineno for one in texts):
        return None
    indent, step = source.indent(statement.lineno), step_of(source)
    opening = Edit(Span(statement.lineno, 0, statement.lineno, 0), f"{indent}{header}:\n{step}")
    rest = [n for n in range(statement.lineno + 1, statement.end_lineno + 1) if source.lines[n - 1].strip()]
    return (opening, *(Edit(Span(line, 0, line, 0), step) for line in rest))


def step_of(source: Source) -> str:
    """Return by how much the first block of the file is indented."""
    for node in ast.walk(source.tree):
        match node:
            case ast.FunctionDef(body=[first, *_]) | ast.For(body=[first, *_]) | ast.With(body=[first, *_]):
                if first.lineno > node.lineno:
                    return source.indent(first.lineno).removeprefix(source.indent(node.lineno))
            case _:
                pass
    return "    "
