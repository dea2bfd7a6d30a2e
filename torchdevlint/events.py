"""What the interpreter saw, as facts in the past tense; rules subscribe to them by type.

Every event has the ``node`` it is about, the ``world`` (the condition under which the code ran) and, where
operands meet, the ``entry``: the call in the user's code through which a module's own methods were entered.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

import libcst as cst

from torchdevlint.costs import CostEvent
from torchdevlint.incidents import (
    CastElsewhere,
    Collected,
    DeviceCompared,
    DeviceObjectGiven,
    HeldOptimizer,
    LoadPinned,
    NoMove,
    Reliance,
    Replaced,
    StateLoaded,
)
from torchdevlint.knowledge.rows import Mix, ModuleType
from torchdevlint.lattice import Condition, Device, Placement
from torchdevlint.parallel import BackwardOfMany, DeviceKept, Fed, PlacedAlike, Replicated, Unsynchronised, WrapperAsked
from torchdevlint.records import dataclass
from torchdevlint.values import Module, Opaque, Rank


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of an operation: the expression, its text, its parameter name, and where it is.

    ``proof`` is the key of the opaque value whose kind must be proven a tensor before the operand counts
    (0 where the value is a tensor already).
    """

    node: cst.CSTNode
    text: str
    role: str
    placement: Placement
    rank: Rank
    proof: int = 0
    is_index: bool = False
    part: bool = False  # the expression is that of a container, of which this is an element


@dataclass(frozen=True, slots=True)
class Combined:
    """Operands met in one operation; ``mix`` is what it accepts from the host.

    ``loss`` tells that it is a loss, with the roles of its ``targets`` and ``weights``.
    """

    node: cst.CSTNode
    world: Condition
    entry: cst.CSTNode | None
    operands: tuple[Operand, ...]
    mix: Mix
    in_place: bool = False
    loss: bool = False
    targets: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()  # the roles that are refused on the host whatever their rank
    scalars: tuple[str, ...] = ()  # the roles that are not, where the others are
    made_at: cst.CSTNode | None = None  # where the loss module with these weights was built
    proof: int = 0  # the result on which a backward pass must run, of a callee that may be no loss


@dataclass(frozen=True, slots=True)
class Called:
    """A module that holds tensors was called with inputs.

    ``state`` tells where its tensors are. ``kind`` says more: a loss with state, a metric, a layer.
    """

    node: cst.CSTNode
    world: Condition
    entry: cst.CSTNode | None
    module: Module | Opaque
    type: ModuleType | None
    text: str
    state: Placement
    inputs: tuple[Operand, ...]
    proof: int = 0


@dataclass(frozen=True, slots=True)
class Indexed:
    """A tensor was indexed; ``indices`` are the tensors among the index."""

    node: cst.CSTNode
    world: Condition
    entry: cst.CSTNode | None
    base: Operand
    indices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class HostRead:
    """A value was read through host memory (`.numpy()`, `np.mean(…)`, `plt.plot(…)`); it may carry a ``graph``."""

    node: cst.CSTNode
    world: Condition
    entry: cst.CSTNode | None
    operand: Operand
    how: str
    graph: bool


class Need(Enum):
    """What needs host memory."""

    LENGTHS = "the lengths of a packed sequence"
    PINNING = "what is pinned"


@dataclass(frozen=True, slots=True)
class HostNeeded:
    """A value was given to a call that takes it on the host only."""

    node: cst.CSTNode
    world: Condition
    operand: Operand
    how: str
    need: Need


@dataclass(frozen=True, slots=True)
class Drawn:
    """Random numbers were drawn at a ``place`` from a generator; a loader does so when it is iterated."""

    node: cst.CSTNode
    world: Condition
    text: str
    place: Placement
    generator: Placement


@dataclass(frozen=True, slots=True)
class ReadEarly:
    """A copy to the host that nothing waited for was read: ``before`` is where it came from, ``at`` what read it."""

    node: cst.CSTNode
    world: Condition
    before: Placement
    at: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Uncalled:
    """A function or method was used without being called; ``effect`` is what follows from that.

    ``before`` is where its object is, ``proofs`` are the keys of opaque values that must be tensors or modules.
    ``bare`` tells that it needs no argument.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    effect: str
    before: Placement
    proofs: tuple[int, ...] = ()
    bare: bool = True


@dataclass(frozen=True, slots=True)
class Moved:
    """`.to(…)`, `.cuda()`, `.cpu()` ran on something.

    ``discarded`` tells that the result was thrown away; ``moves_in_place`` that this is fine, None where only
    the kind of ``proof`` (the key of an opaque value) decides. ``before`` and ``after`` are placements;
    ``device`` is False for a change of dtype. ``optimizers`` hold parameters of what moved. ``replaces`` tells
    that parameters are replaced by the move; ``moment`` orders it with steps of optimizers.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    target: str
    before: Placement
    after: Placement
    device: bool
    discarded: bool
    moves_in_place: bool | None
    proof: int = 0
    member: bool = False
    named: bool = True  # the receiver has a name under which it stays behind
    optimizers: tuple[HeldOptimizer, ...] = ()
    replaces: bool = False
    moment: int = 0
    module: Module | Opaque | None = None
    idle: bool = False  # nothing that can be seen would notice the move


@dataclass(frozen=True, slots=True)
class Tallied:
    """A tensor was added to a total, list or dict in a loop (`total += loss`, `losses.append(loss)`).

    ``key`` identifies the accumulation. ``graph`` is None where only a later ``backward`` on ``proof`` tells.
    ``slot`` is the variable that was added: a backward pass on it proves its graph. ``attribute`` is the name of a
    total that other methods of its object may use. ``home`` is the loop that makes the total anew at each pass.
    """

    node: cst.CSTNode
    world: Condition
    key: int
    text: str
    total: str
    graph: bool | None
    proof: int
    loop: cst.CSTNode
    slot: tuple[int, str] | None
    attribute: str = ""
    home: cst.CSTNode | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A checkpoint was read, ``safe`` where `map_location` was given, a test precedes, or this very run wrote it.

    ``distributed`` tells that several processes run. ``scope`` is that of a `Reliance`. ``key`` identifies the value
    read; what became of it stands in the facts. ``files`` are the path with each test of files before, and its outcome;
    ``path`` is its expression.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    safe: bool
    distributed: bool
    scope: cst.CSTNode | None
    key: int
    files: frozenset[tuple[str, str, bool]] = frozenset()
    path: cst.CSTNode | None = None


@dataclass(frozen=True, slots=True)
class DeviceNamed:
    """A literal accelerator decided where something lives (`"cuda"` in `.to("cuda")`, `device="cuda:0"`)."""

    node: cst.CSTNode
    world: Condition
    device: str
    reliance: Reliance


@dataclass(frozen=True, slots=True)
class CudaCalled:
    """A call that places something on CUDA and takes no device ran (`.cuda()`, `set_device(0)`)."""

    node: cst.CSTNode
    world: Condition
    text: str
    reliance: Reliance


@dataclass(frozen=True, slots=True)
class LegacyTyped:
    """A type that stands for an accelerator too made or moved tensors (`torch.cuda.FloatTensor`)."""

    node: cst.CSTNode
    world: Condition
    text: str
    reliance: Reliance


@dataclass(frozen=True, slots=True)
class PlacedInWorker:
    """Something was moved to or made on a device in a process that a loader forks for its workers."""

    node: cst.CSTNode
    world: Condition
    text: str
    after: Placement
    loader: cst.CSTNode


@dataclass(frozen=True, slots=True)
class AttributeMissed:
    """An attribute was read that its module does not have; ``owners`` are the keys by which something may bind it.

    ``kind`` names what the module was made by, ``key`` is the module's own.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    name: str
    kind: str
    key: int
    owners: frozenset[int]


@dataclass(frozen=True, slots=True)
class LeafMoved:
    """A leaf that requires a gradient was moved, and its copy was then used as if it were one (``use``, at ``used``).

    ``before`` and ``after`` are placements, ``kind`` says what the leaf was.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    kind: str
    before: Placement
    after: Placement
    use: str
    used: cst.CSTNode


@dataclass(frozen=True, slots=True)
class SetTooLate:
    """A variable of the environment was set after what reads it once had begun: ``text``, at ``begun``."""

    node: cst.CSTNode
    world: Condition
    variable: str
    text: str
    begun: cst.CSTNode


@dataclass(frozen=True, slots=True)
class DebuggingLeftOn:
    """The program turns a switch for debugging on in every run; ``effect`` is what it does.

    ``repeats`` tells that results repeat with it, which may be what it is for.
    """

    node: cst.CSTNode
    world: Condition
    text: str
    effect: str
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class NumberAsDevice:
    """The number of a tensor's device was used as a device, with no test before; on the host it is -1."""

    node: cst.CSTNode
    world: Condition
    text: str
    placement: Placement


@dataclass(frozen=True, slots=True)
class ReplicaMet:
    """Something met in the replica of a module on ``device``, in the call ``node`` of the wrapper ``text``."""

    node: cst.CSTNode
    world: Condition
    text: str
    met: Combined | Called
    device: Device


Event: TypeAlias = (
    Combined
    | Called
    | Indexed
    | HostRead
    | HostNeeded
    | Drawn
    | ReadEarly
    | Uncalled
    | Moved
    | Tallied
    | Loaded
    | LoadPinned
    | DeviceNamed
    | CudaCalled
    | LegacyTyped
    | PlacedInWorker
    | AttributeMissed
    | WrapperAsked
    | LeafMoved
    | SetTooLate
    | NumberAsDevice
    | DebuggingLeftOn
    | DeviceCompared
    | Replicated
    | BackwardOfMany
    | ReplicaMet
    | DeviceKept
    | CostEvent
    | Replaced
    | StateLoaded
    | NoMove
    | Collected
    | CastElsewhere
    | DeviceObjectGiven
    | Fed
    | PlacedAlike
    | Unsynchronised
)
