"""Writing by functions where a sequence of indices says (`index_put`), as `x[i, j] = v` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint.events import Indexed
from torchdevlint.interpreter import calls, iteration
from torchdevlint.knowledge.rows import Follow, PutAt
from torchdevlint.transfers import operations
from torchdevlint.transfers.operands import operand
from torchdevlint.values import Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def put_at(run: Run, row: PutAt, call: Call, receiver: Argument | None) -> Value:
    """Write values into a tensor, or into a copy of it: indices may be on the host, values may not."""
    base = receiver or call.get(0, "input")
    first = 0 if receiver is not None else 1
    indices, values = call.get(first, "indices"), call.get(first + 1, "values")
    if base is None or not isinstance(base.value, Tensor) or indices is None or values is None:
        return calls.unseen(run, call)
    owner = operand(run, base.node, base.value, "input")
    elements = iteration.elements(run, indices.value) or []
    read = tuple(
        operand(run, node, value, "index", is_index=True)
        for node, value in zip(operations.element_nodes(indices.node, len(elements)), elements, strict=True)
        if isinstance(value, Tensor)
    )
    if read:
        run.emit(Indexed(call.node, run.world, run.frame.entry, owner, read))
    if isinstance(values.value, Tensor):
        operations.put(run, call.node, owner, operand(run, values.node, values.value, "values"))
    return operations.follow(run, Follow(in_place=row.in_place), base.value, call)
