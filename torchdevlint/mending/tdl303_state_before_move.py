"""The module moves before the optimizer is built."""

from __future__ import annotations

from torchdevlint.mending.edits import Safety
from torchdevlint.mending.order import move_first

__all__ = ["SAFETY", "mend"]

SAFETY = (Safety.SAFE,)
mend = move_first
