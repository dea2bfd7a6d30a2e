"""The machine's state in this process: which devices are visible, which is current, whether CUDA is initialised.

Read in torch 2.13's `torch/cuda/__init__.py`: `device_count()` asks NVML, which reads CUDA_VISIBLE_DEVICES each time;
the driver reads it once, when it is initialised (`is_available()` does that), and from then on it is settled.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import torch

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.machine import Machine
from torchdevlint.harness.simulator.report import Ledger
from torchdevlint.harness.simulator.tags import CPU, Device

_HINT = (
    "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
)
_BAD_FORK = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start "
    "method"
)


class _Current(threading.local):
    """CUDA's current device, and the device that a factory is asked for, are the thread's."""

    index = 0
    requested: Any = None


class _Visibility:
    """CUDA_VISIBLE_DEVICES, once the driver has read it."""

    def __init__(self) -> None:
        self.settled = False
        self.value: str | None = None

    def settle(self) -> None:
        if not self.settled:
            self.value = os.environ.get("CUDA_VISIBLE_DEVICES")
            self.settled = True

    def read(self) -> str | None:
        return self.value if self.settled else os.environ.get("CUDA_VISIBLE_DEVICES")


class Runtime:
    """What the CUDA runtime knows in this process."""

    def __init__(self, machine: Machine) -> None:
        """Start with nothing initialised."""
        self.machine = machine
        self.ledger = Ledger()
        self.initialised = False
        self.bad_fork = False
        self.current = _Current()
        self.generators: dict[int, Device] = {}
        self.pending: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.when_initialised: Callable[[], None] = lambda: None
        self._visibility = _Visibility()

    def device_count(self) -> int:
        """The number of visible devices."""
        if not self.machine.visible:
            return 0
        value = self._visibility.read()
        if value is None:
            return self.machine.devices
        visible: list[int] = []
        for entry in value.split(","):  # the driver takes the entries before the first that names no device
            name = entry.strip()
            if not name.isdigit() or int(name) >= self.machine.devices:
                break
            if int(name) in visible:
                return 0  # one device twice: none is visible
            visible.append(int(name))
        return len(visible)

    def is_available(self) -> bool:
        """Whether a device is visible; the driver reads the environment for that."""
        self._visibility.settle()
        return self.device_count() > 0

    def initialise(self) -> None:
        """Do what PyTorch does before the first use of a device.

        Raises RuntimeError in a process forked from one that had initialised CUDA, and without a visible device.
        """
        if self.bad_fork:
            raise RuntimeError(_BAD_FORK)
        if self.initialised:
            return
        if not self.is_available():
            raise RuntimeError("No CUDA GPUs are available")
        self.initialised = True
        self.when_initialised()

    def forked(self) -> None:
        """Note that this process is a child: it cannot use its parent's devices."""
        self.bad_fork = self.initialised

    def check_usable(self) -> None:
        """Raise what the driver says to a child that computes with tensors of its parent."""
        if self.bad_fork:
            raise cuda_error("initialization error")

    def resolve(self, device: Any) -> Device:
        """The device that is meant, with its index: by a device, a string, an index, or a tensor that is there.

        Raises RuntimeError for devices that the machine has not.
        """
        found = device
        if isinstance(device, int) and not isinstance(device, bool):
            found = Device("cuda", device)
        elif isinstance(device, str):
            found = Device(device)
        elif isinstance(device, torch.Tensor):
            found = tags.device_of(device)
        if found.type == "cpu":
            return CPU
        if found.type != "cuda":
            return found
        self.initialise()
        index = self.current.index if found.index is None else found.index
        if index >= self.device_count():
            raise cuda_error("invalid device ordinal")
        return Device("cuda", index)

    def index_of(self, device: Any) -> int:
        """The index of a simulated device; of None, the current one.

        Raises ValueError for a device of another kind.
        """
        if device is None:
            self.initialise()
            return self.current.index
        found = self.resolve(device)
        if found.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {found}")
        return int(found.index)

    def generator_device(self, generator: Any) -> Device:
        """The device of a random number generator."""
        return self.generators.get(generator._cdata, CPU)

    def wait(self) -> None:
        """Let the copies that run behind the host's back arrive."""
        while self.pending:
            destination, source = self.pending.pop(0)
            with torch.no_grad(), tags.Native():
                torch._C.TensorBase.copy_(destination, source)

    def note_wait(self, operation: str) -> None:
        """Let copies arrive, and write down that the host waited."""
        self.ledger.note("synchronisation", 0, operation)
        self.wait()


def cuda_error(name: str) -> RuntimeError:
    """The exception for an error of the CUDA runtime; its class is newer than torch 2.4."""
    kind: type[RuntimeError] = getattr(torch, "AcceleratorError", RuntimeError)
    return kind(f"CUDA error: {name}{_HINT}")


class Requested:
    """Within it, what PyTorch's factories make is on the device; with None, nothing is said about that."""

    __slots__ = ("_before", "_device", "_runtime")

    def __init__(self, runtime: Runtime, device: Device | None) -> None:
        """Ask for the device."""
        self._runtime = runtime
        self._device = device
        self._before: Device | None = None

    def __enter__(self) -> None:
        """Begin; they nest."""
        self._before = self._runtime.current.requested
        self._runtime.current.requested = self._device

    def __exit__(self, *error: object) -> None:
        """Return to what was asked for before."""
        self._runtime.current.requested = self._before
