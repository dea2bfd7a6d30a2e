"""Room to recurse: code written by programs nests more deeply than Python's default limit foresees."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# a chain of a thousand `elif` is a thousand nodes deep, at a few frames each; more than this would
# overrun the stack of the operating system on the Pythons whose frames live there
_LIMIT = 10_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow deep recursion, where the code that recurses is not ours to change."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
