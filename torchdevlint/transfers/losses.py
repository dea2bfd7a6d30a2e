"""Losses: predictions, targets and weights that meet, in functions and in modules built with weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.events import Combined, Operand
from torchdevlint.interpreter import calls, pace
from torchdevlint.knowledge.rows import Loss, Mix
from torchdevlint.lattice import ANY
from torchdevlint.records import replace
from torchdevlint.transfers.operands import operand
from torchdevlint.transfers.operations import result_placement
from torchdevlint.values import (
    ANY_RANK,
    SCALAR,
    Choice,
    Const,
    Holder,
    Module,
    Opaque,
    Tensor,
    Value,
    options,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


PREDICTION_AND_TARGET = 2
"""The number of arguments of a loss that cannot be seen."""


def keep_weights(run: Run, module: Module, row: Loss, call: Call) -> None:
    """Keep the weights of a loss module as buffers of it, and where it was built."""
    kept: list[str] = []
    for name in row.weights:
        position = row.constructor.index(name) if name in row.constructor else -1
        argument = call.get(position, name)
        if argument is not None and isinstance(argument.value, Tensor | Opaque | Choice):
            value = argument.value
            if isinstance(value, Tensor):
                value = Tensor(value.placement, value.rank, value.graph, Holder.BUFFER)
            elif isinstance(value, Choice):
                placement = run.placement_of(value)
                value = Tensor(placement, ANY_RANK, False, Holder.BUFFER) if _tensor_inside(value) else value
            run.set_attribute(module.key, name, value)
            run.bound_at[module.key, name] = argument.node
            kept.append(name)
    if kept:
        run.made_at[module.key] = call.node
    reduction = call.keywords.get("reduction")
    if reduction is not None and reduction.value == Const("none"):
        run.unreduced.add(module.key)


def _tensor_inside(value: Choice) -> bool:
    return any(isinstance(option, Tensor) for option, _ in value.options)


def call_loss_module(run: Run, module: Module, call: Call) -> Value:
    """Call a loss module: its weights meet the prediction too."""
    row = module.type.loss
    assert row is not None
    weights = []
    for name in row.weights:
        value = run.store.get(module.key, name)
        if isinstance(value, Tensor | Opaque):
            node = run.bound_at.get((module.key, name), call.node)
            weights.append((name, calls.Argument(node, value)))
    made = run.made_at.get(module.key)
    return _meet(run, row, call, None, weights, made, module.key in run.unreduced)


def handed_out(run: Run, value: Value, node: cst.CSTNode) -> None:
    """A loss that a function builds and returns is built, for whoever reads the finding, by the call."""
    for option, _ in options(value):
        if isinstance(option, Module) and option.key in run.made_at:
            run.made_at[option.key] = node


def call_loss(run: Run, row: Loss, call: Call, receiver: Argument | None) -> Value:
    """Call a functional loss."""
    weights = [(name, call.keywords[name]) for name in row.weights if name in call.keywords]
    reduction = call.keywords.get("reduction")
    unreduced = reduction is not None and reduction.value == Const("none")
    return _meet(run, row, call, receiver, weights, None, unreduced)


def _meet(
    run: Run,
    row: Loss,
    call: Call,
    receiver: Argument | None,
    weights: list[tuple[str, Argument]],
    made_at: cst.CSTNode | None,
    unreduced: bool,
) -> Value:
    given = ([receiver] if receiver is not None else []) + call.arguments
    operands: list[Operand] = []
    tensors: list[Tensor] = []
    for index, name in enumerate(row.operands):
        argument = call.keywords.get(name) or (given[index] if name and index < len(given) else None)
        if argument is None or name in row.optional_host or not name:
            continue
        _add(run, argument, name, operands, tensors)
    for name, argument in weights:
        if all(o.role != name for o in operands):
            _add(run, argument, name, operands, [])
    if len(operands) > 1 and len({o.placement for o in operands}) > 1:
        mix = Mix.STRICT if row.strict else Mix.EXPANDED if row.expands else Mix.ZERO_DIM
        run.emit(
            Combined(
                call.node,
                run.world,
                run.frame.entry,
                tuple(operands),
                mix,
                loss=True,
                targets=row.targets,
                weights=row.weights,
                strict=row.strict_weights,
                made_at=made_at,
            )
        )
    pace.computed(run, tensors)
    graphs = {t.graph for t in tensors}
    graph = False if run.no_grad else True if True in graphs else None if None in graphs or not graphs else False
    placement = result_placement(tensors) if tensors else ANY
    # Without a reduction it has the dimensions of its operands, or one less (a class is no dimension of the target).
    low = max((tensor.rank[0] for tensor in tensors), default=0)
    return Tensor(placement, (max(low - 1, 0), None) if unreduced else SCALAR, graph)


def perhaps_loss(run: Run, call: Call, result: Opaque) -> None:
    """Record what meets in a call of an unseen callee with an output and a label: a loss, if `backward` runs on it."""
    if len(call.arguments) != PREDICTION_AND_TARGET or call.open:
        return
    first, second = (argument.value for argument in call.arguments)
    is_output = isinstance(first, Tensor) or (isinstance(first, Opaque) and first.output)
    is_label = isinstance(second, Tensor) or (isinstance(second, Opaque) and second.member)
    if is_output and is_label and run.placement_of(first) != run.placement_of(second):
        operands = tuple(
            replace(operand(run, argument.node, argument.value, name), proof=0)
            for argument, name in zip(call.arguments, ("input", "target"), strict=True)
        )
        run.emit(
            Combined(
                call.node,
                run.world,
                run.frame.entry,
                operands,
                Mix.ZERO_DIM,
                loss=True,
                targets=("target",),
                proof=result.key,
            )
        )


def _add(run: Run, argument: Argument, name: str, operands: list[Operand], tensors: list[Tensor]) -> None:
    value = argument.value
    if isinstance(value, Opaque):
        run.facts.tensors.add(value.key)
    if isinstance(value, Tensor | Opaque):
        operands.append(operand(run, argument.node, value, name))
        tensors.append(value if isinstance(value, Tensor) else Tensor(run.placement_of(value)))
