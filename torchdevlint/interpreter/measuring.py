"""Methods that ask a module for the sizes of what it gives: builders of models call them before anything moves."""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import reading
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Plain


def measures(run: Run, node: cst.FunctionDef | cst.Lambda) -> bool:
    """Tell whether all that a function returns are sizes of tensors (`return self.conv(torch.zeros(…)).size(1)`)."""
    if isinstance(node, cst.Lambda):
        return False
    returned = [part.value for part in reading.walk(node.body) if isinstance(part, cst.Return)]
    return bool(returned) and all(value is not None and _is_size(run, value) for value in returned)


def _is_size(run: Run, node: cst.BaseExpression) -> bool:
    match node:
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name))) if _gives_sizes(run, name):
            return True
        case cst.Call(args=[cst.Arg(value=given)]):
            return _is_size(run, given)  # `int(np.prod(x.size()))`
        case cst.Attribute(attr=cst.Name(value=name)):
            return _gives_sizes(run, name)
        case cst.Subscript(value=sizes):
            return _is_size(run, sizes)
        case cst.BinaryOperation(left=left, right=right):
            return _is_size(run, left) or _is_size(run, right)
        case _:
            return False


def _gives_sizes(run: Run, name: str) -> bool:
    row = run.knowledge.tensor.get(name) or run.knowledge.tensor_attributes.get(name)
    return isinstance(row, Plain) and (row.sizes or row.counts)
