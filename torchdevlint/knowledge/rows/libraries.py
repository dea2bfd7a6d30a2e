"""Rows of libraries: objects of their own, helpers, and what frameworks place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchdevlint.knowledge.rows.modules import ModuleType, Placing

if TYPE_CHECKING:
    from torchdevlint.knowledge.rows import Row


class Carrier(Enum):
    """How an object with tensors inside moves."""

    NONE = "it does not"
    IN_PLACE = "`to` moves it and returns it (`BatchEncoding`, PyG `Data`)"
    COPY = "`to` returns a moved copy (`PackedSequence`, DGL graph)"


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A library class of which instances are objects with known methods and attributes.

    ``methods`` and ``attributes`` map names to rows; ``call`` is the row of calling an instance. A class
    whose ``open`` is True has whatever attributes the script asks for.
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
    pipeline: bool = False  # made of callables, which a call applies one after the other (`transforms.Compose`)


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
class Prepare:
    """A framework's `prepare`/`setup`: returns its arguments, modules moved and loaders moving their batches."""


@dataclass(frozen=True, slots=True)
class FrameworkDevice:
    """The device that a framework gives this process (`accelerator.device`, `fabric.device`)."""
