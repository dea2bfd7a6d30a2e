"""What fails, and whether it is meant to: a ``try`` and its handlers, blocks that raise."""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import expressions, reading
from torchdevlint.interpreter.run import Run
from torchdevlint.interpreter.writers import is_move, small_statements
from torchdevlint.knowledge.rows import Leave
from torchdevlint.names import text_of
from torchdevlint.values import Imported

_RAISED = "RuntimeError"
"""What operations on two devices raise."""

_CATCHING = (_RAISED, "TypeError", "Exception", "BaseException")
"""What catches the errors that operations on two devices, and reads on the host, raise."""

MAX_SHOWN = 4
"""How many lines a lesson tries at most to show an error."""


def expects_failure(run: Run, node: cst.Try | cst.TryStar) -> bool:
    """Tell whether a program is right where the body of a ``try`` fails because two devices meet.

    So it is where a handler mends that, or shows the error that a few lines raise, and where the program fails if the
    body does not: at its end, in the block for what did not fail, or behind it, if the handlers return.
    """
    if any(mends(run, handler) for handler in node.handlers):
        return True
    if not any({"", *_CATCHING} & set(_kinds(handler)) for handler in node.handlers):
        return False
    if _shows(node) or ends_in_raise(node.body) or (node.orelse is not None and ends_in_raise(node.orelse.body)):
        return True
    return all(_ends_in(handler.body, cst.Return) for handler in node.handlers) and _fails(run, _behind(run, node))


def _shows(node: cst.Try | cst.TryStar) -> bool:
    """Tell whether the only handler of a few lines shows the error that operations raise, and goes on: a lesson."""
    handler = node.handlers[0]
    if len(node.handlers) > 1 or _kinds(handler) != [_RAISED] or handler.name is None:
        return False
    error = text_of(handler.name.name)
    return (
        len(node.body.body) <= MAX_SHOWN
        and not any(isinstance(one, cst.BaseCompoundStatement) for one in (*node.body.body, *handler.body.body))
        and all(isinstance(one, cst.Expr) for one in small_statements(handler.body))
        and any(isinstance(path[-1], cst.Name) and path[-1].value == error for path in reading.nodes(handler.body))
    )


def _behind(run: Run, node: cst.Try | cst.TryStar) -> cst.CSTNode | None:
    """Return the statement behind one of the running function."""
    function = run.frame.function
    body = list(function.node.body.body) if function is not None and isinstance(function.node, cst.FunctionDef) else []
    behind = body[body.index(node) + 1 :] if node in body else []
    following = behind[0] if behind else None
    return following.body[0] if isinstance(following, cst.SimpleStatementLine) else following


def _fails(run: Run, statement: cst.CSTNode | None) -> bool:
    """Tell whether a statement raises, or calls what ends a test or the program."""
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        callee = expressions.evaluate(run, statement.value.func)
        return isinstance(callee, Imported) and isinstance(callee.row, Leave)
    return isinstance(statement, cst.Raise)


def _kinds(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> list[str]:
    """Return the names of the exceptions that a handler is for; one for all of them has an empty name."""
    kind = handler.type
    kinds = [element.value for element in kind.elements] if isinstance(kind, cst.Tuple) else [kind]
    return ["" if one is None else text_of(one) for one in kinds]


def mends(run: Run, handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    """Tell whether a handler moves something where an operation on two devices has failed, and goes on with it."""
    if not {"", *_CATCHING} & set(_kinds(handler)):
        return False
    going_on = cst.Return if ends_in_raise(handler.body) else cst.Assign | cst.Expr | cst.Return
    return any(
        isinstance(path[-1], cst.Call) and is_move(run, path[-1])
        for part in small_statements(handler.body)
        if isinstance(part, going_on)
        for path in reading.nodes(part)
    )


def insists(node: cst.Try | cst.TryStar) -> bool:
    """Tell whether a ``try`` only imports and raises again what fails: the file does not go on without it."""
    imported = all(isinstance(part, cst.Import | cst.ImportFrom) for part in small_statements(node.body))
    return imported and all(ends_in_raise(handler.body) for handler in node.handlers)


def ends_in_raise(block: cst.BaseSuite) -> bool:
    """Tell whether the last statement of a block raises."""
    return _ends_in(block, cst.Raise)


def _ends_in(block: cst.BaseSuite, kind: type[cst.CSTNode]) -> bool:
    last = block.body[-1]
    return isinstance(last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last, kind)
