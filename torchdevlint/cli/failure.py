"""How a command says that it cannot do its work."""

from __future__ import annotations


class Failure(Exception):
    """The reason, one sentence; the exit status is 2."""
