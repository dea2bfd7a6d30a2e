"""Iterators whose elements are evaluated when something iterates them, in the scope that made them."""

from __future__ import annotations

from collections.abc import Callable

from torchdevlint.interpreter.run import Run
from torchdevlint.state import Items
from torchdevlint.values import Container


def later(run: Run, items: Callable[[], Items]) -> Container:
    """Return an iterator over what a function gives, which is called when the elements are asked for."""
    made = Container(run.new_key(), "iterator")
    scope = run.frame

    def begin() -> Items:
        outer, run.frame = run.frame, scope
        try:
            return items()
        finally:
            run.frame = outer

    run.deferred[made.key] = begin
    return made
