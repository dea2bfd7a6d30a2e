"""When two placements clash: laws, as properties, and the guards, symbols and worlds that a clash must respect."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lattice_values import (
    BATCH,
    CHOSEN,
    CUDA,
    CUDA_0,
    CUDA_1,
    MADE,
    MEANT,
    MPS,
    NODE,
    OTHER_PLACE,
    PLACE,
    Known,
    conditions,
    either,
    facts,
    placements,
    possibilities,
    rare,
    when,
)

from torchdevlint.lattice import (
    ALWAYS,
    ANY,
    HOST,
    ON_HOST,
    Answer,
    Condition,
    Placement,
    Possibility,
    Symbol,
    SymbolKind,
    clash,
    compare,
    compatible,
    on,
    under,
)
from torchdevlint.why import Role, Why


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


def test_what_a_switch_leaves_on_the_host_starts_no_clash() -> None:
    made = Why(Role.CREATED, NODE, "made by `torch.ones`", fallback="none")
    left = Possibility(HOST, when("none", "not g"), made)
    assert clash(frozenset({left, Possibility(CUDA, when("none", "g"))}), on(CUDA)) is None
    assert clash(frozenset({left, Possibility(HOST, when("none", "g"), made)}), on(CUDA)) is not None
    assert clash(frozenset({left, Possibility(CUDA, when("not none"))}), on(CUDA)) is not None


@pytest.mark.parametrize(
    "why",
    [
        MEANT,
        Why(Role.UNREGISTERED_TENSOR, NODE, "plain attribute `self.mask`"),
        Why(Role.UNREGISTERED_MODULE, NODE, "kept in the plain list `self.layers`"),
        Why(Role.CREATED, NODE, "made by `torch.ones`", fallback="g"),
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
