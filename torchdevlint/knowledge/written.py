"""Names of PyTorch that fixes look for and write."""

from __future__ import annotations

CUDA_AVAILABLE = "torch.cuda.is_available"
DEVICE = "torch.device"
DISTRIBUTED_SAMPLER = "torch.utils.data.DistributedSampler"
HOST_TYPES = {
    f"torch.{name}Tensor": method
    for name, method in {
        "Float": "float", "Double": "double", "Half": "half", "BFloat16": "bfloat16", "Long": "long", "Int": "int",
        "Short": "short", "Char": "char", "Byte": "byte", "Bool": "bool",
    }.items()
}  # fmt: skip
"""Types of tensors on the host, with the methods that convert to the same numbers where a tensor is."""
MODULE_DICT = "torch.nn.ModuleDict"
MODULE_LIST = "torch.nn.ModuleList"
NO_GRAD = "torch.no_grad"
TAKE_NUMBERS = ("cuda", "set_device")
"""Functions and methods whose first argument is a device, and often its number."""
START_PROCESSES = ("spawn", "start_processes")
"""Functions that start processes with one function, whose first argument is then the number of the process."""
