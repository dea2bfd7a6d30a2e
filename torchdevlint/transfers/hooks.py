"""What moves tensors within a call of a module: its hooks, and layers of the file that it calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchdevlint.interpreter import calls, lineage, writers
from torchdevlint.knowledge.rows import ContainerKind, Register, RegisterKind
from torchdevlint.lattice import ANY
from torchdevlint.state import MAX_DEPTH
from torchdevlint.transfers.placing import contained, parts, placed
from torchdevlint.values import NONE, Function, Module, Opaque, Partial, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

HOOKED = "<hooked>"
"""The slot that tells that a module has a hook that may move its inputs."""

EVERY = 0
"""The key that stands for every module there is."""

OUTPUT_HOOKS = "<output hooks>"
"""The slot of the hooks that a module's output goes through."""


def hooked(run: Run, module: Module, depth: int = 0, *, outputs: bool = False) -> bool:
    """Tell whether a module, or one of those that a container calls in turn, has a hook that may move its inputs.

    With ``outputs``, or what it gives.
    """
    if run.store.get(module.key, HOOKED) is not None or run.store.get(EVERY, HOOKED) is not None:
        return True
    if outputs and depth and run.store.get(module.key, OUTPUT_HOOKS) is not None:
        return True  # those of the module itself have their say behind it
    layers = contained(run, module) if module.type.container is not ContainerKind.NONE and depth < MAX_DEPTH else ()
    return any(isinstance(layer, Module) and hooked(run, layer, depth + 1, outputs=outputs) for layer in layers)


def register(run: Run, row: Register, module: Module | Opaque, call: Call) -> None:
    """Note a hook of a module; of one of the modules in another, it is not known which, each may have it."""
    whole = run.parameter_of.get(module.key, module)
    for one in parts(run, whole, set()) if whole is not module else (module,):
        _hook(run, row, one.key, call)


def of_all(run: Run, row: Register, call: Call, receiver: Argument | None) -> Value:
    """Note a hook of every module there is (``register_module_forward_pre_hook``)."""
    _hook(run, row, EVERY, call)
    return NONE


def _hook(run: Run, row: Register, key: int, call: Call) -> None:
    """Note a hook under a key; one whose handle is kept may be removed again."""
    hook = call.first
    if row.kind is RegisterKind.HOOK:
        run.store.set(key, HOOKED, True)
    elif isinstance(hook, Function | Partial):
        earlier = run.store.get(key, OUTPUT_HOOKS)
        kept = (*(earlier if isinstance(earlier, tuple) else ()), (hook, not call.discarded))
        run.store.set(key, OUTPUT_HOOKS, kept)


def after_hooks(run: Run, module: Module, call: Call, output: Value) -> Value:
    """Return the output of a module behind its hooks: what a hook returns, unless that is None, is the output."""
    own, of_each = (run.store.get(key, OUTPUT_HOOKS) for key in (module.key, EVERY))
    for hook, kept in (*(of_each if isinstance(of_each, tuple) else ()), *(own if isinstance(own, tuple) else ())):
        given = run.container("tuple", [argument.value for argument in call.arguments])
        arguments = [calls.Argument(call.node, value) for value in (module, given, output)]
        result = calls.call_value(run, hook, calls.Call(call.node, call.text, arguments))
        if result != NONE:
            output = placed(run, result, ANY) if kept and result != output else result
    return output


def moves(run: Run, layers: Iterable[Value], seen: set[int]) -> bool:
    """Tell whether a class of the file moves something where one of some layers, or one in them, is called."""
    for layer in layers:
        if not isinstance(layer, Module) or layer.key in seen:
            continue
        seen.add(layer.key)
        if layer.cls is None:
            found = moves(run, contained(run, layer), seen)
        else:
            methods = [lineage.member(run, layer.cls, name) for name in (run.knowledge.module_call, "__call__")]
            found = any(isinstance(method, Function) and writers.has_move(run, method) for method in methods)
        if found:
            return True
    return False
