"""Why a value is where it is: a chain of nodes and phrases, read by messages and traces, ignored by equality."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import libcst as cst

from torchdevlint.records import dataclass, field


class Role(Enum):
    """What a step of the chain did to the value; rules tell culprits apart by it."""

    CREATED = "created"
    CREATED_IN_MODULE = "created in a method of a module"
    MOVED = "moved"
    MOVED_TO_HOST = "moved to the host"
    UNREGISTERED_TENSOR = "a plain attribute of a module"
    UNREGISTERED_MODULE = "kept in a plain container of a module"
    LOADED = "read from a checkpoint"
    BATCH = "an item of a loader"
    OWNER = "held by the module"
    INPUT = "handed to the module, most likely where it is"
    PLACED = "placed by a framework"
    PARAMETER = "a parameter of a module"
    OUTPUT = "given by a module whose input was there"
    TAKEN = "taken out of a module, with which it does not move"
    LATE = "a layer that was made in a method of a module, or put into one that had moved"


MAX_STEPS = 16
"""The longest chain that is kept whole."""

FIRM = frozenset({Role.MOVED_TO_HOST, Role.UNREGISTERED_TENSOR, Role.UNREGISTERED_MODULE})


@dataclass(frozen=True, slots=True, eq=False)
class Why:
    """One step: what happened (``text``), where (``node``), and the step before it.

    ``source`` is the key of the batch symbol that the value came from, if any.
    """

    role: Role
    node: cst.CSTNode
    text: str
    earlier: Why | None = None
    source: int = 0
    fallback: str = ""  # the guard that a value is None, where this is made instead of it
    taken: tuple[int, int] = (0, 0)  # the key of the module that it was taken out of, and the moment
    first: Why | None = field(init=False, default=None)
    length: int = field(init=False, default=1)

    def __post_init__(self) -> None:
        """Note the first step, and leave out the middle of a chain that nobody would read to its end."""
        earlier = self.earlier
        if earlier is None:
            return
        first = earlier.first or earlier
        if earlier.length >= MAX_STEPS:
            object.__setattr__(self, "earlier", first)
            earlier = first
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "length", earlier.length + 1)

    @property
    def firm(self) -> bool:
        """Tell whether the placement is meant, so that a clash may be shown from the host's side."""
        return self.role in FIRM or self.fallback != ""

    def chain(self) -> Iterator[Why]:
        """Yield the steps, the last one first."""
        step: Why | None = self
        while step is not None:
            yield step
            step = step.earlier

    def root(self) -> Why:
        """Return the first step."""
        return self.first or self

    def of(self, *roles: Role) -> Why | None:
        """Return the latest step that has one of the roles."""
        return next((step for step in self.chain() if step.role in roles), None)
