"""A list of names written as text."""

from __future__ import annotations


def words(text: str) -> list[str]:
    """Return the names that stand in a text, separated by white space."""
    return text.split()
