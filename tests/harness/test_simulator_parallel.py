"""Several devices: `DataParallel`, and the functions that copy between devices."""

from __future__ import annotations

import pytest
import torch
from simulated import simulated
from torch import nn
from torch.nn.parallel import comm

from torchdevlint.harness.simulator import Machine

pytestmark = pytest.mark.needs_torch
TWO = Machine(2)


class Recorded(nn.Module):
    """Keeps the devices on which its replicas ran."""

    seen: list[str] = []  # noqa: RUF012 -- shared by replicas on purpose

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.norm = nn.BatchNorm1d(2)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        self.seen.append(str(inputs.device))
        result: torch.Tensor = self.norm(self.layer(inputs))
        return result


@simulated(TWO)
def test_replicas_run_on_all_devices() -> None:
    model = nn.DataParallel(Recorded().cuda())
    result = model(torch.rand(8, 2))
    assert result.device == torch.device("cuda", 0)
    assert sorted(Recorded.seen) == ["cuda:0", "cuda:1"]
    result.sum().backward()
    assert {each.grad.device.index for each in model.parameters() if each.grad is not None} == {0}
    assert int(model.module.norm.num_batches_tracked) == 1  # the first replica writes to the module's own buffers


@simulated(TWO)
def test_parameters_must_be_on_the_first_device() -> None:
    with pytest.raises(
        RuntimeError, match=r"must have its parameters and buffers on device cuda:0 \(device_ids\[0\]\)"
    ):
        nn.DataParallel(nn.Linear(2, 2))(torch.rand(4, 2))


@simulated()
def test_one_device_takes_the_module_itself() -> None:
    assert nn.DataParallel(nn.Linear(2, 2))(torch.rand(4, 2)).device == torch.device("cuda", 0)


class Fixed(nn.Module):
    """Makes a tensor on the first device, wherever it runs."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs + torch.ones(2, device="cuda:0")


class Current(nn.Module):
    """Makes a tensor on the current device, which is that of the replica."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs + torch.ones(2).cuda()


@simulated(TWO)
def test_devices_that_are_written_down_fail_in_other_replicas() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)Caught RuntimeError in replica 1 on device 1.*cuda:1 and cuda:0!"):
        nn.DataParallel(Fixed())(torch.zeros(4, 2))
    assert nn.DataParallel(Current())(torch.zeros(4, 2)).sum() == 8


@simulated(TWO)
def test_losses_of_replicas_are_a_vector() -> None:
    class Loss(nn.Module):
        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            return inputs.sum()

    with pytest.warns(UserWarning, match="Was asked to gather along dimension 0"):
        loss = nn.DataParallel(Loss())(torch.ones(4, 2, requires_grad=True))
    assert loss.shape == (2,)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        loss.backward()


@simulated(TWO)
def test_tensors_are_copied_between_devices() -> None:
    tensor = torch.arange(4.0, device="cuda:0")
    first, second = comm.broadcast(tensor, [0, 1])
    assert first.data_ptr() == tensor.data_ptr()
    assert (second.device.index, second.tolist()) == (1, tensor.tolist())
    out = [torch.zeros(4, device="cuda:0"), torch.zeros(4, device="cuda:1")]
    assert [each.tolist() for each in comm.broadcast(tensor, out=out)] == [tensor.tolist()] * 2
    parts = comm.scatter(tensor, [0, 1], [1, 3])
    assert [(part.device.index, part.numel()) for part in parts] == [(0, 1), (1, 3)]
    halves = [torch.zeros(2, device="cuda:0"), torch.zeros(2, device="cuda:1")]
    assert comm.scatter(tensor, out=halves)[1].tolist() == [2.0, 3.0]
    assert comm.gather(parts).tolist() == tensor.tolist()
    assert comm.gather(parts, destination=1).device.index == 1
    assert comm.gather(parts, destination=-1).device.type == comm.gather(parts, destination="cpu").device.type == "cpu"
    assert comm.gather(parts, out=torch.zeros(4, device="cuda:1")).tolist() == tensor.tolist()
    assert comm.reduce_add([first, second], 1).tolist() == [0.0, 2.0, 4.0, 6.0]
    assert comm.reduce_add_coalesced([[first], [second]])[0].device.index == 0
