"""What is observed of a simulated run: copies between host and devices, waits, and the memory that was in use."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Literal

HOST_TO_DEVICE: Literal["host to device"] = "host to device"
DEVICE_TO_HOST: Literal["device to host"] = "device to host"
DEVICE_TO_DEVICE: Literal["device to device"] = "device to device"
SYNCHRONISATION: Literal["synchronisation"] = "synchronisation"
Kind = Literal["host to device", "device to host", "device to device", "synchronisation"]

Line = tuple[str, int]
_UNKNOWN: Line = ("?", 0)


@dataclass(frozen=True, slots=True)
class Transfer:
    """A copy between host and device, or a moment at which the host waits for the device (no bytes then).

    The file and line are those of the script's statement that brought it about, the operation is PyTorch's name.
    """

    kind: Kind
    nbytes: int
    file: str
    line: int
    operation: str


@cache
def _silent_beginnings() -> tuple[str, ...]:
    """How the names of files begin that are PyTorch's, the simulator's, or run what others give them."""
    import concurrent.futures

    import torch

    modules = (torch, concurrent.futures)
    folders = [Path(__file__).parent, *(Path(str(module.__file__)).parent for module in modules)]
    return (*(f"{folder}{os.sep}" for folder in folders), threading.__file__, "<frozen ")


@cache
def _is_silent(file: str) -> bool:
    """Whether a file is none of the script's; asked for each frame below each new tensor."""
    return file.startswith(_silent_beginnings())


def line_of_script() -> Line:
    """The innermost line under execution that is neither PyTorch's nor the simulator's; ("?", 0) if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not _is_silent(file):
            return file, frame.f_lineno
        frame = frame.f_back
    return _UNKNOWN


class Allocation:
    """The memory of one storage; it is given back when the storage, which holds this object, is freed."""

    __slots__ = ("_ledger", "device", "line", "nbytes")

    def __init__(self, ledger: Ledger, device: int, nbytes: int, line: Line) -> None:
        """Hold what the ledger has to take off again."""
        self._ledger = ledger
        self.device = device
        self.nbytes = nbytes
        self.line = line

    def __del__(self) -> None:
        """Give the memory back."""
        self._ledger.give_back(self)


@dataclass(slots=True)
class _Use:
    """Bytes in use, and the most that were in use at one time."""

    now: int = 0
    peak: int = 0

    def change(self, nbytes: int) -> None:
        self.now += nbytes
        self.peak = max(self.peak, self.now)


@dataclass(slots=True)
class Ledger:
    """The transfers and the memory of a process."""

    transfers: list[Transfer] = field(default_factory=list)
    by_device: dict[int, _Use] = field(default_factory=dict)
    by_line: dict[Line, _Use] = field(default_factory=dict)
    # storages may be freed by the garbage collector amid an allocation of the same thread
    lock: threading.RLock = field(default_factory=threading.RLock)

    def note(self, kind: Kind, nbytes: int, operation: str) -> None:
        """Write down a transfer that the running line of the script brings about."""
        file, line = line_of_script()
        self.transfers.append(Transfer(kind, nbytes, file, line, operation))

    def allocate(self, device: int, nbytes: int) -> Allocation:
        """Count the bytes of a new storage on the device, until the result is freed."""
        allocation = Allocation(self, device, nbytes, line_of_script())
        self._change(allocation, nbytes)
        return allocation

    def give_back(self, allocation: Allocation) -> None:
        """Take a storage's bytes off."""
        self._change(allocation, -allocation.nbytes)

    def _change(self, allocation: Allocation, nbytes: int) -> None:
        with self.lock:
            self.by_device.setdefault(allocation.device, _Use()).change(nbytes)
            self.by_line.setdefault(allocation.line, _Use()).change(nbytes)

    def used(self, device: int) -> int:
        """The bytes that are in use on the device now."""
        return self.by_device[device].now if device in self.by_device else 0

    def peak(self, device: int) -> int:
        """The most bytes that were in use on the device at one time since the start or the last reset."""
        return self.by_device[device].peak if device in self.by_device else 0

    def reset_peak(self, device: int) -> None:
        """Forget that more was in use on the device than is now."""
        if device in self.by_device:
            self.by_device[device].peak = self.by_device[device].now


@dataclass(frozen=True, slots=True)
class Simulation:
    """What is observed of this process since the installation; it goes on being observed."""

    _ledger: Ledger

    @property
    def transfers(self) -> Sequence[Transfer]:
        """The copies and waits so far, in order."""
        return tuple(self._ledger.transfers)

    def peak(self, device: int | None = None) -> int:
        """The most bytes of tensors that were on the device at one time; without a device, the sum over all of them."""
        devices = list(self._ledger.by_device) if device is None else [device]
        return sum(self._ledger.peak(each) for each in devices)

    def peak_by_line(self) -> Mapping[Line, int]:
        """For each (file, line) that made tensors on devices, the most bytes of them that lived at one time."""
        return {line: use.peak for line, use in self._ledger.by_line.items()}
