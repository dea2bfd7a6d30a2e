"""Records behave as dataclasses do, but for the assignments that only the type checker refuses."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from torchdevlint.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A record of each kind of field."""

    x: int
    y: int = 2
    name: str = field(default="", compare=False)
    seen: list[int] = field(default_factory=list, compare=False)
    total: int = field(init=False, default=0, compare=False)
    parts: list[int] = field(init=False, default_factory=list, compare=False)
    late: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "late", self.x + self.y)


@dataclass(slots=True)
class Counter:
    count: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    text: str


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


def test_fields_have_their_values() -> None:
    point = Point(1, seen=[3])
    assert (point.x, point.y, point.name, point.seen, point.total, point.parts, point.late) == (1, 2, "", [3], 0, [], 3)
    assert Point(1).seen is not Point(1).seen
    assert repr(Counter(4)) == "Counter(count=4)"
    with pytest.raises(TypeError, match="'x'"):
        Point()  # type: ignore[call-arg]


def test_equality_and_hash_are_of_the_fields_that_count() -> None:
    point = Point(1)
    assert point == point  # noqa: PLR0124
    assert point == Point(1, name="other")
    assert hash(point) == hash(Point(1, 2, "other"))
    assert point != Point(2)
    assert point != Counter(1)
    assert Nothing() == Nothing()
    assert Step("a") != Step("a")
    assert len({Step("a"), Step("a")}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Counter())


def test_a_changed_copy() -> None:
    assert replace(Point(1, name="a"), y=5) == Point(1, 5)
    assert replace(Point(1, name="a"), y=5).late == 6
    with pytest.raises(TypeError, match="'z'"):
        replace(Point(1), z=0)  # type: ignore[call-arg]
    assert replace(Step("a"), text="b").text == "b"
    with pytest.raises(TypeError, match="Counter has no field z"):
        replace(Counter(1), z=0)  # type: ignore[call-arg]


def test_the_standard_library_takes_them_for_its_own() -> None:
    assert [one.name for one in dataclasses.fields(Point)][:2] == ["x", "y"]
    assert dataclasses.replace(Counter(1), count=2) == Counter(2)
    match Point(1):
        case Point(x, y):
            assert (x, y) == (1, 2)
    assert pickle.loads(pickle.dumps(Counter(7))) == Counter(7)  # noqa: S301 (our own)


def test_there_are_slots() -> None:
    with pytest.raises(AttributeError):
        Counter().other = 1  # type: ignore[attr-defined]
