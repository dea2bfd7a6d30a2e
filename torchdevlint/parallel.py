"""What the interpreter saw of several devices and processes: events of wrappers, ranks and loaders."""

from __future__ import annotations

import libcst as cst

from torchdevlint.lattice import Condition, Placement, Possibility
from torchdevlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Replicated:
    """A wrapper needs a module on a device, ``home``, and a tensor of it is where ``state`` says.

    ``wrapped`` is the call that made the wrapper where it is called later, None where it was just made; ``devices`` is
    the number of devices that it was told, where that is too many.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    kind: str
    state: Placement
    home: Placement
    wrapped: cst.CSTNode | None
    devices: int = 1


@dataclass(frozen=True, slots=True)
class WrapperAsked:
    """A wrapper was asked for an attribute that it does not have: ``wrapped`` is the call that made it.

    ``kind`` names the wrapper; ``guards`` are those that were added since it was made. ``owners`` are those of
    `AttributeMissed`.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    name: str
    kind: str
    owners: frozenset[int]
    wrapped: cst.CSTNode
    guards: Condition


@dataclass(frozen=True, slots=True)
class Fed:
    """A module that runs in several processes was called in a loop, on what a loader of a whole dataset yields.

    ``node`` is the call that made the loader, ``data`` what that is made of, ``wrapped`` the call that made the
    wrapper. `FileFacts.divided` tells whether each process has a part of its own.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    loop: cst.For | cst.While
    data: tuple[cst.CSTNode, ...]
    wrapped: cst.CSTNode


@dataclass(frozen=True, slots=True)
class PlacedAlike:
    """A module was put on a device that is the same in every process of a group, joined at ``joined``.

    ``proof`` is the key of an opaque value that must be proven a module.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    place: Possibility
    joined: cst.CSTNode
    proof: int


@dataclass(frozen=True, slots=True)
class Unsynchronised:
    """A module whose layers were made to exchange statistics between processes, at ``converted``, runs in one.

    ``replicas`` tells that it was given to a wrapper that replicates it, else it was called without a group.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    converted: cst.CSTNode
    replicas: bool


@dataclass(frozen=True, slots=True)
class BackwardOfMany:
    """A backward pass ran on the scalars of several replicas, which the call ``gathered`` of ``wrapper`` gave."""

    node: cst.CSTNode
    world: Condition
    text: str
    wrapper: str
    gathered: cst.CSTNode


@dataclass(frozen=True, slots=True)
class DeviceKept:
    """An object keeps the device that a module told of itself while it was built, or a tensor that was made there.

    ``kept`` is the attribute, ``what`` says how it keeps it.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    kept: str
    what: str
