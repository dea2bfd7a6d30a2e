"""Events that one rule each asks for: something was given, put in or read where it has an effect of its own."""

from __future__ import annotations

from typing import TypeAlias

import libcst as cst

from torchdevlint.knowledge.rows import OptimizerType
from torchdevlint.lattice import ALWAYS, Condition, Device, Placement
from torchdevlint.records import dataclass
from torchdevlint.why import Why


@dataclass(frozen=True, slots=True)
class Reliance:
    """What is known of a place that needs an accelerator.

    ``guarded`` tells that something asks for one before, ``trial`` that only the block under the main guard runs it;
    ``scope`` is the function or class in which it stands, None outside of them; ``proof`` is the key of an opaque value
    that a class is defined with, which must be proven to have tensors, or 0.
    """

    guarded: bool
    trial: bool
    scope: cst.CSTNode | None
    proof: int


@dataclass(frozen=True, slots=True)
class HeldOptimizer:
    """An optimizer that holds parameters of a module at the time of an event.

    ``stepped`` is where the parameters were at its last step, None before the first; ``loaded`` is
    the call that loaded state into it; ``home`` are the devices where they were when it was built;
    ``late`` tells that they came in a further group, so that a constructor's state is not theirs; ``apart`` that the
    event is in another function or class than the one that built it. It holds them under a ``condition``.
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
    scope: cst.CSTNode | None = None
    apart: bool = False
    condition: Condition = ALWAYS


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


@dataclass(frozen=True, slots=True)
class Keys:
    """What the keys of a state dict begin with: the ``prefix`` of a wrapper, or none, where that is ``certain``.

    ``of`` is the key of the module without its wrapper, ``state`` that of the state dict, ``node`` the call that gave
    it.
    """

    prefix: str
    certain: bool
    of: int
    state: int
    node: cst.CSTNode | None


Entry: TypeAlias = tuple[tuple[object, ...], Keys, Condition]
"""A state dict in a file: the keys under which it stands, its own, and the condition under which it was written."""


@dataclass(frozen=True, slots=True)
class StateLoaded:
    """A state dict was loaded into a module that wants keys of its own.

    It is one of ``given``, or what stands under ``path`` in ``file``. ``values`` are the keys of the values that it is
    or came from, which something may have changed.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    wanted: Keys
    given: tuple[tuple[Keys, Condition], ...]
    file: str
    path: tuple[object, ...]
    values: frozenset[int]


@dataclass(frozen=True, slots=True)
class NoMove:
    """Something was asked to move that cannot, or not so: ``why`` says it of ``text``.

    ``proof`` is the key of an opaque value that must be proven a tensor or module, 0 where nothing is to be proven.
    ``named`` tells that only the name of an argument is wrong; ``stays`` is why a tensor is where it stays.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    why: str
    proof: int
    named: bool = False
    stays: Why | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """A tensor was given to a collective (`all_reduce`) of the default process group."""

    node: cst.CSTNode
    world: Condition
    text: str
    tensor: str
    placement: Placement


@dataclass(frozen=True, slots=True)
class CastElsewhere:
    """A module was called in a block that casts what runs at a ``place``; ``node`` is the call that began the block."""

    node: cst.CSTNode
    world: Condition
    text: str
    state: Placement
    place: Placement


@dataclass(frozen=True, slots=True)
class DeviceObjectGiven:
    """An object that stands for a device was ``given`` where only its type, a text, is taken.

    ``proof`` is that of an `Operand`.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    device: str
    proof: int
    given: cst.CSTNode


@dataclass(frozen=True, slots=True)
class DeviceCompared:
    """A device was compared with what it never equals; ``proof`` is that of an `Operand`.

    ``sides`` are the expressions of the device and of what it was compared with.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    other: str
    equal: bool
    why: str
    proof: int
    sides: tuple[cst.CSTNode, cst.CSTNode]
