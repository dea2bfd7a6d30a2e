"""What costs time or memory though nothing fails: the events that rules of advice judge, and what they ask the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from torchdevlint.lattice import Condition, Placement


@dataclass(frozen=True, slots=True)
class Counted:
    """At every step of a loop over batches the host waited for a tensor, only to add it to ``total``.

    ``before`` is where the tensor was.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    total: str
    before: Placement
    loop: cst.CSTNode


CostEvent: TypeAlias = Counted


@dataclass(slots=True)
class Costs:
    """Evidence of a whole file, by loop.

    ``stepping`` are the loops that call a module themselves, ``waits`` the reads for which a loop waits at every pass,
    ``counted`` those of them that are only added up.
    """

    stepping: set[cst.CSTNode] = field(default_factory=set)
    waits: dict[cst.CSTNode, set[cst.CSTNode]] = field(default_factory=dict)
    counted: set[cst.CSTNode] = field(default_factory=set)

    def waits_for_more(self, loop: cst.CSTNode) -> bool:
        """Tell whether a loop waits for the accelerator anyway, for something that is not only added up."""
        return not self.waits.get(loop, set()) <= self.counted
