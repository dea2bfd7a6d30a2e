"""The laws of the device lattice, as properties: joins, conditions, comparisons of two devices."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from lattice_values import (
    BATCH,
    CHOSEN,
    CUDA,
    CUDA_0,
    CUDA_1,
    ELSEWHERE,
    MADE,
    MEANT,
    META,
    MPS,
    OTHER_PLACE,
    PLACE,
    Known,
    conditions,
    devices,
    either,
    facts,
    placements,
    when,
)

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
    Symbol,
    SymbolKind,
    compare,
    compatible,
    is_accelerator,
    is_host,
    join,
    on,
    under,
)

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
