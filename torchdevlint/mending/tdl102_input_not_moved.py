"""The input moves to where the module is."""

from __future__ import annotations

from torchdevlint.mending.edits import Safety
from torchdevlint.mending.meeting import input_moved

__all__ = ["SAFETY", "mend"]

SAFETY = (Safety.SAFE,)
mend = input_moved
