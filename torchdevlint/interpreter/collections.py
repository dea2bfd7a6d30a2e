"""Methods of Python's containers, and those that torch's containers of modules share with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchdevlint import transfers
from torchdevlint.interpreter import calls, iteration, tallies
from torchdevlint.interpreter.run import Run
from torchdevlint.state import ITEMS, Items
from torchdevlint.values import NONE, UNKNOWN, Const, Container, Module, Opaque, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


def call(run: Run, receiver: Container, name: str, made: Call) -> Value:
    """Call a method of a list, dict, tuple or set."""
    handler = _METHODS.get(name)
    if handler is None:
        return UNKNOWN
    return handler(run, receiver, made)


def _append(run: Run, receiver: Container | Module, made: Call) -> Value:
    if not made.arguments:
        return NONE
    value = made.arguments[-1].value
    run.appended[receiver.key] = made.node
    if isinstance(receiver, Container):
        tallies.appended(run, receiver, made)
    else:
        transfers.register(run, value)
        value = transfers.as_parameter(value)
    items = run.items(receiver)
    inside_loop = bool(run.frame.loops)
    if items.rest is None and not items.lost and not inside_loop:
        run.store.set(receiver.key, ITEMS, Items((*items.exact, (len(items.exact), value)), None, False))
    else:
        iteration.add_item(run, receiver, value)
    return NONE


def _insert(run: Run, receiver: Container | Module, made: Call) -> Value:
    items = run.items(receiver)
    if made.arguments:
        value = made.arguments[-1].value
        if isinstance(receiver, Module):
            transfers.register(run, value)
        run.store.set(receiver.key, ITEMS, Items((), items.any(), items.lost))
        iteration.add_item(run, receiver, value)
    return NONE


def _extend(run: Run, receiver: Container | Module, made: Call) -> Value:
    for argument in made.arguments:
        known = iteration.elements(run, argument.value)
        values = known if known is not None else [iteration.element(run, argument.value, argument.node)]
        for value in values:
            if isinstance(receiver, Module):
                transfers.register(run, value)
                iteration.add_item(run, receiver, transfers.as_parameter(value))
            else:
                iteration.add_item(run, receiver, value)
    return NONE


def _update(run: Run, receiver: Container | Module, made: Call) -> Value:
    for key, argument in made.keywords.items():
        if isinstance(receiver, Container):
            iteration.store_item(run, receiver, Const(key), argument.value)
    for argument in made.arguments:
        if isinstance(argument.value, Container):
            for key_, value in run.items(argument.value).exact:
                if isinstance(receiver, Container):
                    iteration.store_item(run, receiver, Const(key_), value)
                else:
                    transfers.register(run, value)
                    iteration.add_item(run, receiver, value)
            rest = run.items(argument.value).rest
            if rest is not None and isinstance(receiver, Container):
                iteration.store_item(run, receiver, UNKNOWN, rest)
            elif rest is not None:
                iteration.add_item(run, receiver, rest)
        else:
            iteration.add_item(run, receiver, UNKNOWN)
    return NONE


def _clear(run: Run, receiver: Container | Module, made: Call) -> Value:
    run.store.set(receiver.key, ITEMS, Items())
    return NONE


def _get(run: Run, receiver: Container | Module, made: Call) -> Value:
    items = run.items(receiver)
    key = made.arguments[0].value if made.arguments else UNKNOWN
    if isinstance(key, Const):
        found = items.get(key.value)
        if found is not None:
            return Const(found.value) if isinstance(found, Const) else found
    whole = items.any()
    return UNKNOWN if whole is None else whole


def _pop(run: Run, receiver: Container | Module, made: Call) -> Value:
    """Take an element out: of a list the positions of the others change."""
    value = _get(run, receiver, made)
    if isinstance(receiver, Container) and receiver.kind != "dict":
        _shuffle(run, receiver, made)
    return value


def _shuffle(run: Run, receiver: Container | Module, made: Call) -> Value:
    """Forget which element stands where."""
    items = run.items(receiver)
    run.store.set(receiver.key, ITEMS, Items((), items.any(), items.lost))
    return NONE


def _values(run: Run, receiver: Container | Module, made: Call) -> Value:
    items = run.items(receiver)
    if items.lost:
        return UNKNOWN
    return run.container("list", [value for _, value in items.exact], items.rest)


def _items(run: Run, receiver: Container | Module, made: Call) -> Value:
    items = run.items(receiver)
    if items.lost:
        return UNKNOWN
    pairs: list[Value] = [run.container("tuple", (Const(key), value)) for key, value in items.exact]
    rest = run.container("tuple", (UNKNOWN, items.rest)) if items.rest is not None else None
    return run.container("list", pairs, rest)


def _keys(run: Run, receiver: Container | Module, made: Call) -> Value:
    return UNKNOWN


def _copy(run: Run, receiver: Container | Module, made: Call) -> Value:
    return run.holder(receiver.kind if isinstance(receiver, Container) else "list", run.items(receiver))


def _nothing(run: Run, receiver: Container | Module, made: Call) -> Value:
    for argument in made.values():
        if isinstance(argument.value, Opaque):
            calls.consume(run, argument.value, "passed")
    return UNKNOWN


Handler = Callable[[Run, "Container | Module", "Call"], Value]

_METHODS: Mapping[str, Handler] = MappingProxyType(
    {
        "append": _append,
        "appendleft": _append,
        "add": _append,
        "insert": _insert,
        "extend": _extend,
        "update": _update,
        "setdefault": _get,
        "clear": _clear,
        "get": _get,
        "pop": _pop,
        "popleft": _pop,
        "values": _values,
        "items": _items,
        "keys": _keys,
        "copy": _copy,
        "index": _nothing,
        "count": _nothing,
        "sort": _shuffle,
        "reverse": _shuffle,
        "remove": _shuffle,
    }
)

MODULE_METHODS: Mapping[str, Handler] = MappingProxyType(
    {name: _METHODS[name] for name in ("append", "insert", "extend", "update", "values", "items", "keys", "pop")}
)
"""What `nn.ModuleList` and `nn.ModuleDict` share with list and dict."""
