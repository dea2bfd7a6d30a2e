"""Each rule about devices in operations, with the message that PyTorch gives."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 -- as everyone calls it
from simulated import simulated
from torch import nn

from torchdevlint.harness.simulator import DEVICE_MISMATCH, Machine, is_device_error

pytestmark = pytest.mark.needs_torch


def on(*shape: int) -> torch.Tensor:
    return torch.ones(*shape, device="cuda")


def host(*shape: int) -> torch.Tensor:
    return torch.ones(*shape)


def longs(*values: int) -> torch.Tensor:
    return torch.tensor(values)


def different(argument: str, place: str, others: str, method: str) -> str:
    return (
        f"Expected all tensors to be on the same device, but got {argument} is on {place}, different from other "
        f"tensors on {others} (when checking argument in method wrapper_CUDA_{method})"
    )


TWO_DEVICES = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
INDICES = "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "sum": (lambda: on(2) + host(2), TWO_DEVICES),
    "sum of host and device": (lambda: host(2) + on(2), TWO_DEVICES),
    "one element, one dimension": (lambda: on(2) * host(1), TWO_DEVICES),
    "device scalar to a host vector": (lambda: host(2) + torch.tensor(1.0, device="cuda"), TWO_DEVICES),
    "in place on a host scalar": (lambda: torch.tensor(0.0).add_(torch.tensor(1.0, device="cuda")), TWO_DEVICES),
    "comparison": (lambda: on(2) == host(2), TWO_DEVICES),
    "result on the host": (lambda: torch.add(on(2), on(2), out=host(2)), TWO_DEVICES),
    "branch of where": (lambda: torch.where(on(2) > 0, on(2), host(2)), TWO_DEVICES),
    "two host scalars": (
        lambda: on(2).addcmul(torch.tensor(1.0), torch.tensor(2.0)),
        "Trying to pass too many CPU scalars to non-CPU kernel!",
    ),
    "product of matrices": (lambda: on(2, 2) @ host(2, 2), different("mat2", "cpu", "cuda:0", "mm")),
    "batches": (lambda: torch.bmm(on(1, 2, 2), host(1, 2, 2)), different("mat2", "cpu", "cuda:0", "bmm")),
    "joined": (lambda: torch.cat([on(2), host(2)]), different("tensors", "cpu", "cuda:0", "cat")),
    "stacked": (lambda: torch.stack([on(2), host(2)]), different("tensors", "cpu", "cuda:0", "cat")),
    "equal": (lambda: torch.equal(on(2), host(2)), different("other", "cpu", "cuda:0", "_equal")),
    "gathered": (lambda: on(2).gather(0, longs(0)), different("index", "cpu", "cuda:0", "gather")),
    "rows selected": (
        lambda: on(2).index_select(0, longs(0)),
        different("index", "cpu", "cuda:0", "_index_select"),
    ),
    "elements selected": (
        lambda: on(2).masked_select(host(2) > 0),
        different("mask", "cpu", "cuda:0", "_masked_select"),
    ),
    "limited": (lambda: on(2).clamp(min=torch.tensor(0.0)), different("min", "cpu", "cuda:0", "clamp_Tensor")),
    "layer of the host": (lambda: nn.Linear(2, 2)(on(1, 2)), different("mat1", "cuda:0", "cpu", "addmm")),
    "input of the host": (lambda: nn.Linear(2, 2).cuda()(host(1, 2)), different("mat1", "cpu", "cuda:0", "addmm")),
    "embedding": (
        lambda: nn.Embedding(3, 2).cuda()(longs(0)),
        different("index", "cpu", "cuda:0", "_index_select"),
    ),
    "class labels": (
        lambda: F.cross_entropy(on(1, 2), longs(0)),
        different("target", "cpu", "cuda:0", "nll_loss_forward"),
    ),
    "regression targets": (lambda: F.mse_loss(on(2), host(2)), TWO_DEVICES),
    "host indexed by the device": (lambda: host(2)[longs(0).cuda()], INDICES),
    "host indexed by a mask": (lambda: host(2)[on(2) > 0], INDICES),
    "host assigned at indices": (lambda: host(2).__setitem__(longs(0).cuda(), 1.0), INDICES),
    "values of the host": (lambda: on(2).__setitem__(longs(0, 1), host(2)), TWO_DEVICES),
    "mask to fill": (
        lambda: on(2).masked_fill(host(2) > 0, 0.0),
        "expected self and mask to be on the same device, but got mask on cpu and self on cuda:0",
    ),
    "convolution of the device": (
        lambda: F.conv1d(host(1, 1, 3), on(1, 1, 3)),
        (
            "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or input "
            "should be a MKLDNN tensor and weight is a dense tensor"
        ),
    ),
    "convolution of the host": (
        lambda: F.conv1d(on(1, 1, 3), host(1, 1, 3)),
        "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
    ),
    "bias of the host": (
        lambda: F.conv1d(on(1, 1, 3), on(1, 1, 3), host(1)),
        "Input type (torch.cuda.FloatTensor) and bias type (torch.FloatTensor) should be the same",
    ),
    "attention": (
        lambda: F.scaled_dot_product_attention(on(1, 2, 4), on(1, 2, 4), host(1, 2, 4)),
        (
            "Expected query, key, and value to have the same device type, but got query.device: cuda:0 "
            "key.device: cuda:0 and value.device: cpu instead."
        ),
    ),
    "lengths of the device": (
        lambda: nn.utils.rnn.pack_padded_sequence(on(2, 1, 1), longs(2).cuda()),
        "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
    ),
    "recurrent layer of the device": (
        lambda: nn.LSTM(2, 2).cuda()(host(1, 1, 2)),
        (
            "Input and parameter tensors are not at the same device, found input tensor at cpu and parameter tensor at "
            "cuda:0"
        ),
    ),
    "hidden state of the host": (
        lambda: nn.GRU(2, 2).cuda()(on(1, 1, 2), host(1, 1, 2)),
        "Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden tensor at cpu",
    ),
    "shifted in place": (lambda: _shifted(torch.tensor(1), torch.tensor(1, device="cuda")), TWO_DEVICES),
    "scattered by a mask": (
        lambda: torch.tensor(1.0).masked_scatter(on(2) > 0, on(2)),
        different("mask", "cuda:0", "cpu", "_masked_scatter_"),
    ),
    "complex of a scalar": (
        lambda: torch.complex(on(2), torch.tensor(1.0)),
        different("imag", "cpu", "cuda:0", "out_complex_out"),
    ),
    "blocks": (
        lambda: torch.block_diag(on(2), torch.tensor(1.0)),
        "torch.block_diag: input tensors must all be on the same device.",
    ),
    "filled at a host scalar": (lambda: on(2).index_fill(0, torch.tensor(0), 1.0), TWO_DEVICES),
    "filled on the host at an index": (lambda: host(2).index_fill_(0, longs(0).cuda(), 1.0), TWO_DEVICES),
    "filled with a device scalar": (
        lambda: host(2).masked_fill(host(2) > 0, torch.tensor(2.0, device="cuda")),
        "masked_fill_: Expected inputs to be on same device",
    ),
    "tensordot into the host": (
        lambda: torch.tensordot(on(2, 2), on(2, 2), dims=1, out=host(2, 2)),
        (
            "tensordot: Expected the output and input tensors to be on the same device, but got the output tensor on "
            "cpu, input tensor a on cuda:0, and input tensor b on cuda:0"
        ),
    ),
    "inner product with a scalar": (
        lambda: torch.inner(on(2), other=torch.tensor(1.0)),
        (
            "Expected tensor to have cuda DeviceType, but got tensor with cpu DeviceType "
            "(while checking arguments for inner())"
        ),
    ),
    "copy into the host": (
        lambda: torch.t_copy(on(2, 2), out=host(2, 2)),
        "Expected out tensor to have device cuda:0, but got cpu instead",
    ),
    "softmax into the device": (
        lambda: torch.softmax(torch.tensor(1.0), 0, out=on(1)),
        different("self", "cpu", "cuda:0", "_softmax_out_out"),
    ),
    "pseudo-inverse into the host": (
        lambda: torch.linalg.pinv(on(2, 2), out=host(2, 2)),
        (
            "linalg.pinv: Expected result and input tensors to be on the same device, but got result on cpu and input "
            "on cuda:0"
        ),
    ),
    "quantile of the host": (
        lambda: torch.quantile(on(2), torch.tensor(0.5)),
        "quantile() q tensor must be on the same device as the input tensor",
    ),
    "quantile into the host": (
        lambda: torch.quantile(on(2), 0.5, out=torch.tensor(0.0)),
        "quantile() out tensor must be on the same device as the input tensor",
    ),
    "values without dimensions on the host": (
        lambda: torch.sort(on(2), out=(torch.tensor(0.0), longs(0).cuda())),
        different("indices", "cuda:0", "cpu", "sort_out_values_stable"),
    ),
    "lists of tensors": (lambda: torch._foreach_add([on(2), on(2)], [on(2), host(2)]), TWO_DEVICES),
    "generator of the host": (
        lambda: torch.randn(2, device="cuda", generator=torch.Generator()),
        "Expected a 'cuda' device type for generator but found 'cpu'",
    ),
    "generator of the device": (
        lambda: torch.randperm(2, generator=torch.Generator(device="cuda")),
        "Expected a 'cpu' device type for generator but found 'cuda'",
    ),
    "generator in place": (
        lambda: on(2).normal_(generator=torch.Generator()),
        "Expected a 'cuda' device type for generator but found 'cpu'",
    ),
    "pinned": (lambda: on(2).pin_memory(), "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"),
}


@pytest.mark.parametrize("case", REFUSED)
@simulated()
def test_is_refused_with_the_message_of_cuda(case: str) -> None:
    operation, message = REFUSED[case]
    with pytest.raises(RuntimeError) as caught:
        operation()
    assert str(caught.value) == message
    assert is_device_error(caught.value)


ALLOWED: dict[str, Callable[[], torch.Tensor]] = {
    "host scalar": lambda: on(2) * torch.tensor(2.0),
    "host scalar first": lambda: torch.tensor(2.0) - on(2),
    "host indices": lambda: on(2)[longs(0)],
    "host mask": lambda: on(2)[host(2) > 0],
    "copy": lambda: on(2).copy_(host(2)),
    "filled with a host scalar in place": lambda: on(2).fill_(torch.tensor(2.0)),
    "host rows copied into a copy": lambda: on(4).slice_scatter(host(2), 0, 0, 2),
    "ends on the host": lambda: torch.linspace(torch.tensor(0.0), torch.tensor(1.0), 3, device="cuda"),
    "tensordot into the device": lambda: torch.tensordot(on(2, 2), on(2, 2), dims=1, out=on(2, 2)),
    "inner product": lambda: torch.inner(on(2), on(2)),
    "tensordot of the device": lambda: torch.tensordot(on(2, 2), on(2, 2), dims=1),
    "filled at an index with a host scalar": lambda: on(2).index_fill(0, longs(0).cuda(), torch.tensor(1.0)),
    "quantiles of the device": lambda: on(2).quantile(on(2)),
    "assignment of a row": lambda: _assigned(on(2, 2), 0, host(2)),
    "assignment of a host scalar to a mask": lambda: _assigned(on(2), host(2) > 0, torch.tensor(2.0)),
    "filled with a host scalar": lambda: on(2).masked_fill(on(2) > 0, torch.tensor(2.0)),
    "branch without dimensions": lambda: torch.where(on(2) > 0, on(2), torch.tensor(2.0)),
    "number and a scalar tensor as limits": lambda: on(2).clamp(0.0, torch.tensor(1.0)),
    "shape of a host tensor": lambda: on(2, 2).view_as(host(4)),
    "sum of a list": lambda: sum([on(2), on(2)]),
    "packed with host lengths": lambda: nn.utils.rnn.pack_padded_sequence(on(2, 1, 1), longs(2)).data,
    "CTC with all but the probabilities on the host": lambda: F.ctc_loss(
        on(3, 1, 2).log_softmax(2), torch.ones(1, 1, dtype=torch.long), longs(3), longs(1)
    ),
    "CTC with lengths as numbers": lambda: F.ctc_loss(
        on(3, 1, 2).log_softmax(2), torch.ones(1, 1, dtype=torch.long, device="cuda"), (3,), (1,)
    ),
    "matching weights without dimensions": lambda: F.binary_cross_entropy_with_logits(
        on(2), on(2), pos_weight=torch.tensor(2.0)
    ),
}


def _shifted(value: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    value <<= by
    return value


def _assigned(target: torch.Tensor, index: object, value: torch.Tensor) -> torch.Tensor:
    target[index] = value
    return target


@pytest.mark.parametrize("case", ALLOWED)
@simulated()
def test_is_allowed_and_stays_on_the_device(case: str) -> None:
    assert ALLOWED[case]().device == torch.device("cuda", 0)


@simulated()
def test_host_indexed_by_a_device_scalar_stays_on_the_host() -> None:
    assert host(2)[torch.tensor(1, device="cuda")].device.type == "cpu"


@simulated()
def test_rows_of_the_device_are_copied_into_a_copy_on_the_host() -> None:
    assert host(4).slice_scatter(on(2), 0, 0, 2).device.type == "cpu"
    assert host(4).fill_(torch.tensor(2.0, device="cuda")).device.type == "cpu"


@simulated()
def test_a_range_is_made_where_the_call_asks_for_it() -> None:
    start = torch.tensor(0.0, device="cuda")
    assert torch.linspace(start, 1.0, 3).device.type == "cpu"
    assert torch._C._VariableFunctions.linspace(start, 1.0, 3).device.type == "cpu"


@simulated()
def test_what_is_written_to_may_have_no_device_yet() -> None:
    written = torch._C._VariableFunctions.zeros(2, 2)
    assert torch.t_copy(on(2, 2), out=written).device.type == "cuda"


@simulated()
def test_packing_leaves_sizes_on_the_host() -> None:
    packed = nn.utils.rnn.pack_padded_sequence(on(2, 1, 1), longs(2))
    assert (packed.data.device.type, packed.batch_sizes.device.type) == ("cuda", "cpu")


@simulated()
def test_loss_of_scalars_fails_in_backward_only() -> None:
    loss = F.mse_loss(torch.ones((), device="cuda", requires_grad=True), torch.zeros(()))
    with pytest.raises(RuntimeError, match=r"got target is on cpu.*wrapper_CUDA__mse_loss_backward"):
        loss.backward()


@simulated(Machine(2))
def test_two_devices_are_different() -> None:
    first, second = torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")
    with pytest.raises(RuntimeError, match="at least two devices, cuda:0 and cuda:1!"):
        first + second
    with pytest.raises(RuntimeError, match=re.escape(different("weight", "cuda:1", "cuda:0", "_cudnn_convolution"))):
        F.conv1d(torch.ones(1, 1, 3, device="cuda:0"), torch.ones(1, 1, 3, device="cuda:1"))


@simulated()
def test_rules_hold_in_threads() -> None:
    import threading

    errors: list[Exception] = []

    def work() -> None:
        try:
            on(2) + host(2)
        except RuntimeError as error:
            errors.append(error)

    class Worker(threading.Thread):
        def run(self) -> None:
            work()

    for thread in (threading.Thread(target=work), Worker()):
        thread.start()
        thread.join()
    assert [str(error) for error in errors] == [TWO_DEVICES, TWO_DEVICES]


def undecided(*shape: int) -> torch.Tensor:
    """What PyTorch's own code makes: it is not asked for by a function of `torch`."""
    result: torch.Tensor = torch._C._VariableFunctions.ones(shape)
    return result


@simulated()
def test_tensors_of_pytorchs_own_code_adopt_the_device_that_they_meet() -> None:
    for operation in (
        lambda mine: mine + on(2),
        lambda mine: torch.cat([mine, on(2)]),
        lambda mine: on(2).masked_fill(mine > 0, 0.0),
        lambda mine: on(2)[mine.long() - 1],
        lambda mine: F.conv1d(mine.view(1, 1, 2), on(1, 1, 2)),
        lambda mine: torch.block_diag(mine, on(2)),
    ):
        mine = undecided(2)
        assert mine.device.type == "cpu"
        assert operation(mine).device.type == "cuda"
    mine = undecided(2)
    mine + on(2)
    assert mine.device.type == "cuda"
    assert undecided(2).untyped_storage().device.type == "cpu"
    with pytest.raises(RuntimeError, match=re.escape(INDICES)):
        undecided(2)[longs(0).cuda()]


@simulated()
def test_rows_of_lists_are_compared_each_for_itself() -> None:
    first, second = torch._foreach_add([host(2), on(2)], [host(2), on(2)])
    assert (first.device.type, second.device.type) == ("cpu", "cuda")
    norms = torch._foreach_norm([on(4), host(4)])
    assert [each.device.type for each in norms] == ["cuda", "cpu"]


@simulated()
def test_lists_in_results_are_on_the_device() -> None:
    found, scale = torch.zeros(1, device="cuda"), torch.ones((), device="cuda")
    results, _ = torch.ops.aten._amp_foreach_non_finite_check_and_unscale([on(2)], found, scale)
    assert results[0].device.type == "cuda"


@pytest.mark.parametrize(
    ("message", "mismatch", "device_error"),
    [
        (TWO_DEVICES, True, True),
        (
            TWO_DEVICES.replace("!", "! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)"),
            True,
            True,
        ),
        ("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()", False, True),
        ("No CUDA GPUs are available", False, True),
        ("The size of tensor a (2) must match the size of tensor b (3)", False, False),
    ],
)
def test_messages_are_told_apart(message: str, mismatch: bool, device_error: bool) -> None:
    assert (re.search(DEVICE_MISMATCH, message) is not None) is mismatch
    assert is_device_error(RuntimeError(message)) is device_error
