"""The same grammar drawn by hypothesis, which shrinks a program that is complained of for nothing to a small one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .comparing import Tally, compare
from .drawing import Dice
from .programs import program
from .sketch import Program


@st.composite
def programs(draw: Callable[..., Any]) -> Program:
    return program(Dice(lambda n: int(draw(st.integers(0, n - 1)))))


def check(examples: int) -> Tally:
    """Compare so many programs, the same each time; raises AssertionError with the smallest false alarm found."""
    tally = Tally()

    @settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def agree(one: Program) -> None:
        compared = next(compare([one]))
        tally.add(compared)
        assert not compared.false_alarm, compared.show()
        assert not compared.broken, compared.show()

    agree()
    return tally
