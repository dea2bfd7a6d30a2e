"""Names of PyTorch that fixes look for and write."""

from __future__ import annotations

CUDA_AVAILABLE = "torch.cuda.is_available"
DEVICE = "torch.device"
DISTRIBUTED_SAMPLER = "torch.utils.data.DistributedSampler"
MODULE_DICT = "torch.nn.ModuleDict"
MODULE_LIST = "torch.nn.ModuleList"
NO_GRAD = "torch.no_grad"
