"""What escapes to code that cannot be seen: what it may move, change or keep, and what it leaves as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice, transfers
from torchdevlint.interpreter import functions, writers
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Carrier, Move
from torchdevlint.lattice import ANY
from torchdevlint.records import replace
from torchdevlint.state import ITEMS, MAX_DEPTH, PLACEMENT, Items
from torchdevlint.values import (
    Bound,
    Choice,
    Class,
    Const,
    Container,
    Device,
    Flag,
    Function,
    Imported,
    Instance,
    Module,
    Object,
    Opaque,
    Parameters,
    Partial,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call


def veiled(run: Run, made: Call) -> Call:
    """Return a call as a decorator that cannot be seen may pass it on.

    Its arguments escape, and in their place are objects of which nothing is known; literals, devices and functions
    are passed on as they are.
    """

    def behind(argument: Argument) -> Argument:
        escape(run, argument.value)
        return argument if type(argument.value) in _UNCHANGED else replace(argument, value=run.opaque(""))

    arguments = [behind(argument) for argument in made.arguments]
    return replace(made, arguments=arguments, keywords={name: behind(a) for name, a in made.keywords.items()})


def was_moved(run: Run, value: Value) -> bool:
    """Tell whether tensors of an argument were put somewhere, so that what is made from it may be there too."""
    if type(value) is Tensor:
        return any(not lattice.is_host(p.device) for p in value.placement)
    if (type(value) is not Opaque and type(value) is not Instance) or value.key not in run.attributes:
        return False
    return any(
        isinstance(item, Tensor | Opaque) and item.placement != ANY for _, item in run.attribute_values(value.key)
    )


_UNCHANGED = frozenset({Unknown, Const, Flag, Device, Imported, Function, Class, Bound, Partial, Parameters})
"""Values that code which cannot be seen leaves as they are, though it may call some of them."""


def escape(run: Run, value: Value, depth: int = 0) -> None:
    """Forget what code that cannot be seen may change: placements of modules, elements of containers."""
    transfers.changed(run, value)
    if type(value) is Opaque:  # most of what is handed over
        if run.module_placement(value) is not None:
            run.store.set(value.key, PLACEMENT, ANY)
        if value.key in run.datasets:
            transfers.forget_transforms(run, value)
        if value.key in run.attributes:
            forget_attributes(run, value.key)
        return
    if type(value) in _UNCHANGED:
        if isinstance(value, Bound | Partial | Function):
            _perhaps_called(run, value, depth)
        run.no_grad += transfers.is_grad_mode(value)  # it may be entered
        return
    consume(run, value)
    match value:
        case Module():
            run.registered.add(value.key)
            _forget_module(run, value, set())
        case Container():
            items = run.items(value)
            if depth < MAX_DEPTH:
                for _, item in items.exact:
                    escape(run, item, depth + 1)
                if items.rest is not None:
                    escape(run, items.rest, depth + 1)
            if value.kind in ("list", "dict", "set"):
                run.store.set(value.key, ITEMS, Items(items.exact, items.rest, lost=True))
        case Instance():
            for _, item in run.attribute_values(value.key):
                if (type(item) is Module or type(item) is Opaque) and depth < MAX_DEPTH:
                    escape(run, item, depth + 1)
                else:
                    consume(run, item)
            forget_attributes(run, value.key)
        case Object():
            forget_elements(run, value)
            forget_attributes(run, value.key)
        case Choice():
            for option, _ in value.options:
                escape(run, option, depth + 1)
        case _:
            return


def _perhaps_called(run: Run, value: Bound | Partial | Function, depth: int) -> None:
    """Forget what a callable moves that code which cannot be seen was given: it may call it, now or later."""
    if isinstance(value, Bound):
        if isinstance(value.row, Move):
            escape(run, value.receiver, depth + 1)
    elif isinstance(value, Partial):
        for item in (value.callee, *(argument.value for argument in value.call.values())):
            escape(run, item, depth + 1)
    elif writers.moves_something(run, value.node) and value.node not in run.stack and run.spend(value.node):
        functions.perhaps(run, value)


def forget_attributes(run: Run, key: int) -> None:
    """Forget the tensors and containers that an object has as attributes, and where its modules are."""
    for name, item in run.attribute_values(key):
        if isinstance(item, Module):
            _forget_module(run, item, set())
        elif isinstance(item, Container | Tensor):
            run.store.set(key, name, run.opaque(name))


def rebound(run: Run, value: Instance) -> None:
    """Forget what an object has as attributes, its devices and flags too, where any of them may be bound anew."""
    escape(run, value)
    classes = [one.members for one in (value.cls, *value.cls.after) if isinstance(one, Class)]
    members = {name: item for one in reversed(classes) for name, item in one.items()}
    for name, item in {**members, **dict(run.attribute_values(value.key))}.items():
        if isinstance(item, Const | Device | Flag | Choice):
            run.set_attribute(value.key, name, run.opaque(name))


def forget_elements(run: Run, value: Object) -> None:
    """Forget where a library's object with tensors inside is: some of them may be elsewhere now."""
    if value.type.carrier is not Carrier.NONE:
        run.store.set(value.key, PLACEMENT, ANY)


def _forget_module(run: Run, module: Module, seen: set[int]) -> None:
    if module.key in seen:
        return
    seen.add(module.key)
    run.lent.add(module.key)
    run.store.set(module.key, PLACEMENT, ANY)
    for name, item in run.attribute_values(module.key):
        if isinstance(item, Module):
            _forget_module(run, item, seen)
        elif isinstance(item, Tensor | Opaque):
            run.store.set(module.key, name, replace(item, placement=ANY))
    for item in transfers.contained(run, module):
        if isinstance(item, Module):
            _forget_module(run, item, seen)


def consume(run: Run, value: Value, depth: int = 0) -> None:
    """Record that an accumulated total was used in a way that may need its graph."""
    match value:
        case Tensor() if value.tallies:
            run.facts.consumed |= value.tallies
        case Container():
            tally = run.tallies.get(value.key)
            if tally is not None:
                run.facts.consumed.update(tally)
            for _, item in run.items(value).exact if depth < MAX_DEPTH else ():
                if isinstance(item, Tensor) or (isinstance(item, Container) and item.key in run.tallies):
                    consume(run, item, depth + 1)
        case Choice():
            for option, _ in value.options:
                consume(run, option, depth)
        case _:
            return
