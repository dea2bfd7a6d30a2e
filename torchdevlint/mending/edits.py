"""Edits of a text, and whether they may change what a correct program computes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from torchdevlint.positions import Span


class Safety(Enum):
    """Whether a fix may change what a correct program computes."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of source and what stands there instead; an empty stretch is an insertion."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Repair:
    """What mends a finding: edits of the text, all of them or none."""

    safety: Safety
    edits: tuple[Edit, ...]


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
