"""Puts the parts of the simulation into PyTorch, once in a process."""

from __future__ import annotations

import torch
import torch._dynamo  # optimizers import it at their first step, and it inspects what is replaced here

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.accelerator import patch_accelerator
from torchdevlint.harness.simulator.autocast import patch_autocast
from torchdevlint.harness.simulator.composed import patch_composed
from torchdevlint.harness.simulator.devices import Runtime
from torchdevlint.harness.simulator.dispatch import apply_rules
from torchdevlint.harness.simulator.errors import SimulationError
from torchdevlint.harness.simulator.factories import patch_factories
from torchdevlint.harness.simulator.gradients import patch_gradients
from torchdevlint.harness.simulator.legacy import patch_legacy
from torchdevlint.harness.simulator.machine import Machine
from torchdevlint.harness.simulator.parallel import patch_parallel
from torchdevlint.harness.simulator.report import Simulation
from torchdevlint.harness.simulator.runtime import patch_runtime
from torchdevlint.harness.simulator.storages import patch_storages
from torchdevlint.harness.simulator.streams import patch_streams
from torchdevlint.harness.simulator.transfers import Mover, patch_tensor
from torchdevlint.harness.simulator.unsupported import patch_unsupported

_installed: list[Machine] = []


def install_machine(machine: Machine) -> Simulation:
    """Do what `torchdevlint.harness.simulator.install` says."""
    if _installed:
        raise SimulationError(f"a machine is simulated in this process already: {_installed[0]}")
    if torch.cuda.is_available():
        raise SimulationError("this machine has a CUDA device of its own, beside which none can be simulated")
    _installed.append(machine)
    runtime = Runtime(machine)
    mover = Mover(runtime)
    tags.keep_ledger(runtime.ledger)
    patch_factories(runtime, mover)
    patch_runtime(runtime)
    patch_streams(runtime)
    patch_storages(runtime)
    patch_tensor(runtime, mover)
    patch_legacy(runtime, mover)
    patch_gradients(mover)
    patch_composed(mover)
    patch_autocast()
    patch_parallel(runtime, mover)
    patch_unsupported()
    patch_accelerator(runtime)
    apply_rules(runtime)
    return Simulation(runtime.ledger)
