"""Visiting the modules in a module: as objects, and by functions that are applied to each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint.interpreter import calls
from torchdevlint.knowledge.rows import Submodules, Visit
from torchdevlint.lattice import ANY
from torchdevlint.records import replace
from torchdevlint.transfers.placing import move_module, parts
from torchdevlint.values import UNKNOWN, Holder, Module, Opaque, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


def submodules(run: Run, row: Submodules, receiver: Module | Opaque, call: Call) -> Value:
    """Return the modules in a module: objects of which it is known only what they are parts of."""
    part = run.opaque("", placement=receiver.placement if isinstance(receiver, Opaque) else ANY)
    run.parameter_of[part.key] = receiver
    if row.one:
        return part
    return run.container("iterator", (), run.container("tuple", (UNKNOWN, part)) if row.named else part)


def visit(run: Run, row: Visit, receiver: Module | Opaque, call: Call) -> Value:
    """Apply a function to every submodule or tensor of a module."""
    function = call.arguments[0] if call.arguments else None
    if function is None:
        return receiver
    if not row.tensors:
        inner = run.store.value(receiver.key, "module") if isinstance(receiver, Module) and receiver.type.own else None
        whole = receiver if inner is None else inner
        layers = list(parts(run, whole, set()))[1:] if isinstance(whole, Module | Opaque) else []
        # What a function does to layers of torch is known; it comes to the whole last.
        for visited in (*(one for one in layers if isinstance(one, Module) and one.cls is not None), whole):
            given = [calls.Argument(call.node, visited)]
            calls.call_value(run, function.value, calls.Call(call.node, call.text, given))
        return receiver
    tensor = calls.Argument(call.node, Tensor(run.module_placement(receiver) or ANY, held=Holder.PARAMETER))
    result = calls.call_value(run, function.value, calls.Call(call.node, call.text, [tensor]))
    move_module(run, receiver, run.placement_of(result))
    return receiver


def rebound(run: Run, whole: Module | Opaque | None, name: str) -> None:
    """Forget where an attribute is in the modules of a module, of which one, it is not known which, binds it anew."""
    for part in parts(run, whole, set()) if whole is not None else ():
        held = run.store.value(part.key, name)
        if isinstance(held, Tensor) and held.held is Holder.NONE:
            run.store.overwrite(part.key, name, replace(held, placement=ANY))  # `if isinstance(layer, …)`
