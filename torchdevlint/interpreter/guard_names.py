"""Names of guards: the normalised text of a test, by which it is known again where it is asked anew."""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import expressions
from torchdevlint.interpreter.run import Run
from torchdevlint.names import dotted, operator_text, text_of
from torchdevlint.values import Opaque, Value


def guard_text(run: Run, node: cst.BaseExpression) -> str:
    """Return the normalised text of a guard; equal texts mean equal values.

    Names carry the identity of what they are bound to, so a name bound anew is another guard. An expression
    that is not pure is a guard of its own at every evaluation.
    """
    text = pure(run, node)
    return text if text is not None else f"{text_of(node)}?{run.new_key()}"


def operand_text(run: Run, node: cst.BaseExpression, value: Value) -> str | None:
    """Return what a side of a comparison is called, as by `pure`; a part of an object that keeps it by its identity."""
    if type(node) is cst.Subscript and isinstance(value, Opaque):
        return f"{value.name}#{value.key}"
    return pure(run, node)


def pure(run: Run, node: cst.BaseExpression) -> str | None:
    """Return the text of an expression of names and literals, as `guard_text` has it; None for any other."""
    if type(node) is cst.Name or type(node) is cst.Attribute:
        name = dotted(node)
        if not name:
            return None
        value = expressions.evaluate(run, node)
        if isinstance(value, Opaque):
            return f"{value.name}#{value.key}"
        if type(node) is cst.Attribute:
            owner = getattr(expressions.evaluate(run, node.value), "key", 0)
            return f"{name}#{run.versions.get((owner, node.attr.value), 0)}"
        return f"{name}#{run.versions.get((run.owner_of(name), name), 0)}"
    if type(node) is cst.Integer or type(node) is cst.SimpleString or type(node) is cst.Float:
        return node.value
    if type(node) is cst.UnaryOperation and type(node.operator) is cst.Minus:
        inner = pure(run, node.expression)
        return None if inner is None else f"-{inner}"
    if type(node) is cst.Tuple or type(node) is cst.List:
        parts = [pure(run, element.value) for element in node.elements]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    operator: cst.CSTNode
    if type(node) is cst.Comparison and len(node.comparisons) == 1:
        left, operator, right = node.left, node.comparisons[0].operator, node.comparisons[0].comparator
    elif type(node) is cst.BinaryOperation:
        left, operator, right = node.left, node.operator, node.right
    else:
        return None
    left_text, right_text = pure(run, left), pure(run, right)
    return None if left_text is None or right_text is None else f"{left_text} {operator_text(operator)} {right_text}"
