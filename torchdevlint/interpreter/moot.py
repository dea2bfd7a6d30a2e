"""Questions without consequence: the ways through an `if` differ by moves to where a tensor is already."""

from __future__ import annotations

import libcst as cst

from torchdevlint.incidents import DeviceCompared
from torchdevlint.interpreter import discards
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Move, MoveKind
from torchdevlint.lattice import HOST


def withdraw(run: Run, node: cst.If) -> None:
    """Take back what was just recorded of a wrong comparison with the host, where that decides about moves alone.

    On the host they change nothing, and elsewhere the comparison is right.
    """
    event = run.events[-1] if run.events else None
    if not isinstance(event, DeviceCompared) or event.node is not node.test:
        return
    other = event.sides[1]
    if not isinstance(other, cst.SimpleString) or other.evaluated_value != HOST.type:
        return
    if node.orelse is None or isinstance(node.orelse, cst.Else):
        otherwise = [] if node.orelse is None else _without_moves(run, node.orelse.body)
        first = _without_moves(run, node.body)
        if first is not None and first == otherwise:
            run.events.pop()


def _without_moves(run: Run, suite: cst.BaseSuite) -> list[str] | None:
    """Return what the statements of a suite do beside moving, None where that is not told."""
    done = []
    for line in suite.body:
        if not isinstance(line, cst.SimpleStatementLine | cst.BaseSmallStatement):
            return None
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else (line,):
            text = _text(small.visit(_Stripping(run)))
            if text:
                done.append(text)
    return done


def _text(node: object) -> str:
    """Return the text of a statement without its spaces; nothing for one that binds a name to itself or names it."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Name(value=same)) if (
            name == same
        ):
            return ""
        case cst.Expr(value=cst.Name()):
            return ""
        case cst.CSTNode():
            return "".join(cst.Module([]).code_for_node(node).split()).rstrip(";")
        case _:  # pragma: no cover (nothing removes a statement)
            return ""


class _Stripping(cst.CSTTransformer):
    """Replaces moves by what they move, and lists of all elements by what has them."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        """Return what a call moves, any other call as it is."""
        match updated_node:
            case cst.Call(func=cst.Attribute(value=moved, attr=cst.Name(value=name)), args=arguments):
                row = self.run.knowledge.tensor.get(name)
                to_type = isinstance(row, Move) and row.kind in (MoveKind.TYPE, MoveKind.TYPE_AS)
                cast = any(discards.is_asked_dtype(self.run, argument.value) for argument in arguments)
                return moved if isinstance(row, Move) and not (to_type or cast) else updated_node
            case _:
                return updated_node

    def leave_ListComp(self, original_node: cst.ListComp, updated_node: cst.ListComp) -> cst.BaseExpression:  # noqa: N802
        """Return what a list has all elements of, any other list as it is."""
        match updated_node:
            case cst.ListComp(
                elt=cst.Name(value=element),
                for_in=cst.CompFor(target=cst.Name(value=each), iter=whole, ifs=[], inner_for_in=None),
            ) if element == each:
                return whole
            case _:
                return updated_node
