"""Names of PyTorch that fixes look for and write."""

from __future__ import annotations

CUDA_AVAILABLE = "torch.cuda.is_available"
DEVICE = "torch.device"
DISTRIBUTED_SAMPLER = "torch.utils.data.DistributedSampler"
MODULE_DICT = "torch.nn.ModuleDict"
MODULE_LIST = "torch.nn.ModuleList"
NO_GRAD = "torch.no_grad"
TAKE_NUMBERS = ("cuda", "set_device")
"""Functions and methods whose first argument is a device, and often its number."""
START_PROCESSES = ("spawn", "start_processes")
"""Functions that start processes with one function, whose first argument is then the number of the process."""
