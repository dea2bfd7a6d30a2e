"""Abstract values: what the interpreter knows of a Python object.

Values are frozen; whatever changes in place (where a module is, what a list holds, what an attribute is
bound to) stands in the state under the identity (`key`) of the object.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from torchdevlint.lattice import ALWAYS, ANY, Condition, Placement
from torchdevlint.records import dataclass, field

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.knowledge.rows import LoaderType, ModuleType, ObjectType, OptimizerType, Row

Rank: TypeAlias = tuple[int, int | None]
"""The number of dimensions as a closed interval; None is no upper bound."""

ANY_RANK: Rank = (0, None)
SCALAR: Rank = (0, 0)


class Holder(Enum):
    """How a module holds a tensor."""

    NONE = "not held"
    PARAMETER = "parameter"
    BUFFER = "buffer"


class Form(Enum):
    """What stands for a device."""

    UNKNOWN = "a text, a number or an object"
    OBJECT = "an object"
    ASKED = "the object that a tensor gives, with an index where there are several devices"
    TYPE = "the name of a tensor's type, which tells its device too"


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing is known."""


@dataclass(frozen=True, slots=True)
class Const:
    """A Python literal: None, a boolean, a number, a string; ``node`` is where it was written, if that matters."""

    value: object
    node: cst.CSTNode | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean that stands for a guard: the condition when it is true, and when it is false."""

    when_true: Condition
    when_false: Condition


@dataclass(frozen=True, slots=True)
class Unleafed:
    """The move that made a copy of a leaf: its call, what was moved, from where to where, in which world."""

    node: cst.CSTNode
    text: str
    parameter: bool
    before: Placement
    after: Placement
    world: Condition


@dataclass(frozen=True, slots=True)
class Flight:
    """A copy to the host that nothing waits for: the call, where it came from, and the waits before it."""

    node: cst.CSTNode
    before: Placement
    waits: int


@dataclass(frozen=True, slots=True)
class Gathered:
    """The call that gathered the scalars of several replicas into a vector, what it called, and when it is so."""

    node: cst.CSTNode
    text: str
    condition: Condition = ALWAYS


@dataclass(frozen=True, slots=True)
class Kept:
    """The list that a tensor is out of, by key: an element of it, or all of them in one (``whole``)."""

    key: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor: where it is, its rank, whether it carries a graph, and how a module holds it.

    ``tallies`` are the accumulations (the keys of running totals) that the tensor is part of.
    ``graph`` is True where a backward pass could run through it, None where that is not known.
    """

    placement: Placement = ANY
    rank: Rank = ANY_RANK
    graph: bool | None = None
    held: Holder = Holder.NONE
    leaf: bool = False
    tallies: frozenset[int] = frozenset()
    flight: int = 0  # the copy to the host that it is, which may not have arrived
    number: bool = False  # the value may be a Python number instead (the sum of a loop, a reduced loss)
    unleafed: Unleafed | None = field(default=None, compare=False)  # it is the copy of a leaf that was moved
    empty: bool = False  # its first dimension has no elements: it stands for what is gathered later
    gathered: Gathered | None = None  # it holds a scalar of each replica
    output: bool = field(default=False, compare=False)  # all that a module gave
    batch: int = field(default=0, compare=False)  # the loader whose batch it is a part of, as it came
    kept: frozenset[Kept] = field(default=frozenset(), compare=False)  # lists that loops fill, which it is out of


@dataclass(frozen=True, slots=True)
class Opaque:
    """An object of unknown kind with identity.

    It is two things until proven: as a value it is where ``placement`` says, as an object that moves in place
    it is where the state says under ``key``.  ``output`` marks what an unseen module returned, ``member`` a
    part of a loader's item, ``within`` an element of such a part, which may have no dimension, ``source`` the key
    of the batch symbol it came from.
    """

    key: int
    name: str = field(default="", compare=False)
    placement: Placement = ANY
    output: bool = field(default=False, compare=False)
    member: bool = field(default=False, compare=False)
    source: int = field(default=0, compare=False)
    parameter: bool = field(default=False, compare=False)
    within: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Module:
    """A module with identity: built from a torch class (``type``), a class of the file (``cls``), or both."""

    key: int
    type: ModuleType
    cls: Class | None = field(default=None, compare=False)
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the file that is no module; ``open`` where a base cannot be seen."""

    key: int
    cls: Class = field(compare=False)
    open: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Object:
    """An object of a library's class that a row tells of (an accelerator object, a tokenizer, a batch)."""

    key: int
    type: ObjectType = field(compare=False)
    placement: Placement = field(default=ANY, compare=False)


@dataclass(frozen=True, slots=True)
class Optimizer:
    """An optimizer; what it holds and whether it was stepped stands in the state."""

    key: int
    type: OptimizerType = field(compare=False)
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Loader:
    """A data loader; ``item`` is what iterating it yields.

    ``made`` is where it was built, ``generator`` where the generator is from which each iteration draws, if it does.
    ``whole`` are the nodes of what it is made of, where it yields all of that in every process. ``source`` is the
    dataset, and ``told`` what its items depended on when the loader was built.
    """

    key: int
    type: LoaderType = field(compare=False)
    item: Value = field(compare=False)
    made: cst.CSTNode | None = field(default=None, compare=False)
    generator: Placement | None = field(default=None, compare=False)
    whole: tuple[cst.CSTNode, ...] = field(default=(), compare=False)
    source: Value | None = field(default=None, compare=False)
    told: tuple[object, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Container:
    """A list, tuple, set or dict with identity; its elements stand in the state. ``cls`` is that of a named tuple."""

    key: int
    kind: str
    cls: Class | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters (or named parameters, or state dict) of a module; a state dict has an identity."""

    module: Module | Opaque
    kind: str = "parameters"
    key: int = field(default=0, compare=False)
    node: cst.CSTNode | None = field(default=None, compare=False)  # the call that gave a state dict
    placement: Placement = field(default=ANY, compare=False)  # where the tensors of a state dict are

    @property
    def is_state(self) -> bool:
        """Tell whether it is a state dict."""
        return self.key != 0


@dataclass(frozen=True, slots=True)
class Device:
    """A device object or a string that names one; ``literal`` is where it was written as a literal accelerator,
    ``call`` the call that answers with the current accelerator.

    ``form`` tells an object from a text, as far as that is known; ``proof`` is the key of an opaque value that must be
    a tensor for that. ``number`` is the call that gave the number of the device, -1 on the host.
    """

    placement: Placement
    literal: cst.CSTNode | None = field(default=None, compare=False)
    call: cst.CSTNode | None = field(default=None, compare=False)
    form: Form = field(default=Form.UNKNOWN, compare=False)
    proof: int = field(default=0, compare=False)
    number: cst.CSTNode | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A function or lambda of the file, with the frame it closes over and, for a method, its receiver."""

    node: cst.FunctionDef | cst.Lambda
    frame: int
    name: str = ""
    receiver: Value | None = None
    owner: Class | None = None


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the file: its methods and class attributes, the bases that are known, the rows they gave.

    ``after`` is what comes behind it where an attribute is looked up. ``whole`` is the class of the object where
    this is what `super()` shows of it. ``fields`` are the names that its body annotates.
    """

    key: int
    name: str = field(compare=False)
    node: cst.ClassDef = field(compare=False)
    frame: int = field(compare=False)
    members: dict[str, Value] = field(compare=False, hash=False)
    bases: tuple[Value, ...] = field(compare=False)
    type: ModuleType | ObjectType | LoaderType | None = field(default=None, compare=False)
    open: bool = field(default=False, compare=False)
    after: tuple[Value, ...] = field(default=(), compare=False)
    whole: Class | None = field(default=None, compare=False)
    fields: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Imported:
    """A dotted name of another module, and the row that tells of it, if any."""

    name: str
    row: Row | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a value that a row tells of, not called yet."""

    receiver: Value
    name: str
    row: Row | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Partial:
    """A callable with arguments given beforehand (`functools.partial`)."""

    callee: Value
    call: Call = field(compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values of different kinds, each under its condition."""

    options: tuple[tuple[Value, Condition], ...]


Value: TypeAlias = (
    Unknown
    | Const
    | Flag
    | Tensor
    | Opaque
    | Module
    | Instance
    | Object
    | Optimizer
    | Loader
    | Container
    | Parameters
    | Device
    | Function
    | Class
    | Imported
    | Bound
    | Partial
    | Choice
)

UNKNOWN = Unknown()
NONE = Const(None)


def options(value: Value) -> tuple[tuple[Value, Condition], ...]:
    """Return the values that a value may be, each with its condition."""
    return value.options if isinstance(value, Choice) else ((value, ALWAYS),)
