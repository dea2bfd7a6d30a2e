"""Storages: their device, copies of them, and what `torch.save` and `torch.load` do with them."""

from __future__ import annotations

from typing import Any

import torch

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.devices import Runtime
from torchdevlint.harness.simulator.errors import SimulationError
from torchdevlint.harness.simulator.tags import ADOPTS, CPU, Device

_native_device = torch._C.StorageBase.device.__get__


def _device(storage: Any) -> Device:
    native: Device = _native_device(storage)
    if native.type != "cpu":
        return native
    tag = tags.tag_of_storage(storage)
    return CPU if tag is ADOPTS else tag


def _copy(storage: Any, device: Device) -> Any:
    copy = torch.UntypedStorage(storage.nbytes())
    if storage.nbytes():
        copy.copy_(storage)
    tags.tag_storage(copy, device)
    return copy


def patch_storages(runtime: Runtime) -> None:
    """Replace the methods of storages that know of devices; PyTorch's serialization calls them."""
    storage_class = torch.UntypedStorage
    native_to = torch.storage._StorageBase.to
    native_new = torch._C.StorageBase.__new__
    native_clone = torch.storage._StorageBase.clone

    def to(storage: Any, *, device: Any, non_blocking: bool = False) -> Any:
        target = runtime.resolve(device)
        if _native_device(storage).type != "cpu" or target.type not in ("cpu", "cuda"):
            return native_to(storage, device=target)
        return storage if target == _device(storage) else _copy(storage, target)

    def cuda(storage: Any, device: Any = None, non_blocking: bool = False) -> Any:
        return to(storage, device="cuda" if device is None else device)

    def clone(storage: Any) -> Any:
        return native_clone(storage) if _native_device(storage).type != "cpu" else _copy(storage, _device(storage))

    def get_device(storage: Any) -> int:
        device = _device(storage)
        return int(device.index) if device.type == "cuda" else -1

    def share(storage: Any, *args: Any, **kwargs: Any) -> Any:
        raise SimulationError("tensors on a device that are shared between processes cannot be simulated")

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        """`torch.UntypedStorage(4, device="cuda")`, by which typed storages are made, too."""
        device = kwargs.get("device")
        target = None if device is None else runtime.resolve(device)
        if target is None or target.type != "cuda":
            return native_new(cls, *args, **kwargs)
        made = native_new(cls, *args, **{**kwargs, "device": CPU})
        tags.tag_storage(made, target)
        return made

    storage_class.__new__ = new
    storage_class.device = property(_device)
    storage_class.is_cuda = property(lambda storage: _device(storage).type == "cuda")
    storage_class.to = to
    storage_class.cpu = lambda storage: to(storage, device=CPU)
    storage_class.cuda = cuda
    storage_class.clone = clone
    storage_class.get_device = get_device
    storage_class._share_cuda_ = share
