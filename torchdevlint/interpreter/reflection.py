"""Builtins that reach into objects and scopes: `super`, `getattr`, `type`, `vars`, `exec`, `copy` and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchdevlint import lattice, transfers
from torchdevlint.interpreter import absence, attributes, escapes, guards, iteration, lineage
from torchdevlint.interpreter.frames import Frame
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join_all
from torchdevlint.lattice import ANY
from torchdevlint.records import replace
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Const,
    Container,
    Flag,
    Imported,
    Instance,
    Module,
    Opaque,
    Partial,
    Tensor,
    Value,
    options,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


def super_(run: Run, call: Call) -> Value:
    """``super()``: the receiver, seen as an object of the bases of the class that owns the running method."""
    function = run.frame.function
    if function is None or function.owner is None:
        return UNKNOWN
    receiver = run.frame.receiver
    if receiver is None and function.node.params.params:  # a method that was read from its class, and then called
        receiver = run.store.value(run.frame.key, function.node.params.params[0].name.value)
    if not isinstance(receiver, Module | Instance) or receiver.cls is None:
        return UNKNOWN
    return lineage.behind(run, receiver, function.owner)


def getattr_(run: Run, call: Call) -> Value:
    if len(call.arguments) >= 2 and isinstance(call.arguments[1].value, Const):
        name = call.arguments[1].value.value
        if isinstance(name, str):
            owner = call.arguments[0].value
            if len(call.arguments) > 2:
                return join_all((_read_or(run, one, name, call), condition) for one, condition in options(owner))
            return attributes.read(run, owner, name, call.node)
    owner = call.arguments[0].value if call.arguments else UNKNOWN
    if isinstance(owner, Instance | Module) and not run.frame.constructing:
        for _, item in run.attribute_values(owner.key):
            if isinstance(item, Module):
                transfers.move_module(run, item, ANY)  # any of them, and it may be moved
    return run.opaque("")


def _read_or(run: Run, owner: Value, name: str, call: Call) -> Value:
    """Return an attribute of a module that has it, a default for one that has not; of others that is not known."""
    has = absence.has(run, owner, Const(name)) if isinstance(owner, Module) else UNKNOWN
    if has == Const(False):
        return call.arguments[2].value
    found = attributes.read(run, owner, name, call.node)
    return found if has == Const(True) else run.opaque(name)


def setattr_(run: Run, call: Call) -> Value:
    if len(call.arguments) != 3:
        return NONE
    receiver, named, value = (argument.value for argument in call.arguments)
    transfers.register(run, value)
    if isinstance(named, Const) and isinstance(named.value, str):
        attributes.write(run, receiver, named.value, value, call.node)
        return NONE
    absence.note_binding(run, receiver, "")
    if isinstance(receiver, Module):
        transfers.hold(run, receiver, f"<setattr {run.new_key()}>", value, call.node)
    elif isinstance(receiver, Instance):
        escapes.rebound(run, receiver)
    elif isinstance(receiver, Opaque):
        escapes.forget_attributes(run, receiver.key)
        escapes.escape(run, run.parameter_of.get(receiver.key, receiver))  # one of the modules in another
    return NONE


def type_(run: Run, call: Call) -> Value:
    """``type(x)``: the class of an object, where the file has it, and of a container the type that makes another."""
    if len(call.arguments) != 1:
        return UNKNOWN
    value = call.first
    cls = value.cls if isinstance(value, Instance | Module) else None
    return absence.type_of(value) if cls is None else cls.whole or cls


def vars_(run: Run, call: Call) -> Value:
    """``vars(x)``: through it every attribute can be bound."""
    if isinstance(call.first, Instance):
        escapes.rebound(run, call.first)
    else:
        escapes.escape(run, call.first)
    return run.opaque("")


def exec_(run: Run, call: Call) -> Value:
    """``exec(code)``: what the code binds cannot be seen; constants of the file become configuration."""
    run.facts.reconfigured = True
    return namespace(run, call)


def namespace(run: Run, call: Call) -> Value:
    """``globals()``, ``eval(code)``: through them everything in scope can be moved and bound."""
    frame: Frame | None = run.frame
    while frame is not None:
        for name in tuple(frame.bound):
            value = run.store.value(frame.key, name)
            if isinstance(value, Tensor):
                run.bind(frame.key, name, run.opaque(name))
            elif value is not None:
                escapes.escape(run, value)
        frame = frame.parent
    return run.opaque("")


def asked(answer: Callable[[Run, Value, Value], Value]) -> Callable[[Run, Call], Value]:
    """Return the handler of a builtin that asks something of its first argument."""

    def handler(run: Run, call: Call) -> Value:
        return answer(run, call.arguments[0].value, call.arguments[1].value) if len(call.arguments) == 2 else UNKNOWN

    return handler


def is_instance(run: Run, value: Value, kinds: Value) -> Value:
    """Return what ``isinstance(value, kinds)`` gives: whether a tensor is of types that exist only with CUDA, say."""
    wanted = absence.kinds_in(run, kinds)
    places = [transfers.legacy_type(run, kind) for kind in wanted if isinstance(kind, Imported)]
    devices = {p.device for place in places for p in place or lattice.ANY}
    if len(places) == len(wanted) and len(devices) == 1 and all(lattice.is_accelerator(device) for device in devices):
        test = guards.is_on(run, value, str(devices.pop()))
        if test is not None:
            return Flag(test.when_true, test.when_false) if test.known is None else Const(test.known)
    return absence.is_instance(run, value, kinds)


def copy(run: Run, call: Call) -> Value:
    """``copy.deepcopy(x)``: another object, where the first one is."""
    return transfers.copied(run, call.first, call.node)


def shallow(run: Run, call: Call) -> Value:
    """``copy.copy(x)``: another container of the same elements; of an object, taken for a copy of all of it."""
    value = call.first
    if isinstance(value, Container):
        return iteration.part_of(run, value, run.holder(value.kind, run.items(value)))
    return copy(run, call)


def partial(run: Run, call: Call) -> Value:
    if not call.arguments:
        return UNKNOWN
    return Partial(call.arguments[0].value, replace(call, arguments=call.arguments[1:]))
