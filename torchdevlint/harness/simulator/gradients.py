"""Gradients and devices: the engine refuses those that are not where their tensor is.

The texts are those of `validate_outputs` in torch's `csrc/autograd/engine.cpp` and of `THPVariable_set_grad`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.errors import SimulationError
from torchdevlint.harness.simulator.tags import ADOPTS, Device, device_of
from torchdevlint.harness.simulator.transfers import Mover

_DEVICES = "_simulated_input_devices"


def fitting_gradient(mover: Mover, gradient: Any, device: Device, place: int, subject: str) -> Any:
    """The gradient, moved if it has no dimensions.

    Raises RuntimeError if it is on another device than its tensor, SimulationError for a batch of gradients.
    """
    if not isinstance(gradient, torch.Tensor) or tags.tag_of(gradient) in (ADOPTS, device):
        return gradient
    if tags.storage_of(gradient) is None:
        raise SimulationError("gradients of a function transform (vmap) for tensors on a device cannot be simulated")
    if gradient.dim() == 0:
        return mover.move(gradient, device)
    raise RuntimeError(
        f"{subject}invalid gradient at index {place} - expected device {device} but got {device_of(gradient)}"
    )


def patch_gradients(mover: Mover) -> None:
    """Replace the entry to autograd's engine, `tensor.grad`, and how functions of Python are differentiated."""
    run = torch.autograd._engine_run_backward

    def run_backward(outputs: Any, gradients: Any, *args: Any, **kwargs: Any) -> Any:
        fitting = tuple(
            fitting_gradient(mover, gradient, device_of(output), place, "")
            if isinstance(output, torch.Tensor)
            else gradient  # an edge of the graph
            for place, (output, gradient) in enumerate(zip(outputs, gradients, strict=True))
        )
        return run(outputs, fitting, *args, **kwargs)

    torch.autograd._engine_run_backward = run_backward
    _patch_grad_attribute()
    _patch_functions(mover)


def _patch_grad_attribute() -> None:
    native = torch._C.TensorBase.grad

    def get(tensor: torch.Tensor) -> Any:
        gradient = native.__get__(tensor)
        if gradient is not None and tags.tag_of(gradient) is ADOPTS:  # made by the engine itself
            tags.tag_tensor(gradient, device_of(tensor))
        return gradient

    def set_(tensor: torch.Tensor, gradient: Any) -> None:
        if isinstance(gradient, torch.Tensor) and tags.tag_of(gradient) not in (ADOPTS, device_of(tensor)):
            found, expected = device_of(gradient), device_of(tensor)
            raise RuntimeError(
                f"attempting to assign a gradient with device type '{found.type}' to a tensor with device type "
                f"'{expected.type}'. Please ensure that the gradient and the tensor are on the same device"
            )
        native.__set__(tensor, gradient)

    torch.Tensor.grad = property(get, set_, native.__delete__)


def _patch_functions(mover: Mover) -> None:
    """Compare what a `torch.autograd.Function` returns from `backward` with what was given to its `forward`."""
    function = torch.autograd.Function
    bound = next(vars(base)["apply"] for base in function.__mro__ if "apply" in vars(base))  # in C since PyTorch 2.14
    apply_backward = BackwardCFunction.apply

    def forward(cls: Any, *args: Any, **kwargs: Any) -> Any:
        devices = [device_of(value) if isinstance(value, torch.Tensor) else None for value in args]
        result = bound.__get__(None, cls)(*args, **kwargs)
        for output in result if isinstance(result, tuple) else (result,):
            node = output.grad_fn if isinstance(output, torch.Tensor) else None
            if isinstance(node, BackwardCFunction):
                setattr(node, _DEVICES, devices)
        return result

    def backward(node: Any, *args: Any) -> Any:
        result = apply_backward(node, *args)
        devices = getattr(node, _DEVICES, None)
        if devices is None:
            return result
        gradients = result if isinstance(result, tuple) else (result,)
        subject = f"Function {type(node).__name__} returned an "
        fitting = [
            gradient if device is None else fitting_gradient(mover, gradient, device, place, subject)
            for place, (gradient, device) in enumerate(zip(gradients, devices, strict=False))
        ]
        fitting.extend(gradients[len(fitting) :])
        return tuple(fitting) if isinstance(result, tuple) else fitting[0]

    function.apply = classmethod(forward)
    BackwardCFunction.apply = backward
