"""What costs time or memory though nothing fails: the events that rules of advice judge, and what they ask the file."""

from __future__ import annotations

from typing import TypeAlias

import libcst as cst

from torchdevlint.lattice import Condition, Placement
from torchdevlint.records import dataclass, field


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


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A module in evaluation mode was called in a loop over batches, and built a graph.

    ``frame`` is the key of the running function, ``loops`` are those that run, the innermost last. ``rooted`` tells
    that the script itself came here, and not somebody who is not seen.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    frame: int
    loops: tuple[cst.CSTNode, ...]
    rooted: bool


@dataclass(frozen=True, slots=True)
class MadeElsewhere:
    """A factory (the call ``made``) made a tensor on the host that was moved in the same expression, to ``after``."""

    node: cst.CSTNode
    world: Condition
    text: str
    after: Placement
    made: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Gathered:
    """A loop over batches adds a tensor (``text``), at ``place``, to a list that outlives it; ``key`` is the list's.

    ``whole`` tells that it is all that a module gave, and nothing smaller that was made of it.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    total: str
    key: int
    graph: bool
    whole: bool
    place: Placement


@dataclass(frozen=True, slots=True)
class Renamed:
    """A name was used (``text``) that is called otherwise ``now`` and is about to go.

    ``tested`` tells whether a condition or a handler of exceptions stands before it, which may be for the version.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    now: str
    tested: bool


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """Something was asked for CUDA, unguarded, that warns and switches itself off without it."""

    node: cst.CSTNode
    world: Condition
    text: str


@dataclass(frozen=True, slots=True)
class LoaderBuilt:
    """A loader was built; what becomes of its batches stands in the facts, under ``key``.

    ``workers`` is their number, None where it is not known, ``alone`` tells that nothing was said about it. ``pins`` is
    None where that is decided elsewhere. ``reads`` is where an item of it is read from a file.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    key: int
    workers: int | None
    alone: bool
    pins: bool | None
    reads: cst.CSTNode | None


@dataclass(frozen=True, slots=True)
class BatchMoved:
    """A part of a batch was moved as it came out of a loader; ``waits`` tells that the host waits for the copy."""

    node: cst.CSTNode
    world: Condition
    text: str
    loader: int
    before: Placement
    after: Placement
    waits: bool


@dataclass(frozen=True, slots=True)
class SampleMoved:
    """A part of one sample was moved while a loader (``loader``) put a batch together."""

    node: cst.CSTNode
    world: Condition
    text: str
    before: Placement
    after: Placement
    loader: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Timed:
    """A clock was read (``node``) when nothing had waited for ``launch``, whose time was to be taken, at ``place``.

    ``loop`` is the one in which the clock was read first, if any.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    launch: cst.CSTNode
    place: Placement
    loop: cst.CSTNode | None


@dataclass(frozen=True, slots=True)
class IndexCopied:
    """A tensor was indexed again and again, in a loop or in a method of a module, by a tensor that is elsewhere.

    ``proofs`` are the keys of opaque values that must be tensors.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    index: str
    place: Placement
    before: Placement
    proofs: tuple[int, ...]


CostEvent: TypeAlias = (
    Counted
    | Evaluated
    | MadeElsewhere
    | Gathered
    | Renamed
    | SwitchedOff
    | LoaderBuilt
    | BatchMoved
    | SampleMoved
    | Timed
    | IndexCopied
)


@dataclass(slots=True)
class Costs:
    """Evidence of a whole file, by loop.

    ``stepping`` are the loops that call a module themselves, ``waits`` the reads for which a loop waits at every pass,
    ``counted`` those of them that are only added up.
    """

    stepping: set[cst.CSTNode] = field(default_factory=set)
    waits: dict[cst.CSTNode, set[cst.CSTNode]] = field(default_factory=dict)
    counted: set[cst.CSTNode] = field(default_factory=set)

    # loops that ask for gradients otherwise than by a backward pass, and functions that hand out what may have a graph
    differentiating: set[cst.CSTNode] = field(default_factory=set)
    handing: set[int] = field(default_factory=set)

    # by loader: what built it, if it pins its batches, how they are moved, and the loops that draw from it
    pinning: dict[int, cst.CSTNode] = field(default_factory=dict)
    moves: dict[int, list[BatchMoved]] = field(default_factory=dict)
    draws: dict[int, set[cst.CSTNode]] = field(default_factory=dict)

    # today's names of what has an older one, where the file uses them, and the calls that may be by such a name
    modern: set[str] = field(default_factory=set)
    renewed: set[cst.CSTNode] = field(default_factory=set)

    # by list that a loop fills: what first reads an element of it on the host, or all of them at once, and lists whose
    # elements something is computed from that may need their graph
    fetched: dict[int, cst.CSTNode] = field(default_factory=dict)
    fetched_whole: dict[int, cst.CSTNode] = field(default_factory=dict)
    computed: set[int] = field(default_factory=set)

    def waits_for_more(self, loop: cst.CSTNode) -> bool:
        """Tell whether a loop waits for the accelerator anyway, for something that is not only added up."""
        return not self.waits.get(loop, set()) <= self.counted
