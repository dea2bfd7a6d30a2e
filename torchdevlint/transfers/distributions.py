"""Distributions: where they are, what is drawn from them, and the values that they are asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint.interpreter import calls, iteration
from torchdevlint.knowledge.rows import Distribution, Sample
from torchdevlint.records import replace
from torchdevlint.state import PLACEMENT
from torchdevlint.transfers import operations
from torchdevlint.transfers.operands import PARAMETERS, parameters, receiver_node
from torchdevlint.values import ANY_RANK, SCALAR, UNKNOWN, Const, Object, Rank, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def build(run: Run, row: Distribution, call: Call, receiver: Argument | None) -> Value:
    """Build a distribution: its parameters meet; numbers become tensors without dimensions on the host."""
    made = Object(run.new_key(), row.type)
    if all(isinstance(argument.value, Const) for argument in call.values()) and not call.open:
        tensor = Tensor(run.default_placement(call.node, f"made by `{call.text}`"), SCALAR, graph=False)
    else:
        combined = operations.combine(run, row.parameters, call, receiver)
        tensor = combined if isinstance(combined, Tensor) else Tensor()
    low, high = tensor.rank
    if row.events:
        low, high = max(low + row.events, 0), None if high is None else max(high + row.events, 0)
    run.store.set(made.key, PARAMETERS, replace(tensor, rank=(low, high)))
    run.store.set(made.key, PLACEMENT, tensor.placement)
    return made


def asked(run: Run, receiver: Object, call: Call) -> Argument | None:
    """Return a distribution as the operand that it is where a value meets it."""
    tensor = parameters(run, receiver)
    return calls.Argument(receiver_node(call), tensor) if tensor is not None else None


def sample(run: Run, row: Sample, call: Call, receiver: Argument | None) -> Value:
    """Draw from a distribution, or ask for a property: a tensor where it is, with the dimensions that are asked for."""
    tensor = receiver.value if receiver is not None else UNKNOWN
    return drawn(run, row, tensor, call) if isinstance(tensor, Tensor) else UNKNOWN


def drawn(run: Run, row: Sample, tensor: Tensor, call: Call | None = None) -> Tensor:
    """Return what a distribution with these parameters gives."""
    rank: Rank = ANY_RANK if row.reduced else tensor.rank
    if call is not None and (call.arguments or call.keywords):
        shape = iteration.elements(run, call.first)
        rank = (rank[0] + len(shape or ()), None)
    graph = tensor.graph if row.graph and not run.no_grad else False
    return Tensor(tensor.placement, rank, graph)
