"""Room to run: depth for code written by programs, and no garbage collection over a tree that is all alive."""

from __future__ import annotations

import gc
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


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold the garbage collector back: it would walk the whole syntax tree again and again and find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
