"""The device lattice: placements, the conditions they hold under, and when two of them clash.

A *placement* is a set of possibilities ``(device, condition)``. Small pure functions with laws; they know
neither Python nor PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Protocol, TypeAlias

from torchdevlint.records import dataclass, field, replace
from torchdevlint.why import Role, Why

Literal: TypeAlias = tuple[str, bool]
"""A guard (normalised text, or the name of an accelerator type that exists) and the truth it has."""

Condition: TypeAlias = frozenset[Literal]
"""A conjunction of literals; empty means always."""

ALWAYS: Condition = frozenset()

MAX_POSSIBILITIES = 4
"""Past this many possibilities a placement says nothing any more."""


class SymbolKind(Enum):
    """What an abstract device stands for, which decides what it may clash with."""

    PLACE = "somewhere things are sent to: a device variable, a rank, a configured device"
    DEVICE_OF = "`x.device` of an object of unknown kind: a place if things are sent to it, else a whereabouts"
    WHEREABOUTS = "where a value of unknown origin is"
    OWNER = "where the module that runs its own method is"
    BATCH = "where the items of one loader arrive"


@dataclass(frozen=True, slots=True)
class Concrete:
    """A device by type and index, as in ``cuda:1``; ``index`` is None for the current device of that type."""

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A device that is known by identity only.

    ``expansion`` is what a conditional device may be, beside its name; it takes no part in equality.
    """

    key: int
    kind: SymbolKind
    name: str = field(default="", compare=False)
    expansion: Placement | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.name


Device: TypeAlias = Concrete | Symbol

ACCELERATOR = "cuda"
"""The accelerator that a script is judged with; where a test says that there is none of it, there is none at all."""

ACCELERATORS = frozenset({"cuda", "mps", "xpu", "npu", "hpu", "mlu", "musa", "xla", "accelerator"})
"""Guards that stand for the presence of an accelerator: a script is judged as on a machine that has one."""

HOST_ONLY: Condition = frozenset((guard, False) for guard in ACCELERATORS)
"""The world of what never runs where there is an accelerator."""

HOST = Concrete("cpu")
ANYWHERE = Symbol(0, SymbolKind.WHEREABOUTS, "an unknown device")


@dataclass(frozen=True, slots=True)
class Possibility:
    """One device that a value may be on, the condition for it, and why it is so (not part of equality)."""

    device: Device
    condition: Condition = ALWAYS
    why: Why | None = field(default=None, compare=False)


Placement: TypeAlias = frozenset[Possibility]

ANY: Placement = frozenset({Possibility(ANYWHERE)})
ON_HOST: Placement = frozenset({Possibility(HOST)})


class Answer(Enum):
    """The three answers of a comparison; only DIFFERENT can alarm."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


class Facts(Protocol):
    """What the whole file says about symbols; known when the interpretation has ended."""

    def expand(self, symbol: Symbol) -> Placement | None:
        """Return what the file proves the symbol to be, or None where it proves nothing."""

    def can_be_accelerator(self, symbol: Symbol) -> bool:
        """Tell whether something of the file puts the symbol on an accelerator."""

    def is_moved_inside(self, possibility: Possibility) -> bool:
        """Tell whether a value was handed to a module that moves what it is handed, so that it may be anywhere."""


class NoFacts:
    """Facts of a file that says nothing: what a join or a transfer may rely on."""

    def expand(self, symbol: Symbol) -> Placement | None:
        """Return the expansion that the symbol itself carries."""
        return symbol.expansion

    def can_be_accelerator(self, symbol: Symbol) -> bool:
        """Answer no: nothing is known."""
        return False

    def is_moved_inside(self, possibility: Possibility) -> bool:
        """Answer no: nothing is known."""
        return False


NO_FACTS = NoFacts()


@dataclass(frozen=True, slots=True)
class Clash:
    """Two possibilities that meet on different devices, and the condition under which they do."""

    left: Possibility
    right: Possibility
    condition: Condition


def ordered(placement: Placement) -> Sequence[Possibility]:
    """Return the possibilities in an order that is the same in every run; sets of text have none."""
    if len(placement) <= 1:
        return tuple(placement)
    return sorted(placement, key=lambda p: (str(p.device), sorted(p.condition)))


def on(device: Device, why: Why | None = None, condition: Condition = ALWAYS) -> Placement:
    """Return the placement that has one possibility."""
    return frozenset({Possibility(device, condition, why)})


def compatible(first: Condition, second: Condition) -> bool:
    """Tell whether both conditions can hold at once: no guard is true in one and false in the other."""
    if not first or not second:
        return True
    return not any((guard, not truth) in second for guard, truth in first)


def join(first: Placement, second: Placement) -> Placement:
    """Return what a value may be on that comes from either; possibilities are kept apart, never rounded.

    Commutative, associative and idempotent; `ANY` absorbs.
    """
    if first is second or first == second:
        return first
    union = first | second
    if len(union) > MAX_POSSIBILITIES or any(p.device == ANYWHERE and not p.condition for p in union):
        return ANY
    return union


def under(placement: Placement, condition: Condition) -> Placement:
    """Return the placement where the condition holds too; possibilities that contradict it are gone."""
    if not condition:
        return placement
    return frozenset(
        Possibility(p.device, p.condition | condition, p.why) for p in placement if compatible(p.condition, condition)
    )


def host_guard(key: int) -> str:
    """Return the guard that the symbol of a key stands for the host: what a test of a device tells."""
    return f"{key} is cpu"


def _told_host(device: Device, world: Condition) -> bool:
    """Tell whether a test said, in a world, that a symbol is the host or that no accelerator exists."""
    if not isinstance(device, Symbol):
        return False
    if (host_guard(device.key), True) in world:
        return True
    return (ACCELERATOR, False) in world and not any((guard, True) in world for guard in ACCELERATORS)


def _told_elsewhere(device: Device, world: Condition) -> bool:
    """Tell whether a test said, in a world, that a symbol is no host (`assert x.is_cuda`)."""
    return isinstance(device, Symbol) and device != ANYWHERE and (host_guard(device.key), False) in world


def _as_told(possibility: Possibility, world: Condition) -> Possibility:
    """Return a possibility under the name that a test gives its device."""
    device = possibility.device
    if not isinstance(device, Symbol) or not _told_elsewhere(device, world):
        return possibility
    return replace(possibility, device=replace(device, name="an accelerator"))


def _differ(first: Device, second: Device, facts: Facts, world: Condition) -> bool:
    """Tell whether two devices differ, by what they are or by what a test said of them."""
    if compare(first, second, facts) is Answer.DIFFERENT:
        return True
    return any(is_host(one) and _told_elsewhere(other, world) for one, other in ((first, second), (second, first)))


def host_guards(placement: Placement) -> frozenset[str]:
    """Return the guards that the symbols of a placement stand for the host; what is anywhere has none."""
    symbols = (p.device for p in placement if isinstance(p.device, Symbol) and p.device != ANYWHERE)
    return frozenset(host_guard(symbol.key) for symbol in symbols)


def without_index(placement: Placement) -> Placement:
    """Return the placement on devices of the same types, of which it is not said which one."""
    return frozenset(
        replace(p, device=Concrete(p.device.type)) if isinstance(p.device, Concrete) else p for p in placement
    )


def is_accelerator(device: Device) -> bool:
    """Tell whether the device is concretely an accelerator."""
    return isinstance(device, Concrete) and device.type not in {"cpu", "meta"}


def is_host(device: Device) -> bool:
    """Tell whether the device is concretely the host."""
    return isinstance(device, Concrete) and device.type == "cpu"


def compare(first: Device, second: Device, facts: Facts = NO_FACTS) -> Answer:
    """Compare two devices that have no expansion left; symmetric, and SAME for equal devices.

    Two whereabouts never differ from anything; a symbol differs from the host only where the file shows that
    it can be an accelerator; two symbols, or a symbol and an accelerator, are never known to differ.
    """
    if first == second:
        return Answer.UNKNOWN if first == ANYWHERE else Answer.SAME
    match first, second:
        case Concrete(), Concrete():
            if first.type != second.type:
                return Answer.UNKNOWN if "meta" in (first.type, second.type) else Answer.DIFFERENT
            if first.index is not None and second.index is not None:
                return Answer.DIFFERENT
            # An index that is missing is the current device, which is 0 until somebody changes it.
            return Answer.SAME if (first.index or 0) == (second.index or 0) else Answer.UNKNOWN
        case (Symbol() as symbol, Concrete() as concrete) | (Concrete() as concrete, Symbol() as symbol):
            if is_host(concrete) and symbol != ANYWHERE and facts.can_be_accelerator(symbol):
                return Answer.DIFFERENT
            return Answer.UNKNOWN
        case _:
            return Answer.UNKNOWN


def expanded(placement: Placement, facts: Facts, world: Condition = ALWAYS) -> Iterator[Possibility]:
    """Yield the possibilities with every symbol replaced by what it is known to be in a world."""
    for possibility in ordered(placement):
        device = possibility.device
        inner = facts.expand(device) if isinstance(device, Symbol) else None
        if inner is None or not isinstance(device, Symbol):
            yield replace(possibility, device=ANYWHERE) if facts.is_moved_inside(possibility) else possibility
            continue
        told = world | possibility.condition
        for deeper in expanded(under(inner, possibility.condition), facts, told):
            if (host_guard(device.key), not is_host(deeper.device)) not in told:
                yield Possibility(deeper.device, deeper.condition, possibility.why or deeper.why)


def world_of(possibility: Possibility) -> Condition:
    """Return the condition of a possibility and, of an accelerator, that this accelerator exists."""
    device = possibility.device
    if isinstance(device, Concrete) and is_accelerator(device):
        return possibility.condition | {(device.type, True)}
    return possibility.condition


def without_device(possibility: Possibility, world: Condition = ALWAYS) -> bool:
    """Tell whether a possibility needs a machine without an accelerator, in a world that does not say so."""
    return any(
        not truth and guard in ACCELERATORS and (guard, False) not in world for guard, truth in possibility.condition
    )


def _may_start(possibility: Possibility, ours: Iterable[Possibility], facts: Facts, world: Condition) -> bool:
    """Tell whether a clash may be shown from this side: an accelerator, or a host placement that is meant."""
    device = possibility.device
    if is_accelerator(device):
        return True
    if isinstance(device, Symbol):
        told = world | possibility.condition
        return _told_elsewhere(device, told) or (facts.can_be_accelerator(device) and not _told_host(device, told))
    meant = possibility.why is not None and possibility.why.firm and not _is_left(possibility, possibility.why, ours)
    return meant and not without_device(possibility)


def _is_left(host: Possibility, why: Why, ours: Iterable[Possibility]) -> bool:
    """Tell whether a value that stands in for None is on the host by a guard, whose other outcome puts it elsewhere."""
    if not why.fallback:
        return False
    flipped = {(guard, not truth) for guard, truth in host.condition if guard != why.fallback}
    return any(not is_host(p.device) and not flipped.isdisjoint(p.condition) for p in ours)


def _holding(possibilities: Iterable[Possibility], condition: Condition) -> list[Possibility]:
    """Return the possibilities that can hold where a condition does."""
    return [p for p in possibilities if compatible(world_of(p), condition) and not without_device(p, condition)]


def _one_sided(
    first: Placement, second: Placement, facts: Facts, world: Condition
) -> tuple[Possibility, Possibility, Condition] | None:
    ours, others = tuple(expanded(first, facts, world)), tuple(expanded(second, facts, world))
    for start in ours:
        condition = world_of(start) | world
        if not _may_start(start, ours, facts, world) or not compatible(world_of(start), world):
            continue
        partners = _holding(others, condition)
        # What else this side may be where the start holds: of two places it is not known in which one it is.
        rivals = (start, *(p for p in _holding(ours, condition) if p != start))
        if partners and all(
            _differ(rival.device, partner.device, facts, condition | partner.condition)
            and not _told_host(partner.device, condition | partner.condition)
            and not _under_a_switch(rival, partner, world)
            and not _under_a_switch(partner, rival, world)
            for rival in rivals
            for partner in partners
        ):
            needed = world_of(start) | world_of(partners[0])
            return _as_told(start, condition), _as_told(partners[0], condition), needed
    return None


def _under_a_switch(near: Possibility, far: Possibility, world: Condition) -> bool:
    """Tell whether a move to the host, under a switch, meets an owner: under that switch it may be on the host, too."""
    if near.why is None or near.why.role is not Role.MOVED_TO_HOST or not isinstance(far.device, Symbol):
        return False
    return far.device.kind is SymbolKind.OWNER and any(name not in ACCELERATORS for name, _ in near.condition - world)


def clash(left: Placement, right: Placement, facts: Facts = NO_FACTS, world: Condition = ALWAYS) -> Clash | None:
    """Return the clash of two placements in a world, or None.

    One possibility of one side, whose condition can hold, has partners on the other side that are compatible
    with it, and all of them are DIFFERENT from it, and from whatever else its own side may be under that condition.
    Symmetric but for the order of the two halves.
    """
    if ANY in (left, right) or left == right:
        return None
    if world:
        left = frozenset(p for p in left if compatible(p.condition, world))
        right = frozenset(p for p in right if compatible(p.condition, world))
    shared = {p.device for p in left} & {p.device for p in right}
    if shared and len(left) == 1 and len(right) == 1:
        return None
    # A symbol that stands on both sides is the same device whatever it expands to.
    if any(isinstance(device, Symbol) for device in shared) and _covered(left, shared) and _covered(right, shared):
        return None
    if found := _one_sided(left, right, facts, world):
        return Clash(found[0], found[1], found[2])
    if found := _one_sided(right, left, facts, world):
        return Clash(found[1], found[0], found[2])
    return None


def on_accelerator(placement: Placement, facts: Facts = NO_FACTS, world: Condition = ALWAYS) -> Possibility | None:
    """Return the possibility under which a value is on an accelerator and nothing else, or None."""
    possibilities = [p for p in expanded(placement, facts, world) if compatible(world_of(p), world)]
    for start in possibilities:
        condition = world_of(start) | world
        if not (is_accelerator(start.device) or _is_place(start.device, facts)) or _told_host(start.device, condition):
            continue
        rivals = [p for p in possibilities if compatible(world_of(p), condition) and not without_device(p, condition)]
        if not any(is_host(p.device) or p.device == ANYWHERE for p in rivals):
            return start
    return None


def on_host(placement: Placement, facts: Facts = NO_FACTS, world: Condition = ALWAYS) -> bool:
    """Tell whether a value is on the host whatever holds."""
    return all(is_host(p.device) for p in expanded(placement, facts, world))


def _is_place(device: Device, facts: Facts) -> bool:
    return isinstance(device, Symbol) and device != ANYWHERE and facts.can_be_accelerator(device)


def _covered(placement: Placement, shared: Iterable[Device]) -> bool:
    """Tell whether every possibility of the placement is one of the shared devices."""
    return all(p.device in shared for p in placement)
