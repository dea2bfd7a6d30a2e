"""Dotted names of imports, and short texts of expressions for messages and guards."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import libcst as cst

from torchdevlint.knowledge.rows import Knowledge, Row


def dotted(node: cst.BaseExpression | None) -> str:
    """Return ``a.b.c`` of a name or attribute chain, or an empty string for anything else."""
    parts: list[str] = []
    while type(node) is cst.Attribute:
        parts.append(node.attr.value)
        node = node.value
    if type(node) is not cst.Name:
        return ""
    parts.append(node.value)
    return ".".join(reversed(parts))


@cache
def _prefixes(knowledge: Knowledge) -> tuple[str, ...]:
    return tuple(prefix for prefix, _ in knowledge.aliases)


@lru_cache(maxsize=4096)
def canonical(name: str, knowledge: Knowledge) -> str:
    """Return the name under which the rows know a dotted name."""
    if not name.startswith(_prefixes(knowledge)):  # most names: one call asks for all of them
        return name
    prefix, replacement = next(pair for pair in knowledge.aliases if name.startswith(pair[0]))
    return replacement + name[len(prefix) :]


@lru_cache(maxsize=4096)
def row_of(name: str, knowledge: Knowledge) -> Row | None:
    """Return the row that tells of a dotted name, or None."""
    found = knowledge.names.get(name)
    if found is None:
        other = canonical(name, knowledge)
        if other != name:
            return knowledge.names.get(other)
    return found


def is_inert(name: str, knowledge: Knowledge) -> bool:
    """Tell whether the functions of the module that the name belongs to leave their arguments alone."""
    return name.startswith(knowledge.inert)


LONGEST_LITERAL = 24
"""Longer literals are left out of texts."""


def text_of(node: cst.CSTNode, depth: int = 4) -> str:
    """Return a short text of an expression: names in full, arguments and what is deep as an ellipsis."""
    if depth == 0:
        return "…"
    # By exact type: libcst's nodes have an abstract metaclass, which makes `isinstance` slow.
    writer = _TEXTS.get(type(node))
    return "…" if writer is None else writer(node, depth)


def _part_of(node: cst.BaseExpression, depth: int) -> str:
    """Return the text of an operand: in parentheses where it is an operation and has them in the source."""
    text = text_of(node, depth)
    operation = type(node) in (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)
    return f"({text})" if operation and node.lpar and text != "…" else text


def _attribute_text(node: cst.Attribute, depth: int) -> str:
    return f"{_part_of(node.value, depth)}.{node.attr.value}"


def _call_text(node: cst.Call, depth: int) -> str:
    inside = "" if not node.args else _argument_text(node, depth)
    return f"{text_of(node.func, depth - 1)}({inside})"


def _subscript_text(node: cst.Subscript, depth: int) -> str:
    return f"{_part_of(node.value, depth - 1)}[{_index_text(node, depth)}]"


def _literal_text(node: cst.SimpleString | cst.Integer | cst.Float, depth: int) -> str:
    return node.value if len(node.value) <= LONGEST_LITERAL else "…"


def _unary_text(node: cst.UnaryOperation, depth: int) -> str:
    return f"{operator_text(node.operator)}{_part_of(node.expression, depth - 1)}"


def _binary_text(node: cst.BinaryOperation, depth: int) -> str:
    return f"{_part_of(node.left, depth - 1)} {operator_text(node.operator)} {_part_of(node.right, depth - 1)}"


def _comparison_text(node: cst.Comparison, depth: int) -> str:
    parts = (f" {operator_text(p.operator)} {_part_of(p.comparator, depth - 1)}" for p in node.comparisons)
    return _part_of(node.left, depth - 1) + "".join(parts)


def _argument_text(node: cst.Call, depth: int) -> str:
    """Return the text of a call's arguments: one short one in full, else an ellipsis."""
    if len(node.args) == 1 and isinstance(node.args[0].value, cst.Name | cst.SimpleString | cst.Attribute):
        argument = node.args[0]
        name = f"{argument.keyword.value}=" if argument.keyword else argument.star
        return name + text_of(argument.value, depth - 1)
    return "…"


def _index_text(node: cst.Subscript, depth: int) -> str:
    """Return the text of a subscript: a single plain index in full, else an ellipsis."""
    if len(node.slice) == 1 and type(node.slice[0].slice) is cst.Index:
        return text_of(node.slice[0].slice.value, depth - 1)
    return "…"


_SYMBOLS: dict[type[cst.CSTNode], str] = {
    cst.Add: "+", cst.Subtract: "-", cst.Multiply: "*", cst.Divide: "/", cst.FloorDivide: "//", cst.Modulo: "%",
    cst.Power: "**", cst.MatrixMultiply: "@", cst.BitAnd: "&", cst.BitOr: "|", cst.BitXor: "^",
    cst.LeftShift: "<<", cst.RightShift: ">>", cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~", cst.Not: "not ",
    cst.AddAssign: "+=", cst.SubtractAssign: "-=", cst.MultiplyAssign: "*=", cst.DivideAssign: "/=",
    cst.Equal: "==", cst.NotEqual: "!=", cst.LessThan: "<", cst.LessThanEqual: "<=", cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=", cst.Is: "is", cst.IsNot: "is not", cst.In: "in", cst.NotIn: "not in",
    cst.And: "and", cst.Or: "or",
}  # fmt: skip


def operator_text(node: cst.CSTNode) -> str:
    """Return the symbol of an operator node."""
    return _SYMBOLS.get(type(node), "?")


_TEXTS: dict[type[cst.CSTNode], Callable[..., str]] = {
    cst.Name: lambda node, _: node.value,
    cst.Attribute: _attribute_text,
    cst.Call: _call_text,
    cst.Subscript: _subscript_text,
    cst.SimpleString: _literal_text,
    cst.Integer: _literal_text,
    cst.Float: _literal_text,
    cst.UnaryOperation: _unary_text,
    cst.BinaryOperation: _binary_text,
    cst.Comparison: _comparison_text,
    cst.Arg: lambda node, depth: text_of(node.value, depth),
}
