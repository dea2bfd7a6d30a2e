"""Annotations as evidence: `x: Tensor`, `model: nn.Module`, `device: torch.device`."""

from __future__ import annotations

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.interpreter.frames import Frame
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Arguments, Batches, DeviceType, LoaderType, Make, ModuleType, ObjectType
from torchdevlint.lattice import ANY, Symbol, SymbolKind
from torchdevlint.names import dotted, row_of
from torchdevlint.values import Imported, Opaque, Tensor, Value


def refine(run: Run, value: Value, parameter: cst.Param, frame: Frame) -> Value:
    """Return a parameter's value with what its annotation proves; only an opaque value learns from it."""
    if parameter.annotation is None or not isinstance(value, Opaque):
        return value
    name = _annotated(parameter.annotation.annotation)
    if not name:
        return value
    row = _row(run, name, frame)
    match row:
        case Make():
            run.facts.tensors.add(value.key)
            if value.placement != ANY:
                return Tensor(value.placement)
            symbol = Symbol(value.key, SymbolKind.WHEREABOUTS, f"the device of `{value.name}`")
            return Tensor(lattice.on(symbol))
        case ModuleType():
            run.facts.modules.add(value.key)
            return Opaque(value.key, value.name)
        case Batches():
            return transfers.moving_batches(run, Opaque(value.key, value.name), parameter, name)
        case DeviceType() | LoaderType() | ObjectType() | Arguments():
            return Opaque(value.key, value.name)
        case _:
            return Opaque(value.key, value.name, value.placement) if name in _PLAIN else value


_PLAIN = frozenset({"int", "float", "str", "bool"})


def _annotated(node: cst.BaseExpression) -> str:
    """Return the dotted name of an annotation: bare, quoted, `Optional[X]` or `X | None`."""
    match node:
        case cst.Name() | cst.Attribute():
            return dotted(node)
        case cst.SimpleString():
            return node.value.strip("\"'")
        case cst.Subscript() if dotted(node.value).endswith("Optional"):
            index = node.slice[0].slice
            return _annotated(index.value) if isinstance(index, cst.Index) else ""
        case cst.BinaryOperation():
            return _annotated(node.left) if dotted(node.left) != "None" else _annotated(node.right)
        case _:
            return ""


def _row(run: Run, name: str, frame: Frame) -> object:
    """Return the row of an annotation's name as the scope around the function resolves it."""
    head, _, tail = name.partition(".")
    outer, run.frame = run.frame, frame.parent or run.top
    found = run.lookup(head)
    run.frame = outer
    if isinstance(found, Imported):
        full = f"{found.name}.{tail}" if tail else found.name
        return row_of(full, run.knowledge)
    return None
