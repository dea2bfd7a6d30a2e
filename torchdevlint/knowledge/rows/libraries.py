"""Rows of libraries: objects of their own, helpers, and what frameworks place."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchdevlint.knowledge.rows.modules import Arrives, ModuleType, Placing
from torchdevlint.records import dataclass, field

if TYPE_CHECKING:
    from torchdevlint.knowledge.rows import Combine, Row


class Carrier(Enum):
    """How an object with tensors inside moves."""

    NONE = "it does not"
    IN_PLACE = "`to` moves it and returns it (`BatchEncoding`, PyG `Data`)"
    COPY = "`to` returns a moved copy (`PackedSequence`, DGL graph)"


@dataclass(frozen=True, slots=True)
class Precision:
    """A name of automatic mixed precision, and the one that is used today (``name``), if it is ``old``.

    ``keyword`` names the first argument, the type of the device, which is ``default`` if it is not given. Where there
    is no such device, it warns and switches itself off, unless the argument at ``enabled`` decides.
    """

    name: str
    old: bool = False
    keyword: str = ""
    default: str = ""
    enabled: int = 0


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A library class of which instances are objects with known methods and attributes.

    ``methods`` and ``attributes`` map names to rows; ``call`` is the row of calling an instance. ``overrides`` are
    methods of a subclass that the framework calls, with what it hands to them. ``unplaced`` is None where an instance
    places nothing; else it sends modules to an accelerator where there is one, unless it is given one of these. With
    one of ``native`` it wants an accelerator.
    """

    name: str
    methods: Mapping[str, Row] = field(default_factory=lambda: MappingProxyType({}))
    attributes: Mapping[str, Row] = field(default_factory=lambda: MappingProxyType({}))
    array: bool = False  # a host array: whatever is asked of it gives another one
    call: Row | None = None
    carrier: Carrier = Carrier.NONE
    on_host: bool = False  # made on the host; its elements are where it is
    placing: Placing = Placing.USER
    placed_by: tuple[str, ...] = ()  # keywords that change where it places things (`Accelerator(cpu=True)`)
    precision: Precision | None = None
    overrides: Mapping[str, tuple[Arrives, ...]] = field(default_factory=lambda: MappingProxyType({}))
    unplaced: tuple[tuple[str, object], ...] | None = None
    native: tuple[tuple[str, object], ...] = ()
    pipeline: str = ""  # the attribute with the callables that a call applies one after the other (`Compose`)


@dataclass(frozen=True, slots=True)
class Build:
    """A call that returns an object of a library class or a module (`AutoModel.from_pretrained`).

    ``placed_by`` names keywords that leave the placement to the library (`device_map`).
    """

    type: ObjectType | ModuleType
    placed_by: tuple[str, ...] = ()
    follows: bool = False  # the object is where the first argument is (`pack_padded_sequence`)
    host: tuple[int, str] | None = None  # the position and the name of an argument that has to be on the host


@dataclass(frozen=True, slots=True)
class Distribution:
    """A class of distributions: its objects are where the parameters are, which have to share a place.

    What is drawn has ``events`` more dimensions than the parameters: one less where they hold a vector for each number.
    """

    type: ObjectType
    parameters: Combine
    events: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """A method of a distribution that gives a tensor where its parameters are; ``graph`` where it carries theirs.

    What is ``reduced`` may have fewer dimensions than what is drawn.
    """

    graph: bool = False
    reduced: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """A call of which a row tells where a keyword is given; without it nothing is known (`return_tensors="pt"`)."""

    keyword: str
    row: Row


@dataclass(frozen=True, slots=True)
class Transparent:
    """A call whose result stands for one of its arguments, wrapped or not (`torch.compile`, `tqdm`, `islice`).

    ``synchronises`` tells that the layers of the module exchange statistics with those of other processes from here on.
    """

    argument: int = 0
    synchronises: bool = False


@dataclass(frozen=True, slots=True)
class TreeMap:
    """A call that applies a function to every leaf (`tree_map`, `map_structure`, `apply_to_collection`)."""

    function: int = 0
    tree: int = 1


@dataclass(frozen=True, slots=True)
class MoveHelper:
    """A library function that moves its first argument to its second (`send_to_device`, `move_data_to_device`)."""

    source: int = 0
    device: int = 1


@dataclass(frozen=True, slots=True)
class Result:
    """A function of which the project tells where the tensors are that it returns, or that what it returns yields."""

    on_host: bool = False


@dataclass(frozen=True, slots=True)
class Batches:
    """A class of which the project tells that what its objects yield has been moved to an accelerator."""


@dataclass(frozen=True, slots=True)
class Prepare:
    """A framework's `prepare`/`setup`: returns its arguments, modules moved and loaders moving their batches.

    ``tensors`` tells that tensors are moved too (`fabric.to_device`), ``scatters`` that a module moves its inputs from
    here on (`fully_shard`). With one of the keywords ``chosen_by`` it is the script that says what is moved.
    """

    tensors: bool = False
    scatters: bool = False
    chosen_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """A call that takes a function of the script, to run it later with ``arrives`` (`ignite.engine.Engine(step)`)."""

    arrives: tuple[Arrives, ...]
    function: int = 0
    keyword: str = "process_function"


@dataclass(frozen=True, slots=True)
class FrameworkDevice:
    """The device that a framework gives this process (`accelerator.device`, `ignite.distributed.device()`)."""
