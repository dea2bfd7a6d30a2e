"""State dicts: whose they are, which files hold them, and what they are loaded into; a wrapper gives keys a prefix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.incidents import Keys, StateLoaded
from torchdevlint.interpreter import guard_names, lineage
from torchdevlint.knowledge.rows import ContainerKind, HoldParameters, ModuleType
from torchdevlint.lattice import ANY, Condition
from torchdevlint.names import dotted, operator_text, text_of
from torchdevlint.state import MAX_DEPTH
from torchdevlint.transfers.placing import taken
from torchdevlint.values import (
    ANY_RANK,
    UNKNOWN,
    Class,
    Const,
    Container,
    Module,
    Opaque,
    Parameters,
    Tensor,
    Value,
    options,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

UNKNOWN_KEYS = Keys("", False, 0, 0, None)


def file_of(run: Run, argument: Argument | None) -> str:
    """Return a text that is equal for paths that are, as far as the names in them are bound to the same; else ""."""
    if argument is None:
        return ""
    match argument.value:
        case Const(value=value):
            return repr(value)
        case Opaque(key=key) if key not in run.results or not isinstance(argument.node, cst.Call):
            return f"#{key}"
        case _:
            return _path(run, argument.node) or ""


def _path(run: Run, node: cst.CSTNode) -> str | None:
    """Return the text of a path that is put together of names and literals."""
    if isinstance(node, cst.Call):
        parts = [_path(run, arg.value) if arg.keyword is None and not arg.star else None for arg in node.args]
        return f"{dotted(node.func)}({', '.join(map(str, parts))})" if None not in parts and dotted(node.func) else None
    if isinstance(node, cst.BinaryOperation):
        left, right = _path(run, node.left), _path(run, node.right)
        return f"{left} {operator_text(node.operator)} {right}" if left and right else None
    handed = _handed(run, node.value) if isinstance(node, cst.Name) else None
    if handed is not None:
        return handed
    return guard_names.pure(run, node) if isinstance(node, cst.BaseExpression) else None


def _handed(run: Run, name: str) -> str | None:
    """Return the text of a path that a parameter was given, where the parameter was not bound anew."""
    frame = run.frame
    bound = run.versions.get((frame.key, name), 0)
    if frame.call is None or frame.caller is None or frame.function is None or not 0 < bound <= frame.begun:
        return None
    parameters = frame.function.node.params
    names = [p.name.value for p in (*parameters.posonly_params, *parameters.params)][frame.receiver is not None :]
    argument = frame.call.get(names.index(name) if name in names else -1, name)
    run.frame = frame.caller
    text = file_of(run, argument)
    run.frame = frame
    return text or None


def given(run: Run, row: HoldParameters, module: Module | Opaque, call: Call) -> Parameters:
    """Return the parameters or the state dict of a module, which keeps it apart from others."""
    if not row.state:
        return Parameters(module)
    placement = run.module_placement(module) or ANY
    place = taken(run, placement, module.key, call.node, f"`{text_of(call.node)}`")
    return Parameters(module, "state", run.new_key(), call.node, place)


def state_tensor(state: Parameters, name: object = None) -> Value:
    """Return any tensor of a state dict, or the one of a name; it is one where the module was known as one.

    Of all of them most have a dimension; of a single one that is not known.
    """
    rank = (1, None) if name is None else ANY_RANK
    return Tensor(state.placement, rank, graph=False) if state.placement != ANY else UNKNOWN


def saved(run: Run, file: str, value: Value) -> None:
    """Note which state dicts a file has, under which keys of the dict that is written."""
    if file:
        run.facts.written.setdefault(file, []).append(tuple(_entries(run, value, (), run.world, 0)))


def _entries(
    run: Run, value: Value, path: tuple[object, ...], world: Condition, depth: int
) -> Iterator[tuple[tuple[object, ...], Keys, Condition]]:
    for option, condition in options(value):
        match option:
            case Parameters() if option.is_state:
                yield path, _of(run, option), world | condition
            case Container(kind="dict") if depth < MAX_DEPTH:
                for key, item in run.items(option).exact:
                    yield from _entries(run, item, (*path, key), world | condition, depth + 1)
            case _:
                yield path, UNKNOWN_KEYS, world | condition


def opened(run: Run, made: Opaque, file: str) -> None:
    """Note that a value is what a file holds."""
    if file:
        run.read_from[made.key] = (file, ())


def picked(run: Run, base: Opaque, made: Value, key: object) -> None:
    """Note that a value is what stands under a key in what a file holds, unless something else was put there."""
    if base.key in run.read_from and isinstance(made, Opaque) and run.part_of.get(made.key) == base.key:
        file, path = run.read_from[base.key]
        run.read_from[made.key] = (file, (*path, key))


def loaded(run: Run, receiver: Module | Opaque, argument: Argument | None, call: Call, text: str) -> None:
    """Record that a state dict was loaded into a module."""
    wanted = keys_of(run, receiver)
    if argument is None or run.guarded:
        return
    given: list[tuple[Keys, Condition]] = []
    file, changed = "", frozenset[int]()
    path: tuple[object, ...] = ()
    match argument.value:
        case Opaque(key=key) if key in run.read_from:
            file, path = run.read_from[key]
            changed = frozenset(_wholes(run, key))
        case value:
            given = [
                (_of(run, option) if isinstance(option, Parameters) else UNKNOWN_KEYS, condition)
                for option, condition in options(value)
            ]
    run.emit(StateLoaded(call.node, run.world, text, wanted, tuple(given), file, path, changed))


def _wholes(run: Run, key: int | None) -> Iterator[int]:
    while key is not None:
        yield key
        key = run.part_of.get(key)


def _of(run: Run, state: Parameters) -> Keys:
    keys = keys_of(run, state.module)
    return Keys(keys.prefix, keys.certain, keys.of, state.key, state.node)


def keys_of(run: Run, module: Module | Opaque) -> Keys:
    """Return what the keys of a module's state dict are, as far as that can be seen."""
    if isinstance(module, Opaque):
        return Keys("", False, module.key, 0, None)
    prefix = module.type.prefix
    inner = run.store.value(module.key, prefix.rstrip(".")) if prefix else None
    if prefix:
        return Keys(prefix, True, inner.key if isinstance(inner, Module | Opaque) else 0, 0, None)
    return Keys("", _is_bare(run, module), module.key, 0, None)


def _is_bare(run: Run, module: Module) -> bool:
    """Tell whether a module surely has no key that begins like those of a wrapper."""
    if module.cls is None and module.type.container is ContainerKind.NONE:
        return not module.type.scatters and not module.type.abstract
    names = {row.prefix.rstrip(".") for row in run.knowledge.names.values() if isinstance(row, ModuleType)} - {""}
    held = {name for name, _ in run.attribute_values(module.key)} | {key for key, _ in run.items(module).exact}
    return not names & held and (module.cls is None or not (module.cls.open or _answers(run, module.cls)))


def _answers(run: Run, cls: Class) -> bool:
    """Tell whether a class has a say in what the keys are called."""
    return any(lineage.member(run, cls, name) is not None for name in run.knowledge.state_overrides)


def changed(run: Run, value: Value) -> None:
    """Note that the keys of a state dict may have been changed."""
    if (type(value) is Opaque or type(value) is Parameters) and value.key:
        run.facts.rewritten.add(value.key)
