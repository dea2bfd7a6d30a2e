"""Checkpoints: what is read from where, what was saved from the host, and what becomes of what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.events import Loaded
from torchdevlint.interpreter import run as run_rows
from torchdevlint.interpreter.paths import text_of_path
from torchdevlint.knowledge.rows import LoadFile, SaveFile
from torchdevlint.state import MAX_DEPTH, TRAINED
from torchdevlint.values import (
    NONE,
    Const,
    Container,
    Module,
    Opaque,
    Parameters,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def load(run: Run, row: LoadFile, call: Call, receiver: Argument | None) -> Value:
    """Read a checkpoint; without `map_location` its tensors go back to where they were saved from."""
    given = call.get(row.position, row.keyword)
    mapped = call.open or (given is not None and given.value != NONE)
    source = call.get(0, "f")
    path = text_of_path(run, source.node) if source is not None else ""
    made = run.opaque("checkpoint")
    run.load_of[made.key] = made.key
    # In a distributed run the accelerator is there, and every process loads to the device of the one that saved.
    distributed = (run_rows.DISTRIBUTED, True) in run.world
    guarded = not distributed and any(truth and _about_accelerator(guard) for guard, truth in run.world)
    guarded = guarded or run.guarded > 0
    text = call.text
    # What this very run wrote goes back to where this run had it: only another machine could miss that device.
    # After training it reads its own best checkpoint back, whoever wrote that for it.
    host_saved = run.store.get(0, TRAINED) == run.activation + 1 or (
        path in run.host_files or run.saved_files.get(path) == run.activation
    )
    run.emit(Loaded(call.node, run.world, text, mapped, guarded, made.key, host_saved))
    if row.module:
        run.facts.modules.add(made.key)
        run.facts.kept_loads.add(made.key)
    return made


def _about_accelerator(guard: str) -> bool:
    """Tell whether the text of a guard is about an accelerator being there or asked for."""
    lowered = guard.lower()
    return any(word in lowered for word in ("cuda", "gpu", "mps", "xpu", "accelerator"))


def _about_files(guard: str) -> bool:
    """Tell whether a guard asks whether a file is there: then another run may have written it."""
    return "exists" in guard or "isfile" in guard or "is_file" in guard


def save(run: Run, row: SaveFile, call: Call, receiver: Argument | None) -> Value:
    """Write a checkpoint; a path written from the host can be read back without `map_location`."""
    value = call.arguments[row.value].value if row.value < len(call.arguments) else NONE
    target = call.get(row.path, "f")
    path = text_of_path(run, target.node) if target is not None else ""
    on_host = _on_host(run, value)
    run.facts.saves.append(on_host)
    if path:
        if not any(_about_files(guard) for guard, _ in run.world):
            run.saved_files[path] = run.activation
        if on_host:
            run.host_files.add(path)
    return NONE


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
    """Note that what was read is loaded into an object: of an opaque one only a module counts."""
    if isinstance(receiver, Module):
        keep(run, value)
    elif isinstance(value, Opaque) and value.key in run.load_of:
        run.facts.loads_into.setdefault(run.load_of[value.key], set()).add(receiver.key)


def keep(run: Run, value: Value, depth: int = 0) -> None:
    """Note that what was read from a checkpoint reaches a module, an optimizer, a move or the caller."""
    if isinstance(value, Opaque):
        root = run.load_of.get(value.key)
        if root is not None:
            run.facts.kept_loads.add(root)
    elif isinstance(value, Container) and depth < MAX_DEPTH:
        for _, item in run.items(value).exact:
            keep(run, item, depth + 1)
