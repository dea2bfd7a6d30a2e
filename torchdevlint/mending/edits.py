"""Edits as fixes make them: before a stretch, after it, and together."""

from __future__ import annotations

from torchdevlint.edits import Edit, Repair, Safety
from torchdevlint.positions import Span

__all__ = ["Edit", "Repair", "Safety", "after", "before", "safe", "unsafe"]


def safe(*edits: Edit) -> Repair:
    """Return a repair that changes nothing of what a correct program computes."""
    return Repair(Safety.SAFE, edits)


def unsafe(*edits: Edit) -> Repair:
    """Return a repair that may do so."""
    return Repair(Safety.UNSAFE, edits)


def before(span: Span, text: str) -> Edit:
    """Return the edit that writes a text before a stretch."""
    return Edit(Span(span.line, span.column, span.line, span.column), text)


def after(span: Span, text: str) -> Edit:
    """Return the edit that writes a text after a stretch."""
    return Edit(Span(span.end_line, span.end_column, span.end_line, span.end_column), text)
