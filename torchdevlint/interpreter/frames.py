"""Scopes that are being run, the loops in them, and the ways out of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.lattice import ALWAYS, Condition
from torchdevlint.records import dataclass, field
from torchdevlint.state import Branch, Writes
from torchdevlint.values import UNKNOWN, Function, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchdevlint.interpreter.calls import Call


MAX_EXITS = 200
"""How many ways out of one function or loop are followed: each keeps all that was written until then."""


@dataclass(slots=True)
class Exit:
    """A way out of a function or loop body: what it wrote, under which condition, and the value it carries."""

    branch: Branch
    value: Value = UNKNOWN


@dataclass(slots=True)
class Loop:
    """A loop that is being run: its node, and the ways out of its body.

    ``base`` and ``world`` are the depth of layers and the world in which it began; ``totals`` are the accumulations
    in it with the slots that carry them. Whatever has a key below ``born`` is older than the loop;
    ``first`` tells that this is its first pass, of which the count is known, ``batches`` that it draws from a loader.
    ``untold`` is what those ways out of it wrote that are too many to be followed, None where there are none.
    """

    node: cst.For | cst.While
    base: int
    world: Condition
    born: int = 0
    first: bool = False
    batches: bool = False
    breaks: list[Exit] = field(default_factory=list)
    continues: list[Exit] = field(default_factory=list)
    totals: list[tuple[int, tuple[int, str]]] = field(default_factory=list)
    untold: Writes | None = None


@dataclass(slots=True)
class Frame:
    """A scope: the module, a function call, a class body or a comprehension.

    ``entry`` is the call by which a script came into a module's own code, ``in_module`` tells that this is such code,
    ``constructing`` that an `__init__` runs. ``base`` and ``world`` are the depth of layers and the world in which
    it began, ``exits`` the ways by which it was left. ``bound`` are the names that it ever bound, ``outer`` those that
    it binds in a scope around it. ``entered`` counts containers of modules that are called one in another. ``caller``
    is the scope that made the call ``call``.
    """

    key: int
    parent: Frame | None
    function: Function | None = None
    receiver: Value | None = None
    entry: cst.CSTNode | None = None
    in_module: bool = False
    constructing: bool = False
    depth: int = 0
    base: int = 0
    world: Condition = ALWAYS
    exits: list[Exit] = field(default_factory=list)
    yields: list[Exit] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    outer: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    decorated_unseen: bool = False
    entered: int = 0
    comprehension: bool = False
    caller: Frame | None = None
    call: Call | None = None
    trial: bool = False  # the block under the main guard runs, in a file that defines classes
    begun: int = 0  # what is bound later is bound by the body

    @property
    def defining(self) -> bool:
        """Tell whether this is the body of a class."""
        return self.function is None and self.parent is not None and not self.comprehension

    @property
    def scope(self) -> cst.CSTNode | None:
        """Return the function or class of the file in which the code stands, None outside of them."""
        frame = self
        while frame.parent is not None and frame.parent.parent is not None:
            frame = frame.parent
        function = frame.function
        if function is None:
            return None
        return function.owner.node if function.owner is not None else function.node

    def chain(self) -> Iterator[Frame]:
        """Yield this scope and those out of which it was called, the innermost first."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.caller

    @property
    def loop(self) -> cst.CSTNode | None:
        """Return the innermost loop that runs in this scope, or None."""
        return self.loops[-1].node if self.loops else None
