"""Which methods of a class rebind or move which attributes of `self`: a scan of statements, no evaluation."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from torchdevlint.interpreter import attributes, lineage, reading
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Move, MoveKind
from torchdevlint.names import text_of
from torchdevlint.values import Class, Function

ANY_ATTRIBUTE = "*"
"""Stands for every attribute, where a method gives its object to code that may bind any of them."""

PART = "[]"
"""Follows the name of an attribute of which a method binds an element: where that is a tensor, it stays where it is."""


def of_class(run: Run, cls: Class) -> dict[str, set[str]]:
    """Return the names of attributes with the methods that assign or move them."""
    found: dict[str, set[str]] = {}
    members = (item for base in lineage.classes(cls) for item in base.members.items())
    for name, value in members:
        if not isinstance(value, Function) or not isinstance(value.node, cst.FunctionDef):
            continue
        parameters = value.node.params.params
        if not parameters:
            continue
        for attribute in _touched_by(run, value.node, parameters[0].name.value):
            found.setdefault(attribute, set()).add(name)
    return found


def _touched_by(run: Run, node: cst.FunctionDef, receiver: str) -> frozenset[str]:
    """Return the attributes that a method assigns or moves: it is looked at once, however many classes inherit it."""
    if node not in run.touched:
        statements = small_statements(node.body)
        run.touched[node] = frozenset(name for part in statements for name in _touched(run, part, receiver))
    return run.touched[node]


def small_statements(body: cst.BaseSuite | cst.BaseStatement) -> Iterator[cst.CSTNode]:
    """Yield the simple statements and those that bind a target, of a suite and of all in it but nested definitions."""
    pending: list[cst.CSTNode] = [body]
    while pending:
        node = pending.pop()
        # By exact type: libcst's nodes have an abstract metaclass, which makes `isinstance` slow.
        if type(node) is cst.SimpleStatementLine or type(node) is cst.SimpleStatementSuite:
            yield from node.body
        else:
            if type(node) is cst.For or type(node) is cst.With:
                yield node
            pending.extend(child for child in reading.children(node) if type(child) in _AROUND)


_AROUND = frozenset({
    cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.IndentedBlock, cst.If, cst.Else, cst.For, cst.While,
    cst.With, cst.Try, cst.TryStar, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.Match, cst.MatchCase,
})  # fmt: skip
"""Statements that have others in them, and their parts."""


def _touched(run: Run, statement: cst.CSTNode, receiver: str) -> Iterator[str]:
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        yield from _moved(run, statement.value, receiver)
        yield from _lent(run, statement.value, receiver)
    else:
        yield from _bound(statement, receiver)


def _lent(run: Run, call: cst.Call, receiver: str) -> Iterator[str]:
    """Yield what a function binds that is given the object itself, or its namespace."""
    func = call.func
    through = func.value if isinstance(func, cst.Attribute) else func
    if text_of(through) == f"{receiver}.{attributes.NAMESPACE}":
        yield ANY_ATTRIBUTE
    given = [index for index, argument in enumerate(call.args) if text_of(argument.value) == receiver]
    if not given or not isinstance(func, cst.Name):
        return
    callee = run.lookup(func.value)
    if isinstance(callee, Function) and isinstance(callee.node, cst.FunctionDef):
        parameters = callee.node.params.params
        name = parameters[given[0]].name.value if given[0] < len(parameters) else ""
        for statement in small_statements(callee.node.body):
            yield from _bound(statement, name)
    elif func.value in ("setattr", "vars"):
        yield ANY_ATTRIBUTE


def _bound(statement: cst.CSTNode, receiver: str) -> Iterator[str]:
    """Yield the attributes of an object that a statement assigns."""
    if type(statement) is cst.Assign:
        for target in statement.targets:
            yield from _targets(target.target, receiver)
    elif type(statement) is cst.AnnAssign or type(statement) is cst.AugAssign or type(statement) is cst.For:
        yield from _targets(statement.target, receiver)
    elif type(statement) is cst.With:
        for item in statement.items:
            if item.asname is not None:
                yield from _targets(item.asname.name, receiver)


def _targets(node: cst.BaseExpression, receiver: str) -> Iterator[str]:
    if type(node) is cst.Attribute:
        if type(node.value) is cst.Name and node.value.value == receiver:
            yield node.attr.value
        else:
            yield from _targets(node.value, receiver)
    elif type(node) is cst.Subscript:
        yield from (f"{name.removesuffix(PART)}{PART}" for name in _targets(node.value, receiver))
    elif type(node) is cst.Tuple or type(node) is cst.List:
        for element in node.elements:
            yield from _targets(element.value, receiver)


def _moved(run: Run, call: cst.Call, receiver: str) -> Iterator[str]:
    """Yield the attribute that a statement like ``self.net.to(device)`` moves; a move to the host is none."""
    func = call.func
    while isinstance(func, cst.Attribute) and isinstance(func.value, cst.Call):
        func = func.value.func
    if isinstance(func, cst.Attribute):
        row = run.knowledge.module.get(func.attr.value)
        if isinstance(row, Move) and row.kind is not MoveKind.CPU:
            yield from _targets(func.value, receiver)


def moves_something(run: Run, node: cst.FunctionDef | cst.Lambda) -> bool:
    """Tell whether a function has a statement that moves an object, or is an expression that does."""
    if isinstance(node, cst.Lambda):
        body = node.body
        parts = [element.value for element in body.elements] if isinstance(body, cst.Tuple) else [body]
        return any(isinstance(part, cst.Call) and is_move(run, part) for part in parts)
    return any(
        isinstance(part, cst.Expr) and isinstance(part.value, cst.Call) and is_move(run, part.value)
        for part in small_statements(node.body)
    )


def has_move(run: Run, method: Function) -> bool:
    """Tell whether a method has a call in it that moves."""
    if method.node not in run.moving:
        paths = reading.nodes(method.node)
        run.moving[method.node] = any(isinstance(path[-1], cst.Call) and is_move(run, path[-1]) for path in paths)
    return run.moving[method.node]


def is_move(run: Run, call: cst.Call) -> bool:
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    return isinstance(run.knowledge.module.get(name), Move)
