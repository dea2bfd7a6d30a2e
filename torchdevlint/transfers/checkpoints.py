"""Checkpoints: what is read from where, what was saved from the host, and what becomes of what was read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice, values
from torchdevlint.events import Loaded
from torchdevlint.incidents import LoadPinned
from torchdevlint.interpreter import calls, expressions
from torchdevlint.interpreter import run as run_rows
from torchdevlint.interpreter.paths import text_of_path
from torchdevlint.knowledge.rows import CopyFile, LoadFile, MemoryFile, SaveFile
from torchdevlint.lattice import Device
from torchdevlint.state import MAX_DEPTH, TRAINED
from torchdevlint.transfers import states
from torchdevlint.transfers.devices import parse
from torchdevlint.values import (
    NONE,
    Choice,
    Const,
    Container,
    Function,
    Instance,
    Module,
    Opaque,
    Parameters,
    Tensor,
    Value,
    options,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.frames import Frame
    from torchdevlint.interpreter.run import Run


STATE_AND_MODULE = 2
"""How many arguments a function has that loads a state into a module."""


def load(run: Run, row: LoadFile, call: Call, receiver: Argument | None) -> Value:
    """Read a checkpoint; without `map_location` its tensors go back to where they were saved from."""
    given = call.get(row.position, row.keyword)
    mapped = row.falls_back or call.open or (given is not None and given.value != NONE)
    source = call.get(0, "f")
    path = text_of_path(run, source.node) if source is not None else ""
    if given is not None:
        _pin(run, call, given)
    run.facts.maps |= mapped
    made = run.opaque("checkpoint")
    # a module that begins with weights from a file is there to be tried out as any other
    run.facts.works |= run.activation == 0 and not any(_makes_module(frame) for frame in run.frame.chain())
    run.load_of[made.key] = made.key
    states.opened(run, made, states.file_of(run, source))
    # In a distributed run the accelerator is there, and every process loads to the device of the one that saved.
    distributed = (run_rows.DISTRIBUTED, True) in run.world
    guarded = not distributed and any(truth and _about_accelerator(guard) for guard, truth in run.world)
    guarded = guarded or run.guarded > 0
    # What this very run wrote goes back to where this run had it: only another machine could miss that device.
    # After training it reads its own best checkpoint back, whoever wrote that for it.
    host_saved = run.store.get(0, TRAINED) == run.activation + 1 or (
        path in run.host_files or run.saved_files.get(path) == run.activation
    )
    host_saved |= source is not None and isinstance(source.value, Opaque) and source.value.key in run.facts.in_memory
    host_saved |= bool(row.published) and source is not None and _is_published(run, row.published, source)
    safe, scope, files = mapped or guarded or host_saved, run.frame.scope, frozenset(_asked(run, path))
    where = source.node if source is not None else None
    run.emit(Loaded(call.node, run.world, call.text, safe, distributed, scope, made.key, files, where))
    if row.module:
        run.facts.modules.add(made.key)
        run.facts.kept_loads.add(made.key)
    return made


def _is_published(run: Run, prefix: str, source: Argument) -> bool:
    """Tell whether an address, or each element of the table that it is taken from, begins with a prefix."""
    addresses = [value for value, _ in options(source.value)]
    if isinstance(source.node, cst.Subscript):
        table = expressions.evaluate(run, source.node.value)
        if isinstance(table, Container):
            addresses = [value for _, value in run.items(table).exact]
    texts = [one.value for one in addresses if isinstance(one, Const) and isinstance(one.value, str)]
    return bool(texts) and len(texts) == len(addresses) and all(text.startswith(prefix) for text in texts)


def _makes_module(frame: Frame) -> bool:
    return frame.constructing and isinstance(frame.receiver, Module)


def _pin(run: Run, call: Call, given: Argument) -> None:
    """Record that a literal accelerator says where a checkpoint is read to."""
    found = _pinned(run, call, given.value, given.node)
    if found is not None and lattice.is_accelerator(found[1]):
        run.emit(LoadPinned(found[0], run.world, call.text, str(found[1]), run.is_guarded))


def _pinned(run: Run, call: Call, value: Value, node: cst.CSTNode) -> tuple[cst.CSTNode, Device] | None:
    """Return the device that a literal names, and where; of a function, the one to which it sends what it is given."""
    match value:
        case Const(value=str(text), node=cst.CSTNode() as literal):
            device = parse(text)
            return (literal, device) if device is not None else None
        case values.Device(literal=cst.CSTNode() as literal):
            return literal, next(iter(value.placement)).device
        case Container(kind="dict"):
            inner = (_pinned(run, call, item, node) for _, item in run.items(value).exact)
            return next((found for found in inner if found is not None), None)
        case Function():
            return _sent_by(run, call, value, node)
        case _:
            return None


def _sent_by(run: Run, call: Call, function: Function, node: cst.CSTNode) -> tuple[cst.CSTNode, Device] | None:
    """Return where a function sends the storage that it is called with, where that is one device."""
    given = [calls.Argument(node, run.opaque("storage")), calls.Argument(node, run.opaque("location"))]
    run.guarded += 1  # what it needs is told by where it sends to
    result = calls.call_value(run, function, calls.Call(call.node, call.text, given))
    run.guarded -= 1
    placement = result.placement if isinstance(result, Opaque) else lattice.ANY
    if len(placement) == 1:
        possibility = next(iter(placement))
        return (node, possibility.device) if not possibility.condition else None
    return None


def _about_accelerator(guard: str) -> bool:
    """Tell whether the text of a guard is about an accelerator being there or asked for."""
    lowered = guard.lower()
    return any(word in lowered for word in ("cuda", "gpu", "mps", "xpu", "accelerator"))


def _about_files(guard: str) -> bool:
    """Tell whether a guard asks whether a file is there: then another run may have written it."""
    return "exists" in guard or "isfile" in guard or "is_file" in guard


def _asked(run: Run, path: str) -> Iterator[tuple[str, str, bool]]:
    """Yield a path with each test in force that asks whether a file is there, and what it found."""
    return ((path, guard, truth) for guard, truth in run.world if path and _about_files(guard))


def save(run: Run, row: SaveFile, call: Call, receiver: Argument | None) -> Value:
    """Write a checkpoint; a path written from the host can be read back without `map_location`."""
    value = call.arguments[row.value].value if row.value < len(call.arguments) else NONE
    target = call.get(row.path, "f")
    path = text_of_path(run, target.node) if target is not None else ""
    on_host = _on_host(run, value)
    run.facts.works |= run.activation == 0
    run.facts.saves.append(on_host)
    states.saved(run, states.file_of(run, target), value)
    if isinstance(value, Opaque | Container | Instance) and _is_data(run, value):
        # `if isfile(path): data = torch.load(path)`, `else: torch.save(data, path)`: a cache of what came from outside
        run.facts.caches.update(((path, guard, not truth), value.key) for path, guard, truth in _asked(run, path))
    if path:
        if not any(_about_files(guard) for guard, _ in run.world):
            run.saved_files[path] = run.activation
        if on_host:
            run.host_files.add(path)
    return NONE


def _is_data(run: Run, value: Opaque | Container | Instance) -> bool:
    """Tell whether a value comes from outside, or is an object of the file without any tensor, or a list of such."""
    match value:
        case Opaque():
            return value.placement == lattice.ANY and value.key not in run.results
        case Container():
            items = run.items(value)
            parts = [*(item for _, item in items.exact), *([items.rest] if items.rest is not None else ())]
            return parts != [] and all(isinstance(one, Instance) and _is_data(run, one) for one in parts)
        case Instance():  # pragma: no branch (there is no other case)
            return not any(isinstance(item, Tensor | Module) for _, item in run.attribute_values(value.key))


def copy(run: Run, row: CopyFile, call: Call, receiver: Argument | None) -> Value:
    """Copy a file: what is known of the one is known of the other."""
    source, target = call.get(0, "src"), call.get(1, "dst")
    if source is not None and target is not None:
        before, after = text_of_path(run, source.node), text_of_path(run, target.node)
        if before in run.saved_files and after:
            run.saved_files[after] = run.saved_files[before]
        if before in run.host_files and after:
            run.host_files.add(after)
    return calls.unseen(run, call)


def in_memory(run: Run, row: MemoryFile, call: Call, receiver: Argument | None) -> Value:
    """Open a file in memory."""
    made = calls.unseen(run, call)
    run.facts.in_memory.add(made.key)
    return made


def _on_host(run: Run, value: Value, depth: int = 0) -> bool:
    """Tell whether everything in a value is on the host."""
    match value:
        case Parameters():
            placement = run.module_placement(value.module)
            return placement is not None and all(lattice.is_host(p.device) for p in placement)
        case Module():
            placement = run.module_placement(value)
            return placement is not None and all(lattice.is_host(p.device) for p in placement)
        case Tensor():
            return all(lattice.is_host(p.device) for p in value.placement)
        case Container() if depth < MAX_DEPTH:
            items = run.items(value)
            known = not items.lost and items.rest is None
            return known and all(_on_host(run, item, depth + 1) for _, item in items.exact)
        case Const():
            return True
        case _:
            return False


def keep_in(run: Run, value: Value, receiver: Module | Opaque) -> None:
    """Note that what was read is loaded into an object: of an opaque one only a module counts.

    So is what code that cannot be seen made of it, which gave the keys other names, say.
    """
    given = run.facts.made_with.get(value.key, set()) if isinstance(value, Opaque) else set()
    for root in {run.load_of[key] for key in (*_read(run, value), *(given & run.load_of.keys()))}:
        if isinstance(receiver, Module):
            run.facts.kept_loads.add(root)
        else:
            run.facts.loads_into.setdefault(root, set()).add(receiver.key)


def handed_back(run: Run, value: Value) -> None:
    """Note that what was read goes back to the caller; a part of it may be anything (`return checkpoint["epoch"]`)."""
    for part in _read(run, value):
        root = run.load_of[part]
        (run.facts.kept_loads if part == root else run.facts.parts_returned).add(root)


def handed_on(run: Run, call: Call) -> None:
    """Note that code which cannot be seen was given what was read and modules to load it into, and nothing else."""
    values = [argument.value for argument in call.values()]
    for value in values if run.load_of and len(values) == STATE_AND_MODULE else ():
        for other in values if any(_read(run, value)) else ():
            within = run.items(other).exact if isinstance(other, Container) else ((0, other),)
            for _, item in within if other is not value else ():
                if isinstance(item, Module | Opaque):
                    keep_in(run, value, item)


def as_data(run: Run, value: Value) -> None:
    """Note that what was read, or a part of it, makes a set of data: who prepares that does so on the host."""
    run.facts.data_loads.update(run.load_of[part] for part in _read(run, value))


def keep(run: Run, value: Value) -> None:
    """Note that what was read from a checkpoint reaches a module, an optimizer, a move or the caller."""
    run.facts.kept_loads.update(run.load_of[part] for part in _read(run, value))


def _read(run: Run, value: Value, depth: int = 0) -> Iterator[int]:
    """Yield the keys of what was read from checkpoints, whole or in part, and is a value or in it."""
    match value:
        case Opaque():
            yield from {value.key, value.source} & run.load_of.keys()
        case Container() if depth < MAX_DEPTH:
            items = run.items(value)
            for item in (*(item for _, item in items.exact), *((items.rest,) if items.rest is not None else ())):
                yield from _read(run, item, depth + 1)
        case Choice():
            for option, _ in value.options:
                yield from _read(run, option, depth)
        case _:
            return
