"""Tests of which element it is: membership and texts that are known, and what a comprehension chooses by them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from torchdevlint import transfers
from torchdevlint.interpreter import reading
from torchdevlint.interpreter.guards import ALWAYS_FALSE, ALWAYS_TRUE, Test
from torchdevlint.interpreter.run import Run
from torchdevlint.values import UNKNOWN, Const, Container, Flag, Unknown, Value

_TESTS = {"startswith": str.startswith, "endswith": str.endswith}
"""Methods of a text that ask how it begins or ends."""


def contained(run: Run, item: Value, whole: Value) -> Test | None:
    """Test whether a literal is in a text or in a container of literals; None where that is not known.

    Numbers with a fraction are not kept by value.
    """
    if not isinstance(item, Const) or isinstance(item.value, float):
        return None
    match whole:
        case Const(value=str(text)) if isinstance(item.value, str):
            return ALWAYS_TRUE if item.value in text else ALWAYS_FALSE
        case Container():
            items = run.items(whole)
            held = [Const(key) if whole.kind == "dict" else value for key, value in items.exact]
            if items.rest is not None or items.lost or not all(isinstance(value, Const) for value in held):
                return None
            return ALWAYS_TRUE if item in held else ALWAYS_FALSE
        case _:
            return None


def of_text(run: Run, receiver: Const, name: str, arguments: list[Value], node: cst.BaseExpression) -> Value:
    """Return what a method gives of the text of an element (`key.startswith("x")`), which a loop binds.

    What is written into a text may make it the name of a device (`"cuda:{}".format(i)`).
    """
    if name == "format":
        prefix, brace, _ = str(receiver.value).partition("{")
        return transfers.formatted_device(run, prefix if brace else "", arguments[0] if arguments else None)
    test = _TESTS.get(name)
    wanted = arguments[0] if len(arguments) == 1 else UNKNOWN
    if test is None or not isinstance(wanted, Const) or not isinstance(wanted.value, str):
        return UNKNOWN
    if not isinstance(node, cst.Name) or node.value not in _bound(run):
        return UNKNOWN
    return Const(test(str(receiver.value), wanted.value))


def tells_apart(run: Run, node: cst.IfExp) -> bool:
    """Tell whether a choice in a comprehension is made by which element it is: one way is taken for each of them.

    So it is where the test reads a key or a number, or what neither way has (`t.cuda() if flag else t`).
    """
    if not run.frame.comprehension:
        return False
    ways = {*_names(node.body), *_names(node.orelse)}
    for name in _names(node.test):
        if name in run.frame.bound and (name not in ways or isinstance(run.lookup(name), Const | Unknown | Flag)):
            return True
    return False


def _bound(run: Run) -> set[str]:
    """Return the names that the loops and comprehensions around bind to elements."""
    names = set(run.frame.bound) if run.frame.comprehension else set()
    for loop in run.frame.loops:
        if isinstance(loop.node, cst.For):
            names.update(_names(loop.node.target))
    return names


def _names(node: cst.CSTNode) -> Iterator[str]:
    """Yield the names that an expression reads, but for those that it takes an element by."""
    match node:
        case cst.Name():
            yield node.value
        case cst.Attribute() | cst.Subscript():
            yield from _names(node.value)
        case _:
            for child in reading.children(node):
                yield from _names(child)
