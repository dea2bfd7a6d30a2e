"""Events that one rule each asks for: something was given, put in or read where it has an effect of its own."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from torchdevlint.knowledge.rows import OptimizerType
from torchdevlint.lattice import Condition, Device, Placement


@dataclass(frozen=True, slots=True)
class HeldOptimizer:
    """An optimizer that holds parameters of a module at the time of an event.

    ``stepped`` is where the parameters were at its last step, None before the first; ``loaded`` is
    the call that loaded state into it; ``home`` are the devices where they were when it was built;
    ``late`` tells that they came in a further group, so that a constructor's state is not theirs.
    """

    key: int
    type: OptimizerType
    text: str
    node: cst.CSTNode
    stepped: Placement | None
    loaded: cst.CSTNode | None
    stateless: bool = False
    home: frozenset[Device] = frozenset()
    late: bool = False


@dataclass(frozen=True, slots=True)
class Replaced:
    """Parameters of a module (``owner``) were replaced while ``optimizers`` held the old ones.

    ``parts`` are the keys of the modules that came new, 0 for parameters; ``moment`` orders it with steps of
    optimizers and with what they take.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    optimizers: tuple[HeldOptimizer, ...]
    owner: int
    parts: frozenset[int]
    moment: int


@dataclass(frozen=True, slots=True)
class LoadPinned:
    """A checkpoint was read to a literal accelerator: ``node`` is the literal, or the function that sends it there."""

    node: cst.CSTNode
    world: Condition
    text: str
    device: str
    guarded: bool
