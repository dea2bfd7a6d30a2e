"""What a call is about: its subject, its operands, and their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.events import Operand
from torchdevlint.names import text_of
from torchdevlint.values import (
    ANY_RANK,
    Object,
    Opaque,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


PARAMETERS = "<parameters>"
"""The slot of the tensor that stands for all parameters of a distribution."""


def operand(run: Run, node: cst.CSTNode, value: Value, role: str, is_index: bool = False) -> Operand:
    """Return an operand of an event."""
    rank, proof = ANY_RANK, 0
    match value:
        case Tensor():
            rank = value.rank
        case Opaque(member=True, within=False) | Opaque(parameter=True):
            rank = (1, None)  # a member of a batch has the dimension of the batch at least; most parameters have one
        case Opaque() if value.key not in run.facts.tensors:
            proof = value.key
        case _:
            pass
    return Operand(node, text_of(node), role, run.placement_of(value), rank, proof, is_index)


def parameters(run: Run, value: Value) -> Tensor | None:
    """Return the tensor that stands for the parameters of a distribution; None for anything else."""
    found = run.store.get(value.key, PARAMETERS) if isinstance(value, Object) else None
    return found if isinstance(found, Tensor) else None


def subject(call: Call, receiver: Argument | None) -> Argument | None:
    """Return what a call is about: the object of a method, or the first argument of a function."""
    if receiver is not None:
        return receiver
    return call.arguments[0] if call.arguments else call.get(0, "input")


def function_text(call: Call) -> str:
    """Return the text of what is called, as it stands in the source."""
    return text_of(call.node.func) if isinstance(call.node, cst.Call) else call.text


def receiver_node(call: Call) -> cst.CSTNode:
    """Return the expression whose method a call is, or the call itself."""
    function = call.node.func if isinstance(call.node, cst.Call) else None
    return function.value if isinstance(function, cst.Attribute) else call.node
