"""Paths of files: a text that is equal for two expressions that give the same path."""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import expressions
from torchdevlint.interpreter.run import Run
from torchdevlint.names import dotted, operator_text
from torchdevlint.values import Const, Imported, Opaque


def text_of_path(run: Run, node: cst.CSTNode) -> str:
    """Return a text that stands for the value of an expression, or an empty one where none is known.

    Names stand for what they are bound to, so that one that is bound anew is another path. Functions are taken for
    such that give equal paths for equal arguments.
    """
    match node:
        case cst.Name() | cst.Attribute() if dotted(node):
            return _bound(run, node)
        case cst.SimpleString() | cst.Integer():
            return repr(node.evaluated_value)
        case cst.FormattedString():
            return _together(run, "f", *node.parts)
        case cst.FormattedStringText():
            return repr(node.value)
        case cst.FormattedStringExpression():
            return text_of_path(run, node.expression)
        case cst.BinaryOperation():
            return _together(run, operator_text(node.operator), node.left, node.right)
        case cst.Call(func=cst.Attribute() as func) if not dotted(func):
            return _together(run, func.attr.value, func.value, *(argument.value for argument in node.args))
        case cst.Call() if dotted(node.func):
            return _together(run, dotted(node.func), *(argument.value for argument in node.args))
        case _:
            return ""


def _bound(run: Run, node: cst.Name | cst.Attribute) -> str:
    value = expressions.evaluate(run, node)
    match value:
        case Const():
            return repr(value.value)
        case Opaque():
            return f"#{value.key}"
        case Imported():
            return value.name
        case _:
            pass
    if isinstance(node, cst.Name):
        return f"{node.value}#{run.versions.get((run.owner_of(node.value), node.value), 0)}"
    owner = expressions.evaluate(run, node.value)
    return f"{dotted(node)}#{run.versions.get((getattr(owner, 'key', 0), node.attr.value), 0)}"


def _together(run: Run, name: str, *nodes: cst.CSTNode) -> str:
    parts = [text_of_path(run, node) for node in nodes]
    return f"{name}({', '.join(parts)})" if all(parts) else ""
