"""What a project tells of its own functions, which none of its files shows: rows beside those of libraries."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from torchdevlint.records import dataclass, replace

if TYPE_CHECKING:
    from torchdevlint.knowledge.rows import Knowledge, Row


@dataclass(frozen=True, slots=True)
class Project:
    """What holds in all files of a project, whose names begin in the folder ``root``.

    ``default_device`` is where tensors are made that are given no device. Of functions and classes, by their dotted
    names, those ``on_accelerator`` and ``on_host`` return tensors that are there, or what yields them; ``moving`` are
    those that return what they are given on the accelerator. Objects of ``moving_batches`` yield what they have moved.
    """

    default_device: str = ""
    on_accelerator: tuple[str, ...] = ()
    on_host: tuple[str, ...] = ()
    moving: tuple[str, ...] = ()
    moving_batches: tuple[str, ...] = ()
    root: str = ""

    @property
    def says_something(self) -> bool:
        """Whether anything is told."""
        return bool(self.default_device or self.on_accelerator or self.on_host or self.moving or self.moving_batches)


def device(value: str) -> str:
    """Return the name of a device. Raises `ValueError`, with the end of a sentence, for what is none."""
    if not value:
        return ""
    from torchdevlint.transfers.devices import parse  # it brings the engine along

    if parse(value) is None:
        raise ValueError(f"is to be a device, as `cuda` or `cuda:0`, and `{value}` is none")
    return value


def names(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return dotted names. Raises `ValueError`, with the end of a sentence, for what is none."""
    for value in values:
        if "." not in value or not all(part.isidentifier() for part in value.split(".")):
            raise ValueError(f"is to be dotted names, as `package.function`, and `{value}` is none")
    return values


def knowledge_of(project: Project, path: str) -> Knowledge | None:
    """Return what is known in a file of a project, or None where the project tells nothing."""
    if not project.says_something:
        return None
    folder = Path(os.path.relpath(path, project.root or ".")).parent
    return _knowledge(project, tuple(part for part in folder.parts if part not in (os.curdir, os.pardir)))


@lru_cache(maxsize=256)
def _knowledge(project: Project, package: tuple[str, ...]) -> Knowledge:
    from torchdevlint.knowledge import DEFAULT, NAMES
    from torchdevlint.knowledge.rows import Batches, Prepare, Result

    kinds: tuple[tuple[tuple[str, ...], Row], ...] = (
        (project.on_accelerator, Result()),
        (project.on_host, Result(on_host=True)),
        (project.moving, Prepare(tensors=True)),
        (project.moving_batches, Batches()),
    )
    found = {name: row for names, row in kinds for one in names for name in _spellings(one, package)}
    return replace(DEFAULT, names=NAMES.beside(found), default_device=project.default_device)


def _spellings(name: str, package: tuple[str, ...]) -> list[str]:
    """Return the names by which a file in a package may import a function: its own, and relative ones."""
    found = [name]
    for level in range(1, len(package) + 1):
        base = package[: len(package) - level + 1]
        for start in range(len(base)):
            prefix = ".".join(base[start:]) + "."
            if name.startswith(prefix):
                found.append("." * level + name[len(prefix) :])
    return found
