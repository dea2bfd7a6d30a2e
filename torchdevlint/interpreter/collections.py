"""Methods of Python's containers, and those that torch's containers of modules share with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchdevlint import transfers
from torchdevlint.interpreter import iteration, pace, tallies
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join
from torchdevlint.state import ITEMS, Items
from torchdevlint.values import NONE, UNKNOWN, Const, Container, Module, Object, Parameters, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


def call(run: Run, receiver: Container, name: str, made: Call) -> Value:
    """Call a method of a list, dict, tuple or set."""
    handler = _METHODS.get(name)
    if handler is None:
        return UNKNOWN
    return handler(run, receiver, made)


def of_state(run: Run, state: Parameters, name: str, made: Call) -> Value:
    """Call a method of the state dict of a module; of its parameters they are those of any iterator."""
    if name not in READING:
        transfers.changed(run, state)
        for argument in made.values():
            transfers.keep_in(run, argument.value, state.module)
    tensor = transfers.state_tensor(state)
    if not state.is_state or tensor == UNKNOWN:
        return state
    match name:
        case "items":
            return run.container("view", (), run.container("tuple", (UNKNOWN, tensor)))
        case "values":
            return run.container("view", (), tensor)
        case "keys":
            return UNKNOWN
        case "get" | "pop" | "setdefault":
            return tensor
        case _:
            return state


def of_batch(run: Run, batch: Object, name: str, made: Call) -> Value:
    """Call `items` or `values` of a batch of tensors, which is a dict, too: all of them are where it is."""
    tensor = iteration.tensor_of(run, batch)
    return run.container("view", (), run.container("tuple", (UNKNOWN, tensor)) if name == "items" else tensor)


def _append(run: Run, receiver: Container | Module, made: Call) -> Value:
    if not made.arguments:
        return NONE
    value = made.arguments[-1].value
    run.appended[receiver.key] = made.node
    if isinstance(receiver, Container):
        tallies.appended(run, receiver, made)
        value = pace.gathered(run, receiver, made.node, made.arguments[-1].node, value, made.receiver)
    value = _taken(run, receiver, value, made)
    items = run.items(receiver)
    inside_loop = bool(run.frame.loops)
    if items.rest is None and not items.lost and not inside_loop:
        run.fill(receiver.key, Items((*items.exact, (len(items.exact), value))))
    else:
        iteration.add_item(run, receiver, value)
    return NONE


def _taken(run: Run, receiver: Container | Module, value: Value, made: Call) -> Value:
    """Return what a container takes for a value; one that is a module registers it."""
    if isinstance(receiver, Container):
        return value
    transfers.register(run, value)
    transfers.put_in(run, receiver, value, None, "", made.node)
    return transfers.as_parameter(value)


def _insert(run: Run, receiver: Container | Module, made: Call) -> Value:
    items = run.items(receiver)
    if made.arguments:
        value = _taken(run, receiver, made.arguments[-1].value, made)
        run.store.set(receiver.key, ITEMS, Items((), items.any(), items.lost))
        iteration.add_item(run, receiver, value)
    return NONE


def _extend(run: Run, receiver: Container | Module, made: Call) -> Value:
    for argument in made.arguments:
        for value in iteration.parts(run, argument.value, argument.node):
            iteration.add_item(run, receiver, _taken(run, receiver, value, made))
    return NONE


def _update(run: Run, receiver: Container | Module, made: Call) -> Value:
    pairs: list[tuple[Value, Value]] = [
        (UNKNOWN if key == "**" else Const(key), argument.value) for key, argument in made.keywords.items()
    ]
    for argument in made.arguments:
        items = iteration.as_dict(run, argument.value)
        pairs.extend((Const(key), value) for key, value in items.exact)
        if items.rest is not None or items.lost:
            pairs.append((UNKNOWN, items.rest if items.rest is not None and not items.lost else UNKNOWN))
    for key, value in pairs:
        iteration.store_item(run, receiver, key, _taken(run, receiver, value, made))
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
            read = Const(found.value) if isinstance(found, Const) else found
            return iteration.tallied(run, receiver, read) if isinstance(receiver, Container) else read
        if items.rest is None and not items.lost and isinstance(receiver, Container) and receiver.kind == "dict":
            return made.arguments[1].value if len(made.arguments) > 1 else NONE
    if isinstance(receiver, Container):
        return iteration.any_of(run, receiver)
    whole = items.any()
    return UNKNOWN if whole is None else whole


def _set_default(run: Run, receiver: Container | Module, made: Call) -> Value:
    """``d.setdefault(key, value)``: what stands under a key, and where nothing does, the value from now on."""
    items = run.items(receiver)
    key = made.arguments[0].value if made.arguments else UNKNOWN
    value = made.arguments[1].value if len(made.arguments) > 1 else NONE
    if isinstance(key, Const) and items.get(key.value) is not None:
        return _get(run, receiver, made)
    if items.rest is None and not items.lost and isinstance(key, Const):
        iteration.store_item(run, receiver, key, value)
        return value
    present = items.any()
    iteration.add_item(run, receiver, value)
    return value if present is None else join(value, present)


def _pop(run: Run, receiver: Container | Module, made: Call) -> Value:
    """Take an element out: of a list the positions of the others change."""
    value = _get(run, receiver, made)
    key = made.arguments[0].value if made.arguments else UNKNOWN
    if isinstance(receiver, Container) and receiver.kind != "dict":
        _shuffle(run, receiver, made)
    elif isinstance(key, Const):
        items = run.items(receiver)
        exact = tuple((name, item) for name, item in items.exact if name != key.value)
        run.store.set(receiver.key, ITEMS, Items(exact, items.rest, items.lost))
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
    made_ = run.container("list", [value for _, value in items.exact], items.rest)
    return iteration.part_of(run, receiver, made_) if isinstance(receiver, Container) else made_


def _items(run: Run, receiver: Container | Module, made: Call) -> Value:
    items = run.items(receiver)
    if items.lost:
        return UNKNOWN
    pairs: list[Value] = [run.container("tuple", (Const(key), value)) for key, value in items.exact]
    rest = run.container("tuple", (UNKNOWN, items.rest)) if items.rest is not None else None
    return run.container("list", pairs, rest)


def _unknown(run: Run, receiver: Container | Module, made: Call) -> Value:
    return UNKNOWN


def _copy(run: Run, receiver: Container | Module, made: Call) -> Value:
    assert isinstance(receiver, Container)  # what registers modules has no such method
    return iteration.part_of(run, receiver, run.holder(receiver.kind, run.items(receiver)))


Handler = Callable[[Run, "Container | Module", "Call"], Value]

_METHODS: Mapping[str, Handler] = MappingProxyType(
    {
        "append": _append,
        "appendleft": _append,
        "add": _append,
        "insert": _insert,
        "extend": _extend,
        "update": _update,
        "setdefault": _set_default,
        "clear": _clear,
        "get": _get,
        "pop": _pop,
        "popleft": _pop,
        "values": _values,
        "items": _items,
        "keys": _unknown,
        "copy": _copy,
        "index": _unknown,
        "count": _unknown,
        "sort": _shuffle,
        "reverse": _shuffle,
        "remove": _shuffle,
    }
)

READING = frozenset({"get", "items", "keys", "values", "copy"})
"""Methods that leave a dict as it is."""

MODULE_METHODS: Mapping[str, Handler] = MappingProxyType(
    {name: _METHODS[name] for name in ("append", "insert", "extend", "update", "values", "items", "keys", "pop")}
)
"""What `nn.ModuleList` and `nn.ModuleDict` share with list and dict."""
