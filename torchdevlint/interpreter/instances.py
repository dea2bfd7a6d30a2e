"""Methods that Python itself calls on objects of the file's classes: to iterate them, to take an item."""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import calls, functions, lineage
from torchdevlint.interpreter.run import Run
from torchdevlint.values import Function, Instance, Value


def special(run: Run, value: Instance, name: str, node: cst.CSTNode, *given: Value) -> Value | None:
    """Return what a special method gives, or None where the classes of the file have none of that name."""
    method = lineage.member(run, value.cls, name)
    if not isinstance(method, Function):
        return None
    place = node if isinstance(node, cst.BaseExpression) else cst.Name(name)
    bound = Function(method.node, method.frame, method.name, value, method.owner)
    return functions.invoke(run, bound, calls.Call(place, name, [calls.Argument(place, one) for one in given]))
