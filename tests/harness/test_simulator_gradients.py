"""Gradients, recurrent layers, optimizers and mixed precision: where devices meet after the forward."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from simulated import simulated
from torch import nn

from torchdevlint.harness.simulator import install

pytestmark = pytest.mark.needs_torch
CUDA = torch.device("cuda", 0)
INVALID = "invalid gradient at index 0 - expected device cuda:0 but got cpu"


@simulated()
def test_gradients_for_the_output_must_be_with_it() -> None:
    leaf = torch.ones(2, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match=f"^{INVALID}$"):
        (leaf * 2).backward(torch.ones(2))
    with pytest.raises(RuntimeError, match=INVALID):
        torch.autograd.grad(leaf * 2, leaf, torch.ones(2))
    (leaf * 2).sum().backward(torch.tensor(1.0))  # one without dimensions is moved
    (leaf * 2).backward(torch.ones(2, device="cuda"))
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [4.0, 4.0]
    assert leaf.grad.device == CUDA


@simulated()
def test_edges_of_the_graph_may_be_outputs() -> None:
    leaf = torch.ones(2, device="cuda", requires_grad=True)
    edge = torch.autograd.graph.get_gradient_edge(leaf * 3)
    (gradient,) = torch.autograd.grad([edge], [leaf], [torch.ones(2, device="cuda")])
    assert gradient.tolist() == [3.0, 3.0]


@simulated()
def test_gradients_that_are_assigned_must_be_with_the_tensor() -> None:
    leaf = torch.ones(2, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match="attempting to assign a gradient with device type 'cpu' to a tensor with"):
        leaf.grad = torch.ones(2)
    leaf.grad = torch.ones(2, device="cuda")
    leaf.grad = None
    assert leaf.grad is None


class Halved(torch.autograd.Function):
    """Returns its gradient from a place that is to be chosen."""

    @staticmethod
    def forward(context: Any, tensor: torch.Tensor, where: str) -> Any:
        context.where = where
        if where == "pair":
            return tensor / 2, tensor * 2
        return tensor / 2

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> Any:
        if context.where == "scalar":
            return torch.tensor(0.5), None
        return gradients[0].to("cuda" if context.where == "pair" else context.where) / 2, None


class Single(torch.autograd.Function):
    """Returns one gradient, not a tuple."""

    @staticmethod
    def forward(context: Any, tensor: torch.Tensor) -> Any:
        return tensor / 2

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Any:
        return gradient / 2


@simulated()
def test_functions_of_python_must_return_gradients_where_the_inputs_are() -> None:
    leaf = torch.ones(2, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match=f"Function HalvedBackward returned an {INVALID}"):
        Halved.apply(leaf, "cpu").sum().backward()
    Halved.apply(leaf, "cuda").sum().backward()
    Halved.apply(leaf, "pair")[0].sum().backward()
    Single.apply(leaf).sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [1.5, 1.5]
    scalar = torch.ones((), device="cuda", requires_grad=True)
    Halved.apply(scalar, "scalar").backward()
    assert scalar.grad is not None
    assert scalar.grad.device == CUDA
    assert Halved.apply(torch.ones(2), "cpu").tolist() == [0.5, 0.5]


@simulated()
def test_optimizers_with_state_before_the_move_fail() -> None:
    model = nn.Linear(2, 2)
    optimizer = torch.optim.Adagrad(model.parameters())
    model.cuda()(torch.ones(1, 2, device="cuda")).sum().backward()
    with pytest.raises(RuntimeError, match="found at least two devices"):
        optimizer.step()


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adadelta", "LBFGS"])
@simulated()
def test_optimizers_without_state_before_the_move_work(name: str) -> None:
    model = nn.Linear(2, 2)
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1)
    model.cuda()
    before = model.weight.detach().clone()

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(torch.ones(1, 2, device="cuda")).pow(2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert not torch.equal(before, model.weight)


@simulated()
def test_checkpointed_segments_keep_their_random_numbers() -> None:
    from torch.utils.checkpoint import checkpoint

    layer = nn.Sequential(nn.Linear(4, 4), nn.Dropout()).cuda()
    inputs = torch.ones(2, 4, device="cuda", requires_grad=True)
    checkpoint(layer, inputs, use_reentrant=False).sum().backward()
    assert inputs.grad is not None
    assert inputs.grad.device == CUDA


@simulated()
def test_mixed_precision() -> None:
    model = nn.Linear(2, 2).cuda()
    inputs = torch.ones(1, 2, device="cuda")
    with torch.autocast("cuda"):
        assert model(inputs).dtype == torch.float16
        assert torch.is_autocast_enabled("cuda")
        with torch.autocast("cuda", enabled=False):
            assert model(inputs).dtype == torch.float32
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert model(inputs).dtype == torch.bfloat16
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert model(inputs).dtype == torch.bfloat16
    assert model(inputs).dtype == torch.float32
    assert not torch.is_autocast_enabled("cpu")


@pytest.mark.parametrize("place", ["torch.amp", "torch.cuda.amp"])
@simulated()
def test_scaled_gradients(place: str) -> None:
    if place == "torch.amp":
        scaler = torch.amp.GradScaler("cuda", init_scale=256.0)
    else:
        with pytest.warns(FutureWarning, match="deprecated"):
            scaler = torch.cuda.amp.GradScaler(init_scale=256.0)
    assert scaler.is_enabled()
    model = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(torch.ones(1, 2, device="cuda")).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert torch.allclose(model.weight, before - 0.1)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@simulated()
def test_recurrent_layers_stay_on_the_device(kind: str) -> None:
    layer = getattr(nn, kind)(2, 3, num_layers=2, bidirectional=True).cuda()
    inputs = torch.ones(4, 2, 2, device="cuda", requires_grad=True)
    output, hidden = layer(inputs)
    hidden = hidden[0] if kind == "LSTM" else hidden
    assert (output.device, hidden.device) == (CUDA, CUDA)
    packed = nn.utils.rnn.pack_padded_sequence(inputs, torch.tensor([4, 2]))
    padded, lengths = nn.utils.rnn.pad_packed_sequence(layer(packed)[0])
    assert (padded.device, lengths.device.type) == (CUDA, "cpu")
    padded.sum().backward()
    assert inputs.grad is not None
    assert inputs.grad.device == CUDA


@simulated()
def test_composed_functions_look_at_devices_first() -> None:
    device, host = torch.ones(2, device="cuda"), torch.ones(2)
    with pytest.raises(RuntimeError, match="meshgrid expects all tensors to have the same device"):
        torch.meshgrid(device, host, indexing="ij")
    assert torch.meshgrid(device, device, indexing="ij")[0].device == CUDA
    assert torch.linalg.matrix_rank(torch.ones(0, 2, device="cuda")).device == CUDA
    assert torch.linalg.matrix_rank(torch.ones(2, 2, device="cuda")).device == CUDA


@simulated()
def test_recurrent_layers_without_values() -> None:
    output, _ = nn.LSTM(2, 3, device="meta")(torch.ones(1, 1, 2, device="meta"))
    assert output.device.type == "meta"


@simulated(None)
def test_graphs_from_before_the_installation() -> None:
    leaf = torch.ones(2, requires_grad=True)
    result = Single.apply(leaf).sum()
    install()
    result.backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [0.5, 0.5]


def scripted(x: torch.Tensor) -> torch.Tensor:
    return x + torch.zeros_like(x) + torch.ones(2, device=x.device)


@simulated()
def test_scripted_functions_run_on_the_device() -> None:
    function = torch.jit.script(scripted)
    for _ in range(3):
        assert function(torch.ones(2, device="cuda")).device == CUDA


@simulated()
def test_forward_derivatives() -> None:
    import torch.autograd.forward_ad as forward

    with forward.dual_level():
        dual = forward.make_dual(torch.ones(2, device="cuda"), torch.ones(2, device="cuda"))
        tangent = forward.unpack_dual(dual * 2).tangent
    assert (tangent.device, tangent.tolist()) == (CUDA, [2.0, 2.0])
