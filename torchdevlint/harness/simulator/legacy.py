"""The tensor types of old: `torch.cuda.FloatTensor`, `tensor.type(...)`, `tensor.new(...)`, the default tensor type."""

from __future__ import annotations

from typing import Any

import torch

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.checks import type_name
from torchdevlint.harness.simulator.devices import Requested, Runtime
from torchdevlint.harness.simulator.factories import Defaults
from torchdevlint.harness.simulator.tags import CPU, Device, device_of
from torchdevlint.harness.simulator.transfers import Mover, native_method

_DTYPES = {
    "Float": torch.float32,
    "Double": torch.float64,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Byte": torch.uint8,
    "Char": torch.int8,
    "Short": torch.int16,
    "Int": torch.int32,
    "Long": torch.int64,
    "Bool": torch.bool,
}
_PREFIX = "torch.cuda."


class _DeviceTypeMeta(type):
    """Makes classes that stand for a kind of tensor of the device, and that no tensor is really an instance of."""

    dtype: Any
    runtime: Runtime
    mover: Mover

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Tensor) and device_of(instance).type == "cuda" and instance.dtype == cls.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """`torch.cuda.FloatTensor(2, 3)`, of a size, of data, of a tensor, of nothing."""
        device = cls.runtime.resolve(kwargs.pop("device", "cuda"))
        if device.type != "cuda":
            raise RuntimeError(f"legacy constructor expects device type: cuda but device type: {device} was passed")
        data = args[0] if args else None
        if isinstance(data, torch.Tensor):
            if not cls.__instancecheck__(data):
                found = type_name(data, device_of(data))
                raise TypeError(f"expected {cls.__qualname__} (got {found})")
            return data.view_as(data).detach()
        scalar = next(short for short, dtype in _DTYPES.items() if dtype == cls.dtype)
        host_class = getattr(torch, f"{scalar}Tensor")
        return tags.tag_tensor(cls.mover.clone(host_class(*args, **kwargs), device), device)


class _HostTypeMeta(type):
    """Makes classes that stand for a kind of tensor of the host (`torch.FloatTensor`): what they make stays there."""

    native: Any
    runtime: Runtime

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.native) and device_of(instance) == CPU

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """`torch.FloatTensor(2, 3)` and its kin."""
        with Requested(cls.runtime, CPU):
            return cls.native(*args, **kwargs)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.native, name)


def _host_type(scalar: str, runtime: Runtime) -> Any:
    name = f"{scalar}Tensor"
    members = {"__module__": "torch", "native": getattr(torch, name), "runtime": runtime, "__qualname__": name}
    return _HostTypeMeta(name, (), members)


def _native(type_or_name: Any) -> Any:
    """The type that PyTorch itself knows."""
    return type_or_name.native if isinstance(type_or_name, _HostTypeMeta) else type_or_name


def _device_type(scalar: str, runtime: Runtime, mover: Mover) -> Any:
    name = f"{scalar}Tensor"
    members = {
        "__module__": "torch.cuda",
        "dtype": _DTYPES[scalar],
        "is_cuda": True,
        "layout": torch.strided,
        "runtime": runtime,
        "mover": mover,
        "__qualname__": f"{_PREFIX}{name}",
    }
    return _DeviceTypeMeta(name, (), members)


def patch_legacy(runtime: Runtime, mover: Mover) -> None:
    """Replace the old types and what takes them."""
    for scalar in _DTYPES:
        setattr(torch.cuda, f"{scalar}Tensor", _device_type(scalar, runtime, mover))
        setattr(torch, f"{scalar}Tensor", _host_type(scalar, runtime))

    def type_(tensor: torch.Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        place = device_of(tensor)
        if dtype is None:
            return type_name(tensor, place)
        if isinstance(dtype, torch.dtype):
            return mover.to(tensor, dtype)
        device_type = _named_device_type(dtype)
        if device_type is not None:
            target = place if place.type == "cuda" else runtime.resolve("cuda")
            return mover.to(mover.to(tensor, target, non_blocking=non_blocking), device_type.dtype)
        moved = mover.move(tensor, CPU, non_blocking=non_blocking)
        return native_method("type")(moved, _native(dtype), **kwargs)

    def new(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if device_of(tensor).type not in ("cpu", "cuda"):
            return native_method("new")(tensor, *args, **kwargs)
        place = runtime.resolve(kwargs.pop("device", device_of(tensor)))
        if place.type != device_of(tensor).type:
            raise RuntimeError(
                f"legacy new expects device type: {device_of(tensor).type} but device type: {place.type} was passed"
            )
        if args and isinstance(args[0], torch.Tensor):
            expected, found = type_name(tensor, place), type_name(args[0], device_of(args[0]))
            if expected != found:
                raise TypeError(f"expected {expected} (got {found})")
            return native_method("new")(tensor, *args, **kwargs)
        with Requested(runtime, CPU), tags.Native():
            made = native_method("new")(tensor, *args, **kwargs)
        return tags.tag_tensor(made, place)

    torch.Tensor.type = type_
    torch.Tensor.new = new
    _patch_default_type(runtime)


def _named_device_type(type_or_name: Any) -> Any:
    """The class of `torch.cuda` that is meant, or None if it is a type of the host."""
    if isinstance(type_or_name, str):
        if not type_or_name.startswith(_PREFIX):
            return None
        return getattr(torch.cuda, type_or_name.removeprefix(_PREFIX), None)
    return type_or_name if isinstance(type_or_name, _DeviceTypeMeta) else None


def _patch_default_type(runtime: Runtime) -> None:
    native_set = torch.set_default_tensor_type
    native_new = torch._C.TensorBase.__new__

    def set_default_tensor_type(type_or_name: Any) -> None:
        device_type = _named_device_type(type_or_name)
        if device_type is None:
            named = isinstance(type_or_name, str) and getattr(torch, type_or_name.removeprefix("torch."), None)
            native_set(_native(named or type_or_name))
            Defaults.device = CPU
            return
        if not device_type.dtype.is_floating_point:
            raise TypeError("only floating-point types are supported as the default type")
        device = runtime.resolve("cuda")
        native_set(_native(getattr(torch, device_type.__name__)))  # the dtype, and PyTorch's warning
        Defaults.device = Device(device.type)

    def new_tensor_object(cls: Any, *args: Any, **kwargs: Any) -> Any:
        """`torch.Tensor(...)` makes a tensor of the default type."""
        with Requested(runtime, CPU):
            made = native_new(cls, *args, **kwargs)
        if Defaults.device != CPU and cls is torch.Tensor and not (args and isinstance(args[0], torch.Tensor)):
            tags.tag_tensor(made, runtime.resolve(Defaults.device))
        return made

    torch.set_default_tensor_type = set_default_tensor_type
    torch.Tensor.__new__ = new_tensor_object
