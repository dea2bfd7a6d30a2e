"""Which methods of a class rebind or move which attributes of `self`: a scan of statements, no evaluation."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from torchdevlint.interpreter import lineage
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Move, MoveKind
from torchdevlint.values import Class, Function


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
        receiver = parameters[0].name.value
        for statement in small_statements(value.node.body):
            for attribute in _touched(run, statement, receiver):
                found.setdefault(attribute, set()).add(name)
    return found


def small_statements(body: cst.BaseSuite | cst.BaseStatement) -> Iterator[cst.BaseSmallStatement]:
    """Yield the simple statements of a suite and of all suites inside it, but for nested definitions."""
    pending: list[cst.CSTNode] = [body]
    while pending:
        node = pending.pop()
        match node:
            case cst.IndentedBlock() | cst.SimpleStatementSuite() | cst.SimpleStatementLine():
                for part in node.body:
                    if isinstance(part, cst.BaseSmallStatement):
                        yield part
                    else:
                        pending.append(part)
            case cst.If() | cst.For() | cst.While():
                pending.append(node.body)
                if node.orelse is not None:
                    pending.append(node.orelse)
            case cst.Else() | cst.Finally() | cst.ExceptHandler() | cst.ExceptStarHandler() | cst.With():
                pending.append(node.body)
            case cst.Try() | cst.TryStar():
                pending.extend([node.body, *node.handlers])
                pending.extend(part for part in (node.orelse, node.finalbody) if part is not None)
            case cst.Match():
                pending.extend(case.body for case in node.cases)
            case _:
                continue


def _touched(run: Run, statement: cst.BaseSmallStatement, receiver: str) -> Iterator[str]:
    match statement:
        case cst.Assign():
            for target in statement.targets:
                yield from _targets(target.target, receiver)
        case cst.AnnAssign() | cst.AugAssign():
            yield from _targets(statement.target, receiver)
        case cst.Expr(value=cst.Call() as call):
            yield from _moved(run, call, receiver)
        case _:
            return


def _targets(node: cst.BaseExpression, receiver: str) -> Iterator[str]:
    match node:
        case cst.Attribute(value=cst.Name(value=name)) if name == receiver:
            yield node.attr.value
        case cst.Attribute() | cst.Subscript():
            yield from _targets(node.value, receiver)
        case cst.Tuple() | cst.List():
            for element in node.elements:
                yield from _targets(element.value, receiver)
        case _:
            return


def _moved(run: Run, call: cst.Call, receiver: str) -> Iterator[str]:
    """Yield the attribute that a statement like ``self.net.to(device)`` moves; a move to the host is none."""
    func = call.func
    while isinstance(func, cst.Attribute) and isinstance(func.value, cst.Call):
        func = func.value.func
    if isinstance(func, cst.Attribute):
        row = run.knowledge.module.get(func.attr.value)
        if isinstance(row, Move) and row.kind is not MoveKind.CPU:
            yield from _targets(func.value, receiver)
