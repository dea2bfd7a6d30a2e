"""The description of a machine to simulate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine with accelerators.

    `devices` is the number of its GPUs. Where it is not `visible`, the driver shows none of them, as with an empty
    CUDA_VISIBLE_DEVICES. Where it is `asynchronous`, a copy to the host with `non_blocking=True` delivers zeros until
    the host waits for the device: the race that a real GPU may win or lose is always lost.
    """

    devices: int = 1
    visible: bool = True
    asynchronous: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for a number of devices that no machine has."""
        if self.devices < 0:
            raise ValueError(f"a machine cannot have {self.devices} devices")
