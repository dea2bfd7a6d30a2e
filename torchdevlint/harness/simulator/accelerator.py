"""`torch.accelerator` (newer than torch 2.4), and `torch.device(0)`, which means the accelerator's first device."""

from __future__ import annotations

from typing import Any

import torch

from torchdevlint.harness.simulator.devices import Runtime
from torchdevlint.harness.simulator.tags import Device


class _DeviceMeta(type):
    """Lets the replacement of `torch.device` pass for the real class, which cannot be patched."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Device)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Device) or type.__subclasscheck__(cls, subclass)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and type(args[0]) is int:
            return Device("cuda", args[0])
        return Device(*args, **kwargs)

    def __getattr__(cls, name: str) -> Any:
        return getattr(Device, name)


def patch_accelerator(runtime: Runtime) -> None:
    """Replace the functions of `torch.accelerator` if there are any, and `torch.device`."""
    torch.device = _DeviceMeta("device", (), {"__module__": "torch", "__qualname__": "device"})
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    cuda = torch.cuda

    def current_accelerator(check_available: bool = False) -> Any:
        return None if check_available and not runtime.is_available() else Device("cuda")

    accelerator.current_accelerator = current_accelerator
    # what `torch.distributed` asks for the device of a mesh, there or not
    torch._C._get_accelerator = lambda: Device("cuda")
    for name, replacement in (
        ("is_available", cuda.is_available),
        ("device_count", cuda.device_count),
        ("current_device_index", cuda.current_device),
        ("current_device_idx", cuda.current_device),
        ("set_device_index", cuda.set_device),
        ("set_device_idx", cuda.set_device),
        ("device_index", cuda.device),
        ("current_stream", cuda.current_stream),
        ("set_stream", cuda.set_stream),
        ("synchronize", cuda.synchronize),
        ("empty_cache", cuda.empty_cache),
        ("memory_allocated", cuda.memory_allocated),
        ("memory_reserved", cuda.memory_reserved),
        ("memory_stats", cuda.memory_stats),
        ("max_memory_allocated", cuda.max_memory_allocated),
        ("max_memory_reserved", cuda.max_memory_reserved),
        ("reset_peak_memory_stats", cuda.reset_peak_memory_stats),
    ):
        setattr(accelerator, name, replacement)
