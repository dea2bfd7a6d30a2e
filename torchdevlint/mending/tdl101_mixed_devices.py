"""The odd operand moves to where the other one is."""

from __future__ import annotations

from torchdevlint.mending.edits import Safety
from torchdevlint.mending.meeting import odd_moved

__all__ = ["SAFETY", "mend"]

SAFETY = (Safety.SAFE,)
mend = odd_moved
