"""Operations that a file defines itself (`torch.autograd.Function`): the two ways through them are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint.interpreter import calls, functions, iteration, lineage
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import RunForward
from torchdevlint.records import replace
from torchdevlint.values import Class, Container, Function, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


def run_forward(run: Run, row: RunForward, cls: Class, call: Call) -> Value:
    """Run an operation with its arguments, and what computes its gradients with some where its results are."""
    forward, backward = (lineage.member(run, cls, name) for name in (row.forward, row.backward))
    if not isinstance(forward, Function):
        return calls.unseen(run, call)
    context = calls.Argument(call.node, run.opaque("context"))
    handed = [] if lineage.member(run, cls, row.setup) is not None else [context]
    run.no_grad += 1
    given = replace(call, arguments=[*handed, *call.arguments], sure=call.sure + len(handed))
    result = functions.invoke(run, Function(forward.node, forward.frame, row.forward, None, forward.owner), given)
    found = (iteration.elements(run, result) or []) if isinstance(result, Container) else [result]
    placed = [Tensor(one.placement, one.rank, False) for one in found if isinstance(one, Tensor)]
    if isinstance(backward, Function) and placed and len(placed) == len(found):
        gradients = [calls.Argument(call.node, one) for one in placed]
        back = Function(backward.node, backward.frame, row.backward, None, backward.owner)
        run.store.push()
        functions.invoke(run, back, calls.Call(call.node, row.backward, [context, *gradients]))
        run.store.pop()
    run.no_grad -= 1
    return replace(result, graph=None) if isinstance(result, Tensor) and not run.no_grad else result
