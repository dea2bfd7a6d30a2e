"""Functions that make tensors: they make them on the CPU, and say for which device that was asked."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext, _device_constructors

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.devices import Requested, Runtime
from torchdevlint.harness.simulator.errors import SimulationError
from torchdevlint.harness.simulator.scripting import replace_function
from torchdevlint.harness.simulator.tags import CPU, Device, device_of
from torchdevlint.harness.simulator.transfers import Mover

_LIKE = ("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like")
_METHODS = ("new_empty", "new_zeros", "new_ones", "new_full", "new_empty_strided")
_CONVERTERS = ("tensor", "as_tensor", "asarray")
# they take a device, but a default device means nothing to them
_WITHOUT_DEFAULT = ("normal",)
_UNSUPPORTED = ("sparse_", "nested_tensor", "empty_quantized")


class Defaults:
    """The device of the default tensor type: one for the process, unlike a default device."""

    device: Device = CPU


def default_device() -> Device:
    """The device of the innermost `with torch.device(...)`, of `torch.set_default_device`, or of the default type."""
    for mode in reversed(_get_current_function_mode_stack()):
        if isinstance(mode, DeviceContext):
            return mode.device
    return Defaults.device


@dataclass(frozen=True, slots=True)
class _Factories:
    """Wraps the functions for one machine."""

    runtime: Runtime
    mover: Mover

    def place(self, device: Any, otherwise: Callable[[], Device]) -> Device:
        """The device for a value of the keyword `device`."""
        return self.runtime.resolve(otherwise() if device is None else device)

    def make(self, original: Callable[..., Any], device: Device, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Call a factory that is asked for the device."""
        if device.type not in ("cpu", "cuda"):
            return original(*args, device=device, **kwargs)
        if device.type == "cuda" and original.__name__.startswith(_UNSUPPORTED):
            raise SimulationError(f"torch.{original.__name__} on a device cannot be simulated")
        pinned = kwargs.pop("pin_memory", False)
        with Requested(self.runtime, device):
            made = original(*args, device=CPU, **kwargs)
        storage = tags.storage_of(made)
        if storage is not None and pinned:
            self.runtime.initialise()
            tags.pin(storage)
        if storage is not None and tags.tag_of_storage(storage) != device:
            tags.tag_storage(storage, device)
        return made

    def constructor(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function such as `torch.zeros`."""

        @functools.wraps(original)
        def construct(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("out") is not None:
                return original(*args, **kwargs)
            device = self.place(kwargs.pop("device", None), default_device)
            return self.make(original, device, args, kwargs)

        return construct

    def without_default(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function that takes sizes and a device, or tensors that say where the result is."""

        @functools.wraps(original)
        def construct(*args: Any, **kwargs: Any) -> Any:
            tensors = any(isinstance(value, torch.Tensor) for value in (*args, *kwargs.values()))
            if tensors or kwargs.get("out") is not None:
                return original(*args, **kwargs)
            return self.make(original, self.place(kwargs.pop("device", None), lambda: CPU), args, kwargs)

        return construct

    def like(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function that makes a tensor like its first argument."""

        @functools.wraps(original)
        def construct(*args: Any, **kwargs: Any) -> Any:
            source = args[0] if args else kwargs.get("input")
            if not isinstance(source, torch.Tensor):
                return original(*args, **kwargs)  # raises
            device = self.place(kwargs.pop("device", None), lambda: tags.device_of(source))
            if tags.storage_of(source) is None and device_of(source).type == "cpu":
                if device.type == "cuda":
                    raise SimulationError(
                        f"torch.{original.__name__} of a tensor without a storage cannot be simulated"
                    )
                return original(*args, device=device, **kwargs)  # sparse
            return self.make(original, device, args, kwargs)

        return construct

    def converter(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        """Wrap a function that makes tensors from data, which may be a tensor."""
        keyword = "obj" if name == "asarray" else "data"

        @functools.wraps(original)
        def construct(*args: Any, **kwargs: Any) -> Any:
            args = args or (kwargs.pop(keyword, None),)
            source = args[0]
            device = kwargs.pop("device", None)
            if name == "as_tensor" and len(args) > 2:  # the only one that takes a device by position
                device, args = args[2], args[:2]
            if isinstance(source, torch.Tensor):
                return self._from_tensor(
                    original, name, source, device, kwargs if not args[1:] else {**kwargs, "dtype": args[1]}
                )
            target = self.place(device, default_device)
            if target.type == "cuda":  # the copy is a tensor of its own: data of an array is shared on the CPU only
                requires_grad = bool(kwargs.pop("requires_grad", False))
                made = original(*args, device=CPU, **kwargs)
                return self.mover.clone(made, target).requires_grad_(requires_grad)
            return self.make(original, target, args, kwargs)

        return construct

    def _from_tensor(
        self, original: Callable[..., Any], name: str, source: torch.Tensor, device: Any, kwargs: dict[str, Any]
    ) -> Any:
        """`torch.tensor(t)` copies (and warns), `torch.as_tensor(t)` converts if it must; both stay on t's device."""
        target = self.place(device, lambda: device_of(source))
        if target.type not in ("cpu", "cuda") or tags.storage_of(source) is None:
            return original(source, device=target, **kwargs)
        dtype = kwargs.get("dtype")
        if name == "tensor":
            with Requested(self.runtime, None):
                made = original(source.detach(), **{**kwargs, "requires_grad": False})
            copy = (
                self.mover.copy(made, target, False) if target != device_of(source) else self.mover.clone(made, target)
            )
            return copy.requires_grad_(bool(kwargs.get("requires_grad", False)))
        converted = self.mover.to(source, target, dtype=dtype, copy=bool(kwargs.get("copy")))
        return converted.requires_grad_() if kwargs.get("requires_grad") else converted


def patch_factories(runtime: Runtime, mover: Mover) -> None:
    """Replace the functions that make tensors, and generators of random numbers."""
    factories = _Factories(runtime, mover)
    constructors: set[Any] = _device_constructors()
    for original in list(constructors):  # cached by PyTorch: it goes on to hold the originals
        name = original.__name__
        for module in (torch, torch.fft, torch.nested):
            short = name.removeprefix("fft_") if module is torch.fft else name
            if not hasattr(module, short) or getattr(module, short) is not original:
                continue
            wrap = functools.partial(factories.converter, name=name) if name in _CONVERTERS else factories.constructor
            replace_function(module, short, wrap(original))
    for name in _LIKE:
        replace_function(torch, name, factories.like(getattr(torch, name)))
    for name in _METHODS:
        setattr(torch.Tensor, name, factories.like(getattr(torch.Tensor, name)))
    for name in _WITHOUT_DEFAULT:
        replace_function(torch, name, factories.without_default(getattr(torch, name)))

    def new_tensor(
        tensor: torch.Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Any:
        place = device_of(tensor) if device is None else device
        return torch.tensor(data, dtype=dtype or tensor.dtype, device=place, requires_grad=requires_grad)

    torch.Tensor.new_tensor = new_tensor
    torch.get_default_device = lambda: runtime.resolve(default_device())
    torch.Generator = _generator_class(runtime)


def _generator_class(runtime: Runtime) -> Any:
    """A class of generators that may be of the device; their numbers are those of a generator of the CPU."""
    native: Any = torch._C.Generator
    kind: Any = type(native)

    class GeneratorMeta(kind):
        """Generators that PyTorch made are generators, too."""

        def __instancecheck__(self, instance: object) -> bool:
            return isinstance(instance, native)

    class Generator(torch._C.Generator, metaclass=GeneratorMeta):
        """A generator with the device that it was asked for."""

        def __new__(cls, device: Any = "cpu") -> Any:
            made = super().__new__(cls, device=CPU)
            runtime.generators[made._cdata] = runtime.resolve(device)
            return made

        def __init__(self, device: Any = "cpu") -> None:
            """The native class has nothing to do here."""

        @property
        def device(self) -> Device:
            """The device for whose tensors it makes numbers."""
            return runtime.generator_device(self)

    Generator.__module__ = "torch"
    Generator.__qualname__ = "Generator"
    return Generator
