"""Whether what stands for a device may be its number, which `.to` takes and `map_location` does not."""

from __future__ import annotations

import ast

from torchdevlint.knowledge import written
from torchdevlint.mending.source import Source


def may_be_number(source: Source, device: str) -> bool:
    """Tell whether anything in the file shows that the device that a name or attribute stands for is a number."""
    known = source.cached(_answers)
    if device not in known:  # hundreds of moves may ask of one device
        known[device] = any(_shows(source, node, device) for node in ast.walk(source.tree))
    return known[device]


def _answers(_: Source) -> dict[str, bool]:
    return {}


def _shows(source: Source, node: ast.AST, device: str) -> bool:
    match node:
        case ast.Call(func=function, args=[ast.expr() as first, *_]) if ast.unparse(first) == device:
            return ast.unparse(function).rpartition(".")[2] in written.TAKE_NUMBERS
        case ast.Call(func=ast.Attribute(attr="add_argument"), args=[ast.Constant(value=str(option)), *_]):
            named = device.rpartition(".")[2] == option.lstrip("-").replace("-", "_")
            return named and any(_is_number(one.value) for one in node.keywords)
        case ast.Call(func=function, args=[ast.Name(id=name), *_]):
            started = ast.unparse(function).rpartition(".")[2] in written.START_PROCESSES
            return started and _first_parameter(source, name) == device
        case ast.arg(arg=name, annotation=ast.Name(id="int")):
            return name == device
        case ast.Assign(targets=[target], value=value):
            return ast.unparse(target) == device and _is_number(value)
        case ast.Compare(left=left, comparators=[right]):
            sides = ((left, right), (right, left))
            return any(ast.unparse(one) == device and _is_number(other) for one, other in sides)
        case ast.JoinedStr(values=[ast.Constant(value=str(kind)), ast.FormattedValue(value=value)]):  # `f"cuda:{rank}"`
            return kind.endswith(":") and ast.unparse(value) == device
        case _:
            return False


def _is_number(node: ast.expr) -> bool:
    """Tell whether an expression is a number, or what makes one of a text."""
    match node:
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
            return name == "int"
        case ast.IfExp(body=body, orelse=orelse):  # `"cpu" if … else args.device_ids[0]`
            return any(_is_number(one) or isinstance(one, ast.Subscript) for one in (body, orelse))
        case _:
            return False


def _first_parameter(source: Source, name: str) -> str | None:
    functions = (node for node in source.tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    return next((one.args.args[0].arg for one in functions if one.args.args), None)
