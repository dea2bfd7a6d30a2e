"""A simulated CUDA machine for PyTorch: scripts run unmodified on a CPU build and meet CUDA's device rules.

Every tensor stays a real CPU tensor with real values; its device is a tag on its storage, and before each operation the
device check that CUDA has for it is made. `install()` changes PyTorch for the whole process, so it belongs at the very
start of a process of its own, before the simulated script is imported.

Where the simulation differs from a GPU, and says nothing:

* random numbers on the device come from the CPU's generator; `torch.cuda.manual_seed` has no effect on them
* `autocast("cuda")` casts what autocast on the CPU casts, and CPU tensors, too
* the memory in use is the sum of the storages that live, without an allocator's rounding and caching
* a message names the native kernel where a GPU may pick the one of a library (cuDNN)
* in TorchScript, tensors that are made take the first device that they meet, and a move to the host does nothing
"""

from __future__ import annotations

from torchdevlint.harness.simulator.errors import DEVICE_MISMATCH, SimulationError, is_device_error
from torchdevlint.harness.simulator.machine import Machine
from torchdevlint.harness.simulator.report import Simulation, Transfer

__all__ = ["DEVICE_MISMATCH", "Machine", "Simulation", "SimulationError", "Transfer", "install", "is_device_error"]

DEFAULT_MACHINE = Machine()


def install(machine: Machine = DEFAULT_MACHINE) -> Simulation:
    """Make this process one that runs on the machine, and return what is observed of it.

    Raises `SimulationError` if a machine is installed already, or if PyTorch here has real accelerators.
    """
    from torchdevlint.harness.simulator.installation import install_machine  # PyTorch is imported only when needed

    return install_machine(machine)
