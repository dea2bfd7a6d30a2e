"""Operations that PyTorch composes after a look at the device: recurrent layers, attention, the CTC loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.scripting import replace_function
from torchdevlint.harness.simulator.tags import device_of
from torchdevlint.harness.simulator.transfers import Mover


def _check_devices(data: torch.Tensor, hidden: Any, weights: Any) -> None:
    """What `check_attributes` in ATen's `native/RNN.h` compares, in its order and with its texts."""
    device = device_of(data)
    for state in hidden if isinstance(hidden, (list, tuple)) else [hidden]:
        if device_of(state) != device:
            raise RuntimeError(
                f"Input and hidden tensors are not at the same device, found input tensor at {device} and hidden "
                f"tensor at {device_of(state)}"
            )
    for weight in weights:
        if device_of(weight) != device:
            raise RuntimeError(
                f"Input and parameter tensors are not at the same device, found input tensor at {device} and parameter "
                f"tensor at {device_of(weight)}"
            )


def _layer(native: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        # either (input, state, weights, …), or packed: (data, batch sizes, state, weights, …)
        packed = isinstance(args[1], torch.Tensor) and isinstance(args[3], (list, tuple))
        hidden, weights = (args[2], args[3]) if packed else (args[1], args[2])
        _check_devices(args[0], hidden, weights)
        device = device_of(args[0])
        return tuple(tags.tag_tensor(result, device) for result in native(*args))

    return run


def patch_composed(mover: Mover) -> None:
    """Replace the functions that PyTorch composes after a look at the device."""
    for name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        setattr(torch._VF, name, _layer(getattr(torch._VF, name)))
    native_ctc = torch.ctc_loss

    def ctc_loss(log_probs: torch.Tensor, targets: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        """Targets and lengths may be anywhere.

        ATen's `native/LossCTC.cpp` moves targets to the device of the probabilities and reads lengths on the host.
        """
        device = device_of(log_probs)
        lengths = [mover.move(value, device) if isinstance(value, torch.Tensor) else value for value in args]
        named = {
            name: mover.move(value, device) if isinstance(value, torch.Tensor) else value
            for name, value in kwargs.items()
        }
        return native_ctc(log_probs, mover.move(targets, device), *lengths, **named)

    replace_function(torch, "ctc_loss", ctc_loss)
    _patch_attention()
    _patch_meshgrid()
    _patch_matrix_rank()
    _patch_tensordot()
    _patch_linear_algebra()
    for name, check in (("quantile", _check_quantile), ("nanquantile", _check_quantile), ("inner", _check_inner)):
        for owner in (torch, torch.Tensor):
            replace_function(owner, name, _checked(getattr(owner, name), check))


def _patch_attention() -> None:
    native = torch._C._nn.scaled_dot_product_attention

    def scaled_dot_product_attention(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *args: Any, **kwargs: Any
    ) -> Any:
        """Compares devices before anything else, as `validate_sdpa_input` in ATen's `attention.cpp` does."""
        three = device_of(query), device_of(key), device_of(value)
        if len(set(three)) > 1:
            raise RuntimeError(
                f"Expected query, key, and value to have the same device type, but got query.device: {three[0]} "
                f"key.device: {three[1]} and value.device: {three[2]} instead."
            )
        return native(query, key, value, *args, **kwargs)

    for module in (torch._C._nn, torch.nn.functional):
        replace_function(module, "scaled_dot_product_attention", scaled_dot_product_attention)


def _patch_meshgrid() -> None:
    native = torch._VF.meshgrid

    def meshgrid(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        """Compares devices, as `meshgrid` in ATen's `TensorShape.cpp` does."""
        if len({device_of(tensor) for tensor in tensors}) > 1:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same device")
        return native(tensors, *args, **kwargs)

    torch._VF.meshgrid = meshgrid


def _patch_matrix_rank() -> None:
    native = torch.linalg.matrix_rank

    def matrix_rank(matrix: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        """For a matrix without elements PyTorch returns zeros that no operation has led to."""
        rank = native(matrix, *args, **kwargs)
        return tags.tag_tensor(rank, device_of(matrix)) if tags.tag_of(rank) is tags.ADOPTS else rank

    replace_function(torch.linalg, "matrix_rank", matrix_rank)


def _patch_tensordot() -> None:
    native = torch._VF.tensordot

    def tensordot(a: torch.Tensor, b: torch.Tensor, *args: Any, out: torch.Tensor | None = None) -> Any:
        """Compares devices after the product, as `tensordot_out` in ATen's `Linear.cpp` does."""
        if out is None:
            return native(a, b, *args)
        product = native(a, b, *args)
        if device_of(out) != device_of(product):
            raise RuntimeError(
                "tensordot: Expected the output and input tensors to be on the same device, but got the output tensor "
                f"on {device_of(out)}, input tensor a on {device_of(a)}, and input tensor b on {device_of(b)}"
            )
        return native(a, b, *args, out=out)

    torch._VF.tensordot = tensordot


def _patch_linear_algebra() -> None:
    """Compare devices with `out=`, as `checkSameDevice` of ATen's `LinearAlgebraUtils.h` does."""
    for name in ("pinv", "matrix_norm"):
        replace_function(torch.linalg, name, _checking_out(name, getattr(torch.linalg, name)))


def _checking_out(name: str, native: Callable[..., Any]) -> Callable[..., Any]:
    def call(matrix: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        if out is not None and device_of(out) != device_of(matrix):
            raise RuntimeError(
                f"linalg.{name}: Expected result and input tensors to be on the same device, but got result on "
                f"{device_of(out)} and input on {device_of(matrix)}"
            )
        return native(matrix, *args, **kwargs)

    return call


def _checked(
    native: Callable[..., Any], check: Callable[[torch.Tensor, torch.Tensor, str], None]
) -> Callable[..., Any]:
    """The function, which first compares the devices of its first argument with those of its second and its result."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *(value for name, value in kwargs.items() if name != "out")]
        for role, other in (("q", given[1]), ("out", kwargs.get("out"))):
            if isinstance(other, torch.Tensor):
                check(given[0], other, role)
        return native(*args, **kwargs)

    return call


def _check_quantile(tensor: torch.Tensor, other: torch.Tensor, role: str) -> None:
    """What `quantile_checks` and `quantile_out_impl` in ATen's `Sorting.cpp` compare."""
    if device_of(other) != device_of(tensor):
        raise RuntimeError(f"quantile() {role} tensor must be on the same device as the input tensor")


def _check_inner(tensor: torch.Tensor, other: torch.Tensor, role: str) -> None:
    """What `inner` in ATen's `LinearAlgebra.cpp` compares, which are the types."""
    one, two = device_of(tensor).type, device_of(other).type
    if one != two:
        raise RuntimeError(
            f"Expected tensor to have {one} DeviceType, but got tensor with {two} DeviceType "
            "(while checking arguments for inner())"
        )
