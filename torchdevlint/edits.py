"""Edits of a text, and whether they may change what a correct program computes."""

from __future__ import annotations

from enum import Enum

from torchdevlint.positions import Span
from torchdevlint.records import dataclass


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
