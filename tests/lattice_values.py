"""Devices, conditions and placements for tests of the device lattice: some by name, and strategies for any."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce

import libcst as cst
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from torchdevlint.lattice import (
    ANYWHERE,
    HOST,
    MAX_POSSIBILITIES,
    ON_HOST,
    Concrete,
    Condition,
    Device,
    Placement,
    Possibility,
    Symbol,
    SymbolKind,
    join,
)
from torchdevlint.why import Role, Why

CUDA = Concrete("cuda")
CUDA_0 = Concrete("cuda", 0)
CUDA_1 = Concrete("cuda", 1)
MPS = Concrete("mps")
META = Concrete("meta")

NODE = cst.Name("x")
MEANT = Why(Role.MOVED_TO_HOST, NODE, "moved by `.cpu`")
MADE = Why(Role.CREATED, NODE, "made by `torch.ones`")

PLACE = Symbol(1, SymbolKind.PLACE, "`device`")
OTHER_PLACE = Symbol(2, SymbolKind.PLACE, "`args.device`")
ELSEWHERE = Symbol(3, SymbolKind.WHEREABOUTS, "the device of `x`")
BATCH = Symbol(4, SymbolKind.BATCH, "where `loader` yields")


def when(*guards: str) -> Condition:
    """Return the condition that guards hold, or, with `not `, that they do not."""
    return frozenset((guard.removeprefix("not "), not guard.startswith("not ")) for guard in guards)


def either(*possibilities: tuple[Device, Condition]) -> Placement:
    return frozenset(Possibility(device, condition) for device, condition in possibilities)


CHOSEN = Symbol(5, SymbolKind.PLACE, "`device`", either((CUDA, when("g")), (HOST, when("not g"))))


@dataclass(frozen=True)
class Known:
    """Facts as a test states them."""

    accelerators: Collection[Device] = ()
    expansions: Mapping[Device, Placement] = field(default_factory=dict)

    def expand(self, symbol: Symbol) -> Placement | None:
        return self.expansions.get(symbol, symbol.expansion)

    def can_be_accelerator(self, symbol: Symbol) -> bool:
        return symbol in self.accelerators

    def is_moved_inside(self, possibility: Possibility) -> bool:
        return False


SYMBOLS = (PLACE, OTHER_PLACE, ELSEWHERE, BATCH, CHOSEN)
GUARDS = ("g", "h", "k")

devices = st.sampled_from([HOST, CUDA, CUDA_0, CUDA_1, MPS, META, ANYWHERE, *SYMBOLS])
conditions = st.dictionaries(st.sampled_from(GUARDS), st.booleans(), max_size=2).map(lambda d: frozenset(d.items()))
possibilities = st.builds(Possibility, devices, conditions, st.sampled_from([None, MADE, MEANT]))
# what joins make: never more than fits, and Any alone once it is in
placements = st.lists(possibilities.map(lambda p: frozenset({p})), min_size=1, max_size=MAX_POSSIBILITIES).map(
    lambda parts: reduce(join, parts)
)
facts = st.builds(
    Known, st.frozensets(st.sampled_from(SYMBOLS)), st.dictionaries(st.sampled_from([BATCH]), st.just(ON_HOST))
)


# for laws about clashes, which few of the random placements have
rare = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
