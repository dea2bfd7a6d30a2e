"""Choices of the grammar: one interface over seeded random numbers and over hypothesis, which shrinks.

Of the options of a choice, the first is the simplest: a shrunk program takes the first of everything.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Draws numbers from a source, and choices by them."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self.below = below

    def one_of(self, *options: T) -> T:
        return options[self.below(len(options))] if len(options) > 1 else options[0]

    def weighted(self, *options: tuple[int, T]) -> T:
        drawn = self.below(sum(weight for weight, _ in options))
        for weight, option in options:
            drawn -= weight
            if drawn < 0:
                return option
        raise AssertionError("a number below the sum of the weights")

    def chance(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent

    def some_of(self, options: Sequence[T], most: int) -> list[T]:
        """Return at most so many different options, in an order of their own."""
        rest = list(options)
        return [rest.pop(self.below(len(rest))) for _ in range(min(self.below(most + 1), len(rest)))]


def seeded(seed: object) -> Dice:
    return Dice(random.Random(str(seed)).randrange)  # noqa: S311 (programs are no secret)
