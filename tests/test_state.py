"""Layers of writes, joins of branches, and joins of values of every pair of kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst
import pytest

from torchdevlint.joins import MAX_OPTIONS, join, join_placements, join_tensors
from torchdevlint.lattice import ALWAYS, ANY, HOST, ON_HOST, Concrete, Condition, Placement, Possibility, on
from torchdevlint.state import (
    DEFAULT_DEVICE,
    ITEMS,
    LOST,
    OPTIMIZERS,
    PLACEMENT,
    STEPPED,
    Branch,
    Items,
    Store,
    as_placement,
)
from torchdevlint.values import (
    NONE,
    SCALAR,
    UNKNOWN,
    Choice,
    Const,
    Container,
    Device,
    Flag,
    Holder,
    Opaque,
    Parameters,
    Rank,
    Tensor,
    Value,
    options,
)
from torchdevlint.why import Role, Why

CUDA = Concrete("cuda")
ON_CUDA = on(CUDA)
G: Condition = frozenset({("g", True)})
NOT_G: Condition = frozenset({("g", False)})
H: Condition = frozenset({("h", True)})


def moved(condition: Condition = G, otherwise: Condition = NOT_G) -> Placement:
    return frozenset({Possibility(CUDA, condition), Possibility(HOST, otherwise)})


# layers


def test_the_newest_binding_counts() -> None:
    store = Store()
    store.set(1, "x", NONE)
    store.push()
    store.set(1, "x", UNKNOWN)
    assert store.get(1, "x") == UNKNOWN
    assert store.pop() == {(1, "x"): UNKNOWN}
    assert store.get(1, "x") == NONE


def test_what_was_never_bound_is_none() -> None:
    store = Store()
    store.set(1, "x", NONE)
    assert store.get(1, "y") is None
    assert store.get(2, "x") is None


@pytest.fixture
def layered() -> Store:
    """Return a store with two open layers over one binding."""
    store = Store()
    store.set(1, "a", Const(0))
    store.push()
    store.set(1, "b", Const(1))
    store.set(1, "c", Const(1))
    store.push()
    store.set(1, "c", Const(2))
    return store


def test_since_gathers_what_was_written_above_a_depth(layered: Store) -> None:
    assert layered.since(0) == {(1, "b"): Const(1), (1, "c"): Const(2)}
    assert layered.since(1) == {(1, "c"): Const(2)}
    assert layered.since(layered.depth) == {}


def test_taking_back_restores_what_a_layer_replaced(layered: Store) -> None:
    assert layered.pop() == {(1, "c"): Const(2)}
    assert layered.bindings == {(1, "a"): Const(0), (1, "b"): Const(1), (1, "c"): Const(1)}


def test_rolling_back_takes_every_layer_above_a_depth_back(layered: Store) -> None:
    layered.rollback(0)
    assert (layered.depth, layered.bindings) == (0, {(1, "a"): Const(0)})


def test_a_committed_layer_is_part_of_the_one_below(layered: Store) -> None:
    layered.set(1, "a", Const(3))
    layered.commit()
    assert layered.pop() == {(1, "a"): Const(3), (1, "b"): Const(1), (1, "c"): Const(2)}
    assert layered.bindings == {(1, "a"): Const(0)}


def test_a_committed_call_forgets_its_own_variables(layered: Store) -> None:
    layered.set(7, "x", NONE)
    layered.commit(local=7)
    assert layered.get(7, "x") is None
    assert layered.get(1, "c") == Const(2)


def test_what_was_looked_at_for_the_first_time_is_remembered(layered: Store) -> None:
    layered.remember(1, "d", NONE)
    layered.remember(1, "a", NONE)
    layered.rollback(0)
    assert layered.bindings == {(1, "a"): Const(0), (1, "d"): NONE}


def test_apply_writes_to_the_innermost_layer() -> None:
    store = Store()
    store.push()
    store.apply({(1, "x"): NONE})
    assert store.pop() == {(1, "x"): NONE}
    assert store.get(1, "x") is None


# branches


def run(before: object, *branches: tuple[object, Condition], name: str = "x", built: bool = False) -> object:
    """Return what a slot holds after a branching; a branch that does not write it is given as None."""
    store = Store(born={1} if built else set())
    if before is not None:
        store.set(1, name, before)
    store.merge([Branch({} if value is None else {(1, name): value}, condition) for value, condition in branches])
    return store.get(1, name)


def test_no_branch_changes_nothing() -> None:
    assert run(NONE) == NONE


def test_one_branch_was_taken() -> None:
    assert run(Tensor(ON_HOST), (Tensor(ON_CUDA), G)) == Tensor(ON_CUDA)


def test_both_ways_under_their_conditions() -> None:
    assert run(UNKNOWN, (Tensor(ON_CUDA), G), (Tensor(ON_HOST), NOT_G)) == Tensor(moved())


def test_a_way_that_writes_nothing_keeps_what_was() -> None:
    assert run(Tensor(ON_HOST), (Tensor(ON_CUDA), G), (None, NOT_G)) == Tensor(moved())


def test_the_same_on_both_ways_needs_no_condition() -> None:
    assert run(UNKNOWN, (Tensor(ON_CUDA), G), (Tensor(ON_CUDA), NOT_G)) == Tensor(ON_CUDA)


def test_three_ways() -> None:
    elif_ = NOT_G | H
    else_ = NOT_G | {("h", False)}
    joined = run(UNKNOWN, (Tensor(ON_CUDA), G), (Tensor(on(Concrete("mps"))), elif_), (Tensor(ON_HOST), else_))
    assert joined == Tensor(
        frozenset({Possibility(CUDA, G), Possibility(Concrete("mps"), elif_), Possibility(HOST, else_)})
    )


def test_a_name_bound_on_one_way_only_is_what_it_is_there() -> None:
    assert run(None, (Tensor(ON_CUDA), G), (None, NOT_G)) == Tensor(ON_CUDA)


def test_placements_of_modules_join_under_their_conditions() -> None:
    assert run(ON_HOST, (ON_CUDA, G), (None, NOT_G), name=PLACEMENT) == moved()


def test_a_module_of_which_nothing_is_known_on_one_way() -> None:
    joined = as_placement(run(None, (ON_CUDA, G), (None, NOT_G), name=PLACEMENT))
    assert {p.device for p in joined} == {CUDA, next(iter(ANY)).device}


def test_a_module_that_is_built_on_one_way_does_not_exist_on_the_other() -> None:
    assert run(None, (ON_CUDA, G), (None, NOT_G), name=PLACEMENT, built=True) == ON_CUDA


def test_the_default_device_is_the_host_until_it_is_set() -> None:
    assert run(None, (ON_CUDA, G), (None, NOT_G), name=DEFAULT_DEVICE) == moved()


def test_a_flag_that_each_branch_sets() -> None:
    assert run(UNKNOWN, (Const(True), G), (Const(False), NOT_G)) == Flag(G, NOT_G)
    assert run(UNKNOWN, (Const(False), G), (Const(True), NOT_G)) == Flag(NOT_G, G)


def test_optimizers_add_up() -> None:
    assert run(("a",), (("a", "b"), G), (("c",), NOT_G), name=OPTIMIZERS) == ("a", "b", "c")
    assert run(None, (("a",), G), (None, NOT_G), name=OPTIMIZERS) == ("a",)


@pytest.mark.parametrize("name", [STEPPED, LOST])
def test_marks_stay(name: str) -> None:
    assert run(False, (True, G), (None, NOT_G), name=name) is True
    assert run(None, (True, G), (None, NOT_G), name=name) is True


def test_elements_join_one_by_one() -> None:
    before = Items(((0, Tensor(ON_HOST)), (1, Const(1))))
    inside = Items(((0, Tensor(ON_CUDA)), (1, Const(1))))
    assert run(before, (inside, G), (None, NOT_G), name=ITEMS) == Items(((0, Tensor(moved())), (1, Const(1))))


# joins of values

VALUES: list[Value] = [
    UNKNOWN,
    NONE,
    Const(1),
    Const("cuda"),
    Flag(G, NOT_G),
    Tensor(ON_CUDA, (1, 1)),
    Tensor(ON_HOST),
    Opaque(7, "x"),
    Opaque(7, "x", ON_HOST),
    Opaque(8, "y"),
    Device(ON_CUDA),
    Device(ON_HOST),
    Container(9, "list"),
    Parameters(Opaque(8, "y")),
    Choice(((NONE, G), (Const(1), NOT_G))),
]


def same(first: Value, second: Value) -> bool:
    if isinstance(first, Choice) and isinstance(second, Choice):
        return set(first.options) == set(second.options)
    return first == second


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_join_is_idempotent(value: Value) -> None:
    assert join(value, value, G, NOT_G) == value


@pytest.mark.parametrize("second", VALUES, ids=repr)
@pytest.mark.parametrize("first", VALUES, ids=repr)
def test_join_is_symmetric(first: Value, second: Value) -> None:
    assert same(join(first, second, G, NOT_G), join(second, first, NOT_G, G))


@pytest.mark.parametrize("value", [value for value in VALUES if not isinstance(value, Tensor)], ids=repr)
def test_unknown_absorbs(value: Value) -> None:
    assert join(UNKNOWN, value, G, NOT_G) == UNKNOWN


def test_a_tensor_that_is_unknown_on_the_other_way_may_be_anywhere() -> None:
    joined = join(Tensor(ON_CUDA, (2, 2)), UNKNOWN, G, NOT_G)
    assert joined == Tensor(ANY)


def test_a_tensor_and_an_object_of_unknown_kind_are_a_tensor() -> None:
    joined = join(Tensor(ON_CUDA, (2, 2)), Opaque(7, "x", ON_HOST), G, NOT_G)
    assert joined == Tensor(moved())


def test_devices_join_as_placements() -> None:
    assert join(Device(ON_CUDA), Device(ON_HOST), G, NOT_G) == Device(moved())


def test_one_object_moved_on_one_way() -> None:
    assert join(Opaque(7, "x", ON_CUDA), Opaque(7, "x", ON_HOST), G, NOT_G) == Opaque(7, "x", moved())


def test_values_of_different_kinds_are_kept_apart() -> None:
    joined = join(NONE, Tensor(ON_CUDA), G, NOT_G)
    assert joined == Choice(((NONE, G), (Tensor(ON_CUDA), NOT_G)))
    assert options(joined) == ((NONE, G), (Tensor(ON_CUDA), NOT_G))
    assert options(NONE) == ((NONE, ALWAYS),)


def test_a_value_that_two_ways_share_has_what_their_conditions_share() -> None:
    joined = join(join(NONE, Const(1), G | H, NOT_G | H), NONE, ALWAYS, G)
    assert joined == Choice(((NONE, G), (Const(1), NOT_G | H)))


def test_too_many_kinds_are_unknown() -> None:
    joined: Value = Const(0)
    for number in range(1, MAX_OPTIONS):
        joined = join(joined, Const(number))
    assert isinstance(joined, Choice)
    assert len(joined.options) == MAX_OPTIONS
    assert join(joined, Const("another")) == UNKNOWN


# joins of tensors


def joined_ranks(first: Rank, second: Rank) -> Rank:
    return join_tensors(Tensor(rank=first), Tensor(rank=second)).rank


def test_a_rank_is_the_interval_that_holds_both() -> None:
    assert joined_ranks((1, 1), (3, 3)) == (1, 3)
    assert joined_ranks((0, 0), (2, None)) == (0, None)


@pytest.mark.parametrize(
    ("first", "second", "graph"),
    [(True, False, True), (True, None, True), (False, None, None), (False, False, False), (None, None, None)],
)
def test_a_graph_that_one_way_builds_may_be_there(first: bool | None, second: bool | None, graph: bool | None) -> None:
    assert join_tensors(Tensor(graph=first), Tensor(graph=second)).graph is graph
    assert join_tensors(Tensor(graph=second), Tensor(graph=first)).graph is graph


TRAITS: list[tuple[str, Any, Any, Any]] = [
    ("held", Holder.BUFFER, Holder.BUFFER, Holder.BUFFER),
    ("held", Holder.BUFFER, Holder.NONE, Holder.NONE),
    ("leaf", True, True, True),
    ("leaf", True, False, False),
    ("tallies", frozenset({5}), frozenset({6}), frozenset({5, 6})),
    ("number", True, False, True),
]


@pytest.mark.parametrize(("trait", "first", "second", "expected"), TRAITS)
def test_traits(trait: str, first: object, second: object, expected: object) -> None:
    make: Callable[..., Tensor] = Tensor
    for one, other in ((first, second), (second, first)):
        joined = join_tensors(make(**{trait: one}), make(**{trait: other}))
        assert getattr(joined, trait) == expected


def test_placements_share_what_both_ways_have() -> None:
    both = on(HOST, condition=H) | on(CUDA, condition=frozenset({("h", False)}))
    assert join_placements(both, G, on(HOST, condition=H), NOT_G) == on(HOST, condition=H) | on(
        CUDA, condition=G | {("h", False)}
    )


# elements


def test_elements_by_key() -> None:
    items = Items((("x", Const(1)), (0, Const(2))), rest=Const(3))
    assert items.get("x") == Const(1)
    assert items.get(0) == Const(2)
    assert items.get("y") is None


def test_any_element() -> None:
    assert Items().any() is None
    assert Items(((0, Tensor(ON_HOST)), (1, Tensor(ON_CUDA)))).any() == Tensor(ON_HOST | ON_CUDA)
    assert Items(((0, Tensor(ON_HOST)),), rest=Tensor(ON_CUDA)).any() == Tensor(ON_HOST | ON_CUDA)
    assert Items(((0, Tensor(ON_HOST)),), lost=True).any() == UNKNOWN


def test_an_element_that_one_way_added() -> None:
    shorter, longer = Items(((0, Const(1)),)), Items(((0, Const(1)), (1, Const(2))))
    assert shorter.join(longer, G, NOT_G).get(0) == Const(1)
    assert shorter.join(longer, G, NOT_G) == longer.join(shorter, NOT_G, G)


def test_what_code_that_cannot_be_seen_had_on_one_way_is_lost() -> None:
    items = Items(((0, Const(1)),))
    assert items.join(items, G, NOT_G) is items
    assert items.join(Items(((0, Const(1)),), lost=True), G, NOT_G).lost


def test_the_rest_of_both_ways() -> None:
    assert Items(rest=Tensor(ON_CUDA)).join(Items(rest=Tensor(ON_HOST)), G, NOT_G).rest == Tensor(moved())
    assert Items().join(Items(rest=Const(1)), G, NOT_G).rest == Const(1)


def test_a_host_scalar_that_becomes_something_else_is_a_start_value() -> None:
    why = Why(Role.UNREGISTERED_TENSOR, cst.Name("start"), "a plain attribute")
    start = Tensor(on(HOST, why), SCALAR)
    (kept,) = join_tensors(start, Tensor(ON_HOST, SCALAR)).placement
    assert kept.why is why
    joined = join_tensors(start, Tensor(on(Concrete("cuda")), (1, None)))
    assert {str(p.device): p.why for p in joined.placement} == {"cpu": None, "cuda": None}
