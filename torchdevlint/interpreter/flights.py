"""Copies to the host that nothing waits for, until something reads them."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from torchdevlint.lattice import Placement


@dataclass(frozen=True, slots=True)
class Flight:
    """A copy to the host that nothing waits for: the call, where it came from, and the waits before it."""

    node: cst.CSTNode
    before: Placement
    waits: int
