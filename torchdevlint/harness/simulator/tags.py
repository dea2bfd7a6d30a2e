"""The device of a tensor, kept as an attribute of its storage.

Views, `detach()`, assignments to `.data` and swapped tensors share or exchange storages, so PyTorch itself keeps the
device right. The Python object of a storage lives as long as the storage does (since torch 2.1).
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import device as Device  # noqa: N812 -- the real class: `torch.device` is replaced in the installation

if TYPE_CHECKING:
    from torchdevlint.harness.simulator.report import Ledger

__all__ = [
    "ADOPTS",
    "CPU",
    "Device",
    "Native",
    "Tag",
    "device_of",
    "is_on_device",
    "is_pinned",
    "keep_ledger",
    "pin",
    "storage_of",
    "storage_within_native",
    "tag_of",
    "tag_of_storage",
    "tag_storage",
    "tag_tensor",
]
CPU: Final = Device("cpu")
_TAG = "_simulated_device"
_MEMORY = "_simulated_memory"
_PINNED = "_simulated_pinned"


class Marker(enum.Enum):
    """What stands for a device where there is none yet."""

    ADOPTS = "adopts the first device it meets"
    """PyTorch's own code makes tensors like an operand, which it sees on the CPU: they belong to what they meet."""


ADOPTS: Final = Marker.ADOPTS
Tag = Any  # a torch.device or ADOPTS
_native_storage = torch._C.TensorBase.untyped_storage
_is_on_host = torch._C.TensorBase.is_cpu.__get__
_native_device = torch._C.TensorBase.device.__get__
_NO_STORAGE = (NotImplementedError, RuntimeError)  # sparse tensors and wrappers of function transforms
_ledger: Ledger | None = None


class Native:
    """Within it, functions of PyTorch are not overridden by classes of tensors or by modes of functions."""

    __slots__ = ("_guard",)

    def __enter__(self) -> None:
        """Begin; a guard of its own for each use, since they nest."""
        self._guard = torch._C.DisableTorchFunction()
        self._guard.__enter__()

    def __exit__(self, *error: object) -> None:
        """End."""
        self._guard.__exit__(*error)


def keep_ledger(ledger: Ledger) -> None:
    """From now on count the memory of storages with a tag in the ledger."""
    global _ledger  # noqa: PLW0603 -- one process, one machine
    _ledger = ledger


def storage_of(tensor: torch.Tensor) -> Any:
    """The tensor's storage, or None if it has none or is not in the host's memory (meta tensors)."""
    with Native():
        return storage_within_native(tensor)


def storage_within_native(tensor: torch.Tensor) -> Any:
    """What `storage_of` returns, for callers that are within `Native` already: each operation asks for it."""
    if not _is_on_host(tensor):
        return None
    try:
        return _native_storage(tensor)
    except _NO_STORAGE:
        return None


def tag_of_storage(storage: Any) -> Tag:
    """The device of a storage in the host's memory, or ADOPTS."""
    return storage.__dict__.get(_TAG, CPU)


def tag_of(tensor: torch.Tensor) -> Tag:
    """The device of a tensor, or ADOPTS."""
    storage = storage_of(tensor)
    return _native_device(tensor) if storage is None else tag_of_storage(storage)


def device_of(tensor: torch.Tensor) -> Device:
    """The device of a tensor as the script sees it: of one that still adopts its device, the CPU."""
    tag = tag_of(tensor)
    return CPU if tag is ADOPTS else tag


def is_on_device(tag: Tag) -> bool:
    """Whether the tag is that of a simulated device."""
    return tag is not ADOPTS and bool(tag.type == "cuda")


def tag_storage(storage: Any, tag: Tag) -> None:
    """Say that the storage is where the tag says; the CPU has no tag."""
    attributes = storage.__dict__
    attributes.pop(_MEMORY, None)
    if tag == CPU:
        attributes.pop(_TAG, None)
        return
    attributes[_TAG] = tag
    if _ledger is not None and tag is not ADOPTS:
        attributes[_MEMORY] = _ledger.allocate(tag.index, storage.nbytes())


def tag_tensor(tensor: torch.Tensor, tag: Tag) -> torch.Tensor:
    """Say that the tensor is where the tag says, and return it; one without a storage is left as it is."""
    storage = storage_of(tensor)
    if storage is not None:
        tag_storage(storage, tag)
    return tensor


def pin(storage: Any) -> None:
    """Say that the storage is in page-locked memory."""
    storage.__dict__[_PINNED] = True


def is_pinned(storage: Any) -> bool:
    """Whether the storage is in page-locked memory."""
    return storage.__dict__.get(_PINNED, False) is True
