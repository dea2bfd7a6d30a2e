"""The table from kinds of row to transfer functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from torchdevlint.interpreter import calls
from torchdevlint.knowledge import rows
from torchdevlint.knowledge.rows import Row
from torchdevlint.transfers import (
    casting,
    checkpoints,
    collectives,
    datasets,
    distributions,
    draws,
    environment,
    frameworks,
    gradients,
    groups,
    hooks,
    indexing,
    loaders,
    losses,
    modules,
    moves,
    operations,
    optimizers,
    reads,
    runtime,
    tensors,
    workers,
)
from torchdevlint.values import Object, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

Transfer: TypeAlias = "Callable[[Run, Any, Call, Argument | None], Value]"
"""What the call of a row of one kind gives; the last argument is the object of a method."""


def given(run: Run, row: rows.Given, call: Call, receiver: Argument | None) -> Value:
    """Do what a row tells of a call, where the call has its keyword."""
    return apply(run, row.row, call, receiver) if row.keyword in call.keywords else calls.unseen(run, call)


TRANSFERS: dict[type[Row], Transfer] = {
    rows.Make: tensors.make,
    rows.Like: tensors.like,
    rows.Unpack: tensors.unpack,
    rows.Convert: tensors.convert,
    rows.Follow: operations.follow_call,
    rows.Combine: operations.combine,
    rows.Distribution: distributions.build,
    rows.Sample: distributions.sample,
    rows.Loss: losses.call_loss,
    rows.Move: moves.move,
    rows.Cast: moves.cast,
    rows.ReadHost: reads.read_host,
    rows.Plain: reads.plain,
    rows.Backward: gradients.backward,
    rows.Differentiate: gradients.differentiate,
    rows.RunForward: gradients.differentiate,
    rows.NoGrad: gradients.no_grad,
    rows.PutAt: indexing.put_at,
    rows.GradMode: gradients.grad_mode,
    rows.Clock: environment.clock,
    rows.DeviceType: runtime.device,
    rows.DeviceNumber: runtime.number,
    rows.CurrentDevice: runtime.current_device,
    rows.SetDevice: runtime.set_device,
    rows.DefaultDevice: runtime.default_device,
    rows.Query: runtime.query,
    rows.Count: runtime.query,
    rows.EnvironmentRow: runtime.environment,
    rows.GeneratorType: draws.generator,
    rows.Draw: draws.draw,
    rows.Arguments: runtime.arguments,
    rows.Option: runtime.option,
    rows.Autocast: casting.autocast,
    rows.Collective: collectives.collect,
    rows.ModuleType: modules.construct,
    rows.ParameterType: modules.parameter,
    rows.Conversion: modules.replace_parameters,
    rows.Register: hooks.of_all,
    rows.OptimizerType: optimizers.construct,
    rows.DatasetType: datasets.dataset,
    rows.LoaderType: loaders.loader,
    rows.Collate: loaders.collate,
    rows.OfProcess: reads.own,
    rows.Begin: environment.begin,
    rows.Leave: environment.leave,
    rows.Environment: frameworks.opaque,
    rows.Debugging: environment.debugging,
    rows.SetVariables: environment.set_variables,
    rows.WorkerInfo: workers.info,
    rows.StartProcesses: groups.start,
    rows.StartMethod: workers.start_method,
    rows.LoadFile: checkpoints.load,
    rows.SaveFile: checkpoints.save,
    rows.CopyFile: checkpoints.copy,
    rows.MemoryFile: checkpoints.in_memory,
    rows.Transparent: frameworks.transparent,
    rows.TreeMap: frameworks.tree_map,
    rows.MoveHelper: frameworks.move_helper,
    rows.ObjectType: frameworks.new_object,
    rows.Build: frameworks.build,
    rows.Prepare: frameworks.prepare,
    rows.Result: frameworks.result,
    rows.Batches: frameworks.batches,
    rows.Feed: frameworks.feed,
    rows.Given: given,
    rows.DeviceContext: runtime.current,
    rows.FrameworkDevice: frameworks.device,
}
"""Rows that are not here tell of methods of modules and optimizers; a plain call of one is code we cannot see."""


def apply(run: Run, row: Row, call: Call, receiver: Argument | None) -> Value:
    """Return the value of a call that a row tells of; ``receiver`` is the object of a method call."""
    transfer = TRANSFERS.get(type(row))
    value = transfer(run, row, call, receiver) if transfer is not None else calls.unseen(run, call)
    return draws.drawn(run, call, receiver, value) if "generator" in call.keywords else value


def apply_for_object(run: Run, row: Row, receiver: Object, call: Call) -> Value:
    """Call a method of a library's object."""
    match row:
        case rows.Quiet():
            return receiver
        case rows.Backward():
            return apply(run, row, call, call.arguments[0]) if call.arguments else calls.unseen(run, call)
        case rows.Option() | rows.Arguments():
            return apply(run, row, call, calls.Argument(call.node, receiver))
        case rows.Sample() | rows.Combine():
            return apply(run, row, call, distributions.asked(run, receiver, call))
        case _:
            return apply(run, row, call, None)


def call_object(run: Run, callee: Object, call: Call) -> Value:
    """Call a library's object (a tokenizer, a transform)."""
    if callee.type.pipeline:
        return frameworks.pipe(run, callee, call)
    if callee.type.call is None:
        return calls.unseen(run, call)
    return apply(run, callee.type.call, call, None)
