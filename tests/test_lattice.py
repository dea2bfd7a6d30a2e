"""The laws of the device lattice, as properties; and the guards, symbols and worlds that a clash must respect."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain

import libcst as cst
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from torchdevlint.lattice import (
    ALWAYS,
    ANY,
    ANYWHERE,
    HOST,
    MAX_POSSIBILITIES,
    ON_HOST,
    Answer,
    Concrete,
    Condition,
    Device,
    Placement,
    Possibility,
    Symbol,
    SymbolKind,
    clash,
    compare,
    compatible,
    is_accelerator,
    is_host,
    join,
    on,
    under,
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


# joins


@given(placements, placements)
def test_join_is_commutative(first: Placement, second: Placement) -> None:
    assert join(first, second) == join(second, first)


@given(placements, placements, placements)
def test_join_is_associative(first: Placement, second: Placement, third: Placement) -> None:
    assert join(join(first, second), third) == join(first, join(second, third))


@given(placements)
def test_join_is_idempotent(placement: Placement) -> None:
    assert join(placement, placement) == placement


@given(placements)
def test_any_absorbs(placement: Placement) -> None:
    assert join(placement, ANY) == join(ANY, placement) == ANY


@given(placements, placements)
def test_join_keeps_possibilities_apart_or_says_nothing(first: Placement, second: Placement) -> None:
    joined = join(first, second)
    assert joined in (first | second, ANY)
    assert len(joined) <= MAX_POSSIBILITIES


def test_more_than_fit_is_any() -> None:
    four = either((HOST, ALWAYS), (CUDA, ALWAYS), (MPS, ALWAYS), (PLACE, ALWAYS))
    assert join(four, on(HOST)) == four
    assert join(four, on(OTHER_PLACE)) == ANY


# conditions


@given(conditions, conditions)
def test_compatible_is_symmetric(first: Condition, second: Condition) -> None:
    assert compatible(first, second) == compatible(second, first)


@given(conditions)
def test_everything_is_compatible_with_itself_and_with_always(condition: Condition) -> None:
    assert compatible(condition, condition)
    assert compatible(condition, ALWAYS)


@given(conditions)
def test_nothing_is_compatible_with_its_denial(condition: Condition) -> None:
    assume(condition)
    assert not compatible(condition, frozenset((guard, not truth) for guard, truth in condition))


@given(placements, placements, conditions)
def test_under_distributes_over_join(first: Placement, second: Placement, condition: Condition) -> None:
    joined = join(first, second)
    assume(joined != ANY)
    assert under(joined, condition) == join(under(first, condition), under(second, condition))


@given(placements, conditions, conditions)
def test_under_twice_is_under_both(placement: Placement, first: Condition, second: Condition) -> None:
    assume(compatible(first, second))
    assert under(under(placement, first), second) == under(placement, first | second)


@given(placements, conditions)
def test_under_leaves_what_its_condition_allows(placement: Placement, condition: Condition) -> None:
    left = under(placement, condition)
    assert all(condition <= possibility.condition for possibility in left)
    assert {p.device for p in left} == {p.device for p in placement if compatible(p.condition, condition)}


def test_under_keeps_the_reason() -> None:
    (possibility,) = under(on(HOST, MEANT), when("g"))
    assert possibility.why is MEANT


def test_the_reason_takes_no_part_in_equality() -> None:
    assert on(HOST, MEANT) == on(HOST, MADE) == ON_HOST
    assert join(on(HOST, MEANT), on(HOST, MADE)) == ON_HOST


def test_the_name_and_the_expansion_take_no_part_in_equality() -> None:
    assert Symbol(5, SymbolKind.PLACE, "`d`") == CHOSEN


# comparison


@given(devices, devices, facts)
def test_compare_is_symmetric(first: Device, second: Device, known: Known) -> None:
    assert compare(first, second, known) is compare(second, first, known)


@given(devices, facts)
def test_a_device_is_the_same_as_itself(device: Device, known: Known) -> None:
    assert compare(device, device, known) is (Answer.UNKNOWN if device == ANYWHERE else Answer.SAME)


@given(devices, facts)
def test_an_unknown_device_differs_from_none(device: Device, known: Known) -> None:
    assert compare(ANYWHERE, device, known) is Answer.UNKNOWN


@given(devices, devices, facts, facts)
def test_more_evidence_only_turns_the_unknown_into_a_difference(
    first: Device, second: Device, known: Known, more: Known
) -> None:
    before = compare(first, second, known)
    after = compare(first, second, Known({*known.accelerators, *more.accelerators}))
    assert after is before or (before, after) == (Answer.UNKNOWN, Answer.DIFFERENT)


COMPARED: list[tuple[Device, Device, Answer]] = [
    (HOST, CUDA, Answer.DIFFERENT),
    (HOST, MPS, Answer.DIFFERENT),
    (CUDA, MPS, Answer.DIFFERENT),
    (CUDA_0, CUDA_1, Answer.DIFFERENT),
    (CUDA, CUDA_0, Answer.SAME),
    (CUDA, CUDA_1, Answer.UNKNOWN),
    (HOST, Concrete("cpu", 0), Answer.SAME),
    (HOST, META, Answer.UNKNOWN),
    (CUDA, META, Answer.UNKNOWN),
    (PLACE, OTHER_PLACE, Answer.UNKNOWN),
    (PLACE, CUDA, Answer.UNKNOWN),
    (PLACE, ELSEWHERE, Answer.UNKNOWN),
    (ELSEWHERE, BATCH, Answer.UNKNOWN),
]


@pytest.mark.parametrize(("first", "second", "answer"), COMPARED)
@pytest.mark.parametrize("known", [Known(), Known({PLACE, OTHER_PLACE})], ids=["no facts", "places"])
def test_compare(first: Device, second: Device, answer: Answer, known: Known) -> None:
    assert compare(first, second, known) is answer


def test_a_symbol_differs_from_the_host_where_it_can_be_an_accelerator() -> None:
    assert compare(PLACE, HOST) is Answer.UNKNOWN
    assert compare(PLACE, HOST, Known({PLACE})) is Answer.DIFFERENT
    assert compare(PLACE, HOST, Known({OTHER_PLACE})) is Answer.UNKNOWN
    assert compare(PLACE, META, Known({PLACE})) is Answer.UNKNOWN


def test_meta_and_the_host_are_no_accelerators() -> None:
    assert [is_accelerator(d) for d in (HOST, META, CUDA, MPS, Concrete("hpu"), PLACE)] == [
        False, False, True, True, True, False,
    ]  # fmt: skip
    assert [is_host(d) for d in (HOST, META, CUDA, PLACE)] == [True, False, False, False]


def test_devices_read_as_people_write_them() -> None:
    assert [str(d) for d in (HOST, CUDA, CUDA_1, PLACE)] == ["cpu", "cuda", "cuda:1", "`device`"]


# clashes


@given(placements, placements, facts, conditions)
def test_clash_is_symmetric(left: Placement, right: Placement, known: Known, world: Condition) -> None:
    assert (clash(left, right, known, world) is None) == (clash(right, left, known, world) is None)


@given(placements, facts, conditions)
def test_a_placement_does_not_clash_with_itself(placement: Placement, known: Known, world: Condition) -> None:
    assert clash(placement, placement, known, world) is None


@given(placements, facts, conditions)
def test_any_does_not_clash(placement: Placement, known: Known, world: Condition) -> None:
    assert clash(placement, ANY, known, world) is None


@rare
@given(placements, placements, facts, conditions)
def test_what_clashes_differs_and_can_be_at_once(
    left: Placement, right: Placement, known: Known, world: Condition
) -> None:
    found = clash(left, right, known, world)
    assume(found is not None)
    assert found is not None
    assert compare(found.left.device, found.right.device, known) is Answer.DIFFERENT
    assert compatible(found.left.condition, found.right.condition)
    assert compatible(found.condition, world)
    assert found.left.condition | found.right.condition <= found.condition
    assert clash(left, right, known, world | found.condition) is not None


@rare
@given(placements, placements, facts, facts, conditions)
def test_more_evidence_never_takes_a_clash_away(
    left: Placement, right: Placement, known: Known, more: Known, world: Condition
) -> None:
    assume(clash(left, right, known, world) is not None)
    both = Known({*known.accelerators, *more.accelerators}, known.expansions)
    assert clash(left, right, both, world) is not None


@given(placements, placements, facts, conditions)
def test_a_world_is_a_condition_of_both(left: Placement, right: Placement, known: Known, world: Condition) -> None:
    inside = clash(under(left, world), under(right, world), known)
    assert (clash(left, right, known, world) is None) == (inside is None)


@given(possibilities, placements, facts, conditions)
def test_a_partner_that_may_be_where_the_other_is_adds_no_clash(
    possibility: Possibility, partner: Placement, known: Known, world: Condition
) -> None:
    one = frozenset({possibility})
    assume(clash(one, partner, known, world) is None)
    assert clash(one, partner | one, known, world) is None


@rare
@given(placements, placements, facts, st.data())
def test_a_partner_that_is_always_somewhere_gains_no_clash_from_a_shared_possibility(
    left: Placement, partner: Placement, known: Known, data: st.DataObject
) -> None:
    assume(all(any(compatible(p.condition, q.condition) for q in partner) for p in left))
    # a device of which only the name is known has the conditions of its expansion, which nobody covers
    assume(not any(known.expand(p.device) for p in chain(left, partner) if isinstance(p.device, Symbol)))
    assume(clash(left, partner, known) is None)
    shared = data.draw(st.sampled_from(sorted(left, key=str)))
    assert clash(left, partner | {shared}, known) is None


def test_the_accelerator_and_the_host_clash() -> None:
    found = clash(on(CUDA), ON_HOST)
    assert found is not None
    assert (found.left.device, found.right.device) == (CUDA, HOST)
    assert found.condition == when("cuda")


def test_the_halves_keep_their_sides() -> None:
    found = clash(ON_HOST, on(CUDA))
    assert found is not None
    assert (found.left.device, found.right.device) == (HOST, CUDA)


MOVED = either((CUDA, when("g")), (HOST, when("not g")))
MOVED_OTHERWISE = either((CUDA, when("h")), (HOST, when("not h")))


def test_moved_under_the_same_guard() -> None:
    assert clash(MOVED, MOVED) is None


def test_only_one_moved_under_a_guard() -> None:
    found = clash(MOVED, ON_HOST)
    assert found is not None
    assert found.condition == when("g", "cuda")


def test_moved_under_unrelated_guards() -> None:
    assert clash(MOVED, MOVED_OTHERWISE) is None


def test_moved_under_opposite_guards() -> None:
    assert clash(MOVED, either((CUDA, when("not g")), (HOST, when("g")))) is not None


def test_a_value_that_exists_only_under_the_other_guard() -> None:
    assert clash(either((CUDA, when("g"))), either((HOST, when("not g")))) is None


def test_the_narrower_guard() -> None:
    narrower = either((CUDA, when("g", "h")), (HOST, when("not g")), (HOST, when("not h")))
    found = clash(MOVED, narrower)
    assert found is None  # `cuda if g` meets `cuda if g and h`: it may be the same device
    assert clash(MOVED, narrower, world=when("not h")) is not None


def test_a_guard_that_the_world_decides() -> None:
    assert clash(MOVED, ON_HOST, world=when("not g")) is None
    assert clash(MOVED, on(CUDA), world=when("not g")) is not None
    assert clash(MOVED, on(CUDA), world=when("g")) is None


def test_nothing_is_derived_from_a_missing_accelerator() -> None:
    assert clash(on(CUDA), ON_HOST, world=when("not cuda")) is None
    # `torch.cuda.is_available()` guards the move of one; the other is on the accelerator, so there is one
    available = either((CUDA, when("cuda")), (HOST, when("not cuda")))
    assert clash(available, on(CUDA)) is None
    assert clash(available, ON_HOST) is not None


def test_the_host_alone_starts_no_clash() -> None:
    sometimes = frozenset({Possibility(CUDA), Possibility(HOST, when("g"), MADE)})
    assert clash(sometimes, on(CUDA)) is None


@pytest.mark.parametrize(
    "why",
    [
        MEANT,
        Why(Role.UNREGISTERED_TENSOR, NODE, "plain attribute `self.mask`"),
        Why(Role.UNREGISTERED_MODULE, NODE, "kept in the plain list `self.layers`"),
        Why(Role.CREATED, NODE, "made by `torch.ones`", fallback=True),
    ],
)
def test_the_host_starts_a_clash_where_it_is_meant(why: Why) -> None:
    sometimes = frozenset({Possibility(CUDA, when("not g")), Possibility(HOST, when("g"), why)})
    found = clash(sometimes, on(CUDA))
    assert found is not None
    assert found.left.device == HOST


def test_what_may_be_in_two_places_at_once_shows_no_clash_with_what_is_in_one_of_them() -> None:
    either_of_two = frozenset({Possibility(CUDA), Possibility(HOST, ALWAYS, MEANT)})
    assert clash(either_of_two, on(CUDA)) is None
    assert clash(either_of_two, ON_HOST) is None
    assert clash(frozenset({Possibility(CUDA), Possibility(MPS)}), ON_HOST) is not None


def test_a_place_clashes_with_the_host_where_something_is_sent_there() -> None:
    assert clash(on(PLACE), ON_HOST) is None
    assert clash(on(PLACE), ON_HOST, Known({PLACE})) is not None
    assert clash(on(PLACE), on(OTHER_PLACE), Known({PLACE, OTHER_PLACE})) is None
    assert clash(on(PLACE), on(CUDA), Known({PLACE})) is None


def test_a_device_chosen_by_a_guard_is_what_it_expands_to() -> None:
    assert clash(on(CHOSEN), ON_HOST) is not None
    assert clash(on(CHOSEN), ON_HOST, world=when("not g")) is None
    assert clash(on(CHOSEN), MOVED) is None
    assert clash(on(CHOSEN), MOVED_OTHERWISE) is None
    assert clash(on(CHOSEN), on(CUDA)) is None
    assert clash(on(CHOSEN), on(CHOSEN)) is None


def test_a_device_under_two_names_is_one() -> None:
    unrelated = Symbol(6, SymbolKind.PLACE, "`d`", frozenset({Possibility(CUDA), Possibility(HOST, ALWAYS, MEANT)}))
    assert clash(on(unrelated), on(unrelated)) is None
    assert clash(either((unrelated, when("g"))), either((unrelated, ALWAYS))) is None


def test_a_batch_is_on_the_host_where_the_file_shows_it() -> None:
    assert clash(on(BATCH), on(CUDA)) is None
    assert clash(on(BATCH), on(CUDA), Known(expansions={BATCH: ON_HOST})) is not None
    guarded = Known(expansions={BATCH: either((HOST, when("g")))})
    assert clash(on(BATCH), on(CUDA), guarded) is not None
    assert clash(on(BATCH), on(CUDA), guarded, world=when("not g")) is None


def test_two_accelerators() -> None:
    assert clash(on(CUDA_0), on(CUDA_1)) is not None
    assert clash(on(CUDA), on(CUDA_0)) is None
    assert clash(on(CUDA), on(MPS)) is not None
