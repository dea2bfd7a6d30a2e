"""What the interpreter saw of several devices and processes: events of wrappers, ranks and loaders."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from torchdevlint.lattice import Condition, Placement


@dataclass(frozen=True, slots=True)
class Replicated:
    """A wrapper needs a module on a device, ``home``, and a tensor of it is where ``state`` says.

    ``wrapped`` is the call that made the wrapper where it is called later, None where it was just made.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    kind: str
    state: Placement
    home: Placement
    wrapped: cst.CSTNode | None


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
