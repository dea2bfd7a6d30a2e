"""Tensors that move: `to`, `cuda`, `cpu`, what hands values to the host, and what a tensor says about its device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn.parameter import UninitializedTensorMixin
from torch.overrides import handle_torch_function, has_torch_function_unary

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.checks import type_name
from torchdevlint.harness.simulator.devices import Requested, Runtime
from torchdevlint.harness.simulator.dispatch import kind_of_copy
from torchdevlint.harness.simulator.errors import SimulationError
from torchdevlint.harness.simulator.tags import CPU, Device, device_of

_NATIVE = {
    name: getattr(torch.Tensor, name)
    for name in ("to", "numpy", "__array__", "type", "tolist", "__repr__", "new", "__dlpack__")
}
_PARSE_TO = torch._C._nn._parse_to
_ARGUMENTS_OF_TO = {"device", "dtype", "non_blocking", "copy", "memory_format", "other"}


class ToCopyBackward(torch.autograd.Function):
    """A copy whose gradient goes back to where the tensor was."""

    @staticmethod
    def forward(context: Any, tensor: torch.Tensor, device: Device, mover: Mover, non_blocking: bool) -> torch.Tensor:
        """Copy."""
        context.source = device_of(tensor)
        context.mover = mover
        return mover.copy(tensor.detach(), device, non_blocking)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Any:
        """Copy back."""
        return context.mover.move(gradient, context.source), None, None, None


def _has_own_rules(tensor: torch.Tensor) -> bool:
    """Whether the tensor's class, or a mode, overrides PyTorch's functions; such a class keeps its type that way."""
    return has_torch_function_unary(tensor) and not isinstance(tensor, UninitializedTensorMixin)


class Mover:
    """Moves tensors between the devices of a machine."""

    def __init__(self, runtime: Runtime) -> None:
        """Move on the runtime's machine."""
        self._runtime = runtime

    def clone(self, tensor: torch.Tensor, device: Device) -> torch.Tensor:
        """A copy of the values on the device, without a gradient's history and without a note."""
        with tags.Native(), Requested(self._runtime, device), torch.no_grad():
            copy = torch._C.TensorBase.clone(torch._C.TensorBase.detach(tensor))
        return tags.tag_tensor(copy, device)

    def copy(self, tensor: torch.Tensor, device: Device, non_blocking: bool) -> torch.Tensor:
        """A copy of the values on the device, noted."""
        source = device_of(tensor)
        self._runtime.check_usable()
        to_host = device == CPU and source != CPU
        if not non_blocking and CPU in (device, source):
            self._runtime.note_wait("to")  # in either direction: the stream is synchronised after the copy
        self._runtime.ledger.note(kind_of_copy(source, device), tensor.nbytes, "to")
        copy = self.clone(tensor, device)
        if to_host and non_blocking:
            tags.pin(tags.storage_of(copy))  # PyTorch takes page-locked memory for the result
            if self._runtime.machine.asynchronous:
                self._runtime.pending.append((copy, self.clone(copy, CPU)))
                with tags.Native():
                    torch._C.TensorBase.zero_(copy)
        return copy

    def move(self, tensor: torch.Tensor, device: Device, non_blocking: bool = False) -> torch.Tensor:
        """The tensor on the device: itself if it is there already.

        Raises SimulationError for tensors that have no storage, such as sparse ones.
        """
        source = device_of(tensor)
        if source.type not in ("cpu", "cuda"):
            return _NATIVE["to"](tensor, CPU)  # of a meta tensor: raises
        if source == device:
            return tensor
        if tags.storage_of(tensor) is None:
            raise SimulationError(f"tensors without a storage cannot be simulated on a device ({tensor.layout})")
        with Requested(self._runtime, None):
            if tensor.requires_grad and torch.is_grad_enabled():
                return ToCopyBackward.apply(tensor, device, self, non_blocking)
            return self.copy(tensor, device, non_blocking)

    def parse_to(self, *args: Any, **kwargs: Any) -> Any:
        """PyTorch's parser of the arguments of `to`, for which a device may be an index or that of a tensor, too."""
        positional = list(args)
        if positional and type(positional[0]) is int:
            positional[0] = Device("cuda", positional[0])
        if type(kwargs.get("device")) is int:
            kwargs["device"] = Device("cuda", kwargs["device"])
        device, *further = _PARSE_TO(*positional, **kwargs)
        other = kwargs.get("tensor", positional[0] if positional else None)
        return device_of(other) if isinstance(other, torch.Tensor) else device, *further

    def to(self, tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        """`tensor.to(...)` in all its forms."""
        if _has_own_rules(tensor):
            return handle_torch_function(torch.Tensor.to, (tensor,), tensor, *args, **kwargs)
        if not set(kwargs) <= _ARGUMENTS_OF_TO:
            return _NATIVE["to"](tensor, *args, **kwargs)  # raises
        positional = list(args)
        copy = bool(kwargs.pop("copy", False))
        other = kwargs.pop("other", None)
        if positional and isinstance(positional[0], torch.Tensor):
            other = positional.pop(0)
            names = ("non_blocking", "copy")
            kwargs.update(zip(names, positional, strict=False))
            copy = bool(kwargs.pop("copy", copy))
            positional = []
        elif positional and isinstance(positional[-1], bool):
            copy, positional = self._split_copy(positional, copy)
        if other is not None:
            device, dtype = device_of(other), other.dtype
            non_blocking = bool(kwargs.get("non_blocking", False))
        else:
            device, dtype, non_blocking, _ = self.parse_to(*positional, **kwargs)
        return self._convert(tensor, device, dtype, bool(non_blocking), copy, kwargs.get("memory_format"))

    @staticmethod
    def _split_copy(positional: list[Any], copy: bool) -> tuple[bool, list[Any]]:
        """Take `copy` off the end: it is the second of two booleans."""
        if len(positional) >= 2 and isinstance(positional[-2], bool):
            return positional[-1], positional[:-1]
        return copy, positional

    def _convert(
        self, tensor: torch.Tensor, device: Any, dtype: Any, non_blocking: bool, copy: bool, memory_format: Any
    ) -> torch.Tensor:
        target = None if device is None else self._runtime.resolve(device)
        if target is not None and target.type not in ("cpu", "cuda"):
            return _NATIVE["to"](tensor, target)
        rest = {"dtype": dtype, "memory_format": memory_format}
        rest = {name: value for name, value in rest.items() if value is not None}
        stays = target is None or target == device_of(tensor)
        if stays and copy:
            rest["copy"] = True
        if rest:  # what is converted is converted where it is, and copied then
            with Requested(self._runtime, None):
                tensor = _NATIVE["to"](tensor, **rest)
        return tensor if stays else self.move(tensor, target, non_blocking)


def _refuse_numpy(tensor: torch.Tensor) -> None:
    device = device_of(tensor)
    if device.type == "cuda":
        raise TypeError(
            f"can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
            "first."
        )


def patch_tensor(runtime: Runtime, mover: Mover) -> None:
    """Replace the methods and attributes of tensors that know of devices."""
    tensor_class = torch.Tensor
    native_interface = tensor_class.__cuda_array_interface__.fget

    def replace(name: str) -> Callable[[Callable[..., Any]], None]:
        return lambda function: setattr(tensor_class, name, function)

    tensor_class.device = property(device_of)
    tensor_class.is_cuda = property(lambda tensor: device_of(tensor).type == "cuda")
    tensor_class.is_cpu = property(lambda tensor: device_of(tensor).type == "cpu")
    torch._C._nn._parse_to = mover.parse_to

    @replace("to")
    def _to(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return mover.to(tensor, *args, **kwargs)

    @replace("type_as")
    def _type_as(tensor: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return mover.to(tensor, other)

    @replace("record_stream")
    def _record_stream(tensor: torch.Tensor, stream: Any) -> None:
        """Memory is never reused too early."""

    @replace("cuda")
    def _cuda(
        tensor: torch.Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None
    ) -> torch.Tensor:
        target = runtime.resolve("cuda" if device is None else device)
        if target.type != "cuda":
            raise RuntimeError(f"Invalid device, must be cuda device, but got {target}")
        return mover.to(tensor, target, non_blocking=non_blocking, memory_format=memory_format)

    @replace("cpu")
    def _cpu(tensor: torch.Tensor, memory_format: Any = None) -> torch.Tensor:
        return mover.to(tensor, CPU, memory_format=memory_format)

    @replace("get_device")
    def _get_device(tensor: torch.Tensor) -> int:
        device = device_of(tensor)
        return int(device.index) if device.type == "cuda" else -1

    torch.get_device = _get_device_function

    @replace("numpy")
    def _numpy(tensor: torch.Tensor, *, force: bool = False) -> Any:
        if force:
            return _NATIVE["numpy"](mover.move(tensor.detach(), CPU), force=True)
        _refuse_numpy(tensor)
        return _NATIVE["numpy"](tensor)

    @replace("__array__")
    def _array(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        _refuse_numpy(tensor)
        return _NATIVE["__array__"](tensor, *args, **kwargs)

    @replace("__dlpack__")
    def _dlpack(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if device_of(tensor).type == "cuda":
            raise SimulationError("DLPack of a tensor on a device cannot be simulated")
        return _NATIVE["__dlpack__"](tensor, *args, **kwargs)

    def cuda_array_interface(tensor: torch.Tensor) -> Any:
        if device_of(tensor).type == "cuda":
            raise SimulationError("the memory of a tensor on a device cannot be simulated for other libraries")
        return native_interface(tensor)

    tensor_class.__cuda_array_interface__ = property(cuda_array_interface)

    @replace("tolist")
    def _tolist(tensor: torch.Tensor) -> Any:
        return _NATIVE["tolist"](mover.move(tensor.detach(), CPU))

    @replace("pin_memory")
    def _pin_memory(tensor: torch.Tensor, device: Any = None) -> torch.Tensor:
        place = device_of(tensor)
        if place.type == "cuda":
            raise RuntimeError(f"cannot pin '{type_name(tensor, place)}' only dense CPU tensors can be pinned")
        runtime.initialise()
        if tags.is_pinned(tags.storage_of(tensor)):
            return tensor
        pinned = mover.clone(tensor, CPU)
        tags.pin(tags.storage_of(pinned))
        return pinned

    @replace("is_pinned")
    def _is_pinned(tensor: torch.Tensor, device: Any = None) -> bool:
        storage = tags.storage_of(tensor)
        return storage is not None and tags.is_pinned(storage)

    @replace("__repr__")
    def _repr(tensor: torch.Tensor, *, tensor_contents: Any = None) -> str:
        device = device_of(tensor)
        if device.type != "cuda":
            return str(_NATIVE["__repr__"](tensor, tensor_contents=tensor_contents))
        values = repr(mover.move(tensor.detach(), CPU))[:-1]
        history = ", requires_grad=True" if tensor.requires_grad else ""
        if tensor.grad_fn is not None:
            history = f", grad_fn=<{tensor.grad_fn.name()}>"
        return f"{values}, device='{device}'{history})"


def _get_device_function(tensor: torch.Tensor) -> Any:
    return tensor.get_device()


def native_method(name: str) -> Any:
    """PyTorch's own method of tensors, as it was before the installation."""
    return _NATIVE[name]
