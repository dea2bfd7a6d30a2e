"""The state of an abstract run: bindings by (owner, name), in layers that branches push and joins pop.

One store holds variables of frames, attributes of objects, elements of containers and placements of modules:
an owner is the key of a frame or of an object. A branch writes to a layer of its own; joining touches only
what was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from torchdevlint import lattice
from torchdevlint.joins import join, join_placements
from torchdevlint.lattice import ALWAYS, Condition, Placement
from torchdevlint.records import dataclass, field
from torchdevlint.values import (
    UNKNOWN,
    Opaque,
    Value,
)

Slot: TypeAlias = tuple[int, str]
Writes: TypeAlias = dict[Slot, Any]
"""Values under names of the script; under names in ``<…>`` what the store keeps beside them, each of a type its own."""

DEFAULT_DEVICE = "<default device>"
PLACEMENT = "<placement>"
ITEMS = "<items>"
OPTIMIZERS = "<optimizers>"
STEPPED = "<stepped>"
LOST = "<lost>"
TRAINED = "<trained>"
BEGUN = "<begun>"
SPENT = "<spent>"
JOINED = "<joined>"
ALONE = "<alone>"
SYNCHRONISED = "<synchronised>"
MODE = "<mode>"
SCATTERS = "<scatters>"

_KEPT = frozenset({
    DEFAULT_DEVICE, PLACEMENT, BEGUN, SPENT, MODE, TRAINED, OPTIMIZERS, ITEMS, STEPPED, LOST, JOINED, ALONE,
    SYNCHRONISED,
})  # fmt: skip
"""Names under which no values of the script stand."""

MAX_DEPTH = 4
"""How deep containers are searched; they may hold themselves."""
MAX_EXACT = 128
"""How many elements a container keeps apart; a longer one is joined, for a list that doubles has no end."""
MAX_ATTRIBUTES = 128
"""How many attributes of an object are followed: whatever changes the object may change each of them."""


@dataclass(slots=True)
class Branch:
    """What one way through a branching left behind: its writes and the condition under which it was taken."""

    writes: Writes
    condition: Condition = ALWAYS


@dataclass(slots=True)
class Store:
    """The present bindings, and for each open layer the bindings that it replaced.

    Reading is one look-up however many layers are open; taking a layer back restores what it replaced. ``born`` are
    objects that the script builds where we see it: on a way on which they have no placement they do not exist.
    """

    bindings: Writes = field(default_factory=dict)
    replaced: list[Writes] = field(default_factory=list)
    born: set[int] = field(default_factory=set)

    @property
    def depth(self) -> int:
        """Return the number of open layers."""
        return len(self.replaced)

    def value(self, owner: int, name: str) -> Value | None:
        """Return the value that a variable, attribute or element is bound to, or None."""
        found: Value | None = self.bindings.get((owner, name))
        return found

    def get(self, owner: int, name: str) -> object | None:
        """Return what is kept under a name of our own (`PLACEMENT`, `ITEMS`, …), or None."""
        return self.bindings.get((owner, name))

    def set(self, owner: int, name: str, value: object) -> None:
        """Bind in the innermost layer."""
        slot = (owner, name)
        if self.replaced:
            layer = self.replaced[-1]
            if slot not in layer:
                layer[slot] = self.bindings.get(slot)
        self.bindings[slot] = value

    def remember(self, owner: int, name: str, value: object) -> None:
        """Bind what no layer takes back: a part of an object that was looked at for the first time."""
        self.bindings.setdefault((owner, name), value)

    def overwrite(self, owner: int, name: str, value: object) -> None:
        """Bind, on every way, what a test of one of several objects on one way tells of all of them."""
        self.bindings[owner, name] = value

    def holders(self, value: object) -> list[Slot]:
        """Return the slots that hold this very object: the names under which it is known."""
        return [slot for slot, held in self.bindings.items() if held is value]

    def push(self) -> None:
        """Open a layer: what is written from now on can be taken back or joined."""
        self.replaced.append({})

    def pop(self) -> Writes:
        """Take the innermost layer back and return what it wrote."""
        layer = self.replaced.pop()
        writes = {slot: self.bindings.get(slot) for slot in layer}
        self._restore(layer)
        return writes

    def commit(self, local: int | None = None) -> None:
        """Make the innermost layer part of the one below; the bindings of one owner are gone (a call's variables)."""
        layer = self.replaced.pop()
        below = self.replaced[-1] if self.replaced else None
        for slot, value in layer.items():
            if slot[0] == local:
                self.bindings.pop(slot, None)
            elif below is not None and slot not in below:
                below[slot] = value

    def rollback(self, depth: int) -> None:
        """Take back every layer above a depth."""
        while len(self.replaced) > depth:
            self._restore(self.replaced.pop())

    def _restore(self, layer: Writes) -> None:
        for slot, value in layer.items():
            if value is None:
                self.bindings.pop(slot, None)
            else:
                self.bindings[slot] = value

    def since(self, depth: int) -> Writes:
        """Return everything written in the layers above a depth, the present binding of each slot."""
        bindings = self.bindings
        if len(self.replaced) == depth + 1:
            layer = self.replaced[depth]
            return {slot: bindings.get(slot) for slot in layer} if layer else {}
        return {slot: bindings.get(slot) for layer in self.replaced[depth:] for slot in layer}

    def apply(self, writes: Writes) -> None:
        """Write all of a branch that was certainly taken."""
        for (owner, name), value in writes.items():
            self.set(owner, name, value)

    def merge(self, branches: Sequence[Branch]) -> None:
        """Join the branches of which exactly one was taken, and bind the result."""
        if not branches:
            return
        if len(branches) == 1:
            self.apply(branches[0].writes)
            return
        for slot in {slot: None for branch in branches for slot in branch.writes}:
            before = self.get(*slot)
            if before is None and slot[1] == PLACEMENT and slot[0] in self.born:
                before = next(branch.writes[slot] for branch in branches if slot in branch.writes)
            joined, condition = branches[0].writes.get(slot, before), branches[0].condition
            for branch in branches[1:]:
                joined = _merge(joined, condition, branch.writes.get(slot, before), branch.condition, slot[1])
                condition = ALWAYS
            self.set(*slot, joined)


def _merge(first: Any, first_if: Condition, second: Any, second_if: Condition, name: str) -> object:
    """Join two bindings of one slot, either of which may be missing (None)."""
    if first is second or (first == second and not isinstance(first, Opaque)):
        return first
    if name in _KEPT:
        return _merge_kept(first, first_if, second, second_if, name)
    if first is None or second is None:
        # Bound on one way only; reading it on the other is the script's own error.
        return second if first is None else first
    return join(first, second, first_if, second_if)


def _merge_kept(first: Any, first_if: Condition, second: Any, second_if: Condition, name: str) -> object:
    """Join what is kept under a name of our own."""
    if name == DEFAULT_DEVICE:
        host = lattice.ON_HOST
        return join_placements(as_placement(first, host), first_if, as_placement(second, host), second_if)
    if name == PLACEMENT:
        return join_placements(as_placement(first), first_if, as_placement(second), second_if)
    if name in (BEGUN, SPENT):
        return first if second is not None else None
    if name == MODE:
        return None  # in which mode a module is differs
    if name == TRAINED:
        return min(first or 0, second or 0)
    return _merge_meta(first, second, name, first_if, second_if)


def as_placement(value: object, missing: Placement = lattice.ANY) -> Placement:
    """Return a placement read from the store; a slot that was never written says nothing."""
    return value if isinstance(value, frozenset) else missing


def _merge_meta(first: object, second: object, name: str, first_if: Condition, second_if: Condition) -> object:
    """Join what the store keeps beside values: optimizers of a module, elements of a container, marks."""
    if name == OPTIMIZERS:
        ours = first if isinstance(first, tuple) else ()
        theirs = second if isinstance(second, tuple) else ()
        return ours + tuple(o for o in theirs if o not in ours)
    if name == ITEMS:
        if isinstance(first, Items) and isinstance(second, Items):
            return first.join(second, first_if, second_if)
        return first if isinstance(first, Items) else second
    return first or second


@dataclass(frozen=True, slots=True)
class Items:
    """The elements of a container: by position or key where known (``exact``), and any other (``rest``).

    ``rest`` is None where there is no other element; ``lost`` tells that code we cannot see had the container.
    """

    exact: tuple[tuple[object, Value], ...] = ()
    rest: Value | None = None
    lost: bool = False

    def get(self, key: object) -> Value | None:
        """Return the element under a key or position, or None."""
        return next((value for name, value in self.exact if name == key), None)

    def any(self) -> Value | None:
        """Return the join of all elements, or None for an empty container."""
        found = self.rest
        for _, value in self.exact:
            found = value if found is None else join(found, value)
        return UNKNOWN if self.lost else found

    def bounded(self) -> Items:
        """Return these elements, joined where they are more than `MAX_EXACT`."""
        return self if len(self.exact) <= MAX_EXACT else Items((), self.any(), self.lost)

    def join(self, other: Items, first_if: Condition, second_if: Condition) -> Items:
        """Return the elements of a container that is in either state."""
        if self == other:
            return self
        ours, others = dict(self.exact), dict(other.exact)
        exact: list[tuple[object, Value]] = []
        for key in ours | others:
            mine, theirs = ours.get(key), others.get(key)
            if mine is not None and theirs is not None:
                exact.append((key, join(mine, theirs, first_if, second_if)))
            else:
                exact.append((key, mine if mine is not None else theirs or UNKNOWN))
        rest = self.rest
        if other.rest is not None:
            rest = other.rest if rest is None else join(rest, other.rest, first_if, second_if)
        return Items(tuple(exact), rest, self.lost or other.lost)
