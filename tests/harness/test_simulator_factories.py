"""Functions that make tensors, default devices, generators, and the tensor types of old."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from simulated import simulated
from torch import nn

from torchdevlint.harness.simulator import Machine, SimulationError

pytestmark = [pytest.mark.needs_torch, pytest.mark.filterwarnings("ignore")]
CUDA = torch.device("cuda", 0)

MADE: dict[str, Callable[..., torch.Tensor]] = {
    "zeros": lambda **k: torch.zeros(2, **k),
    "rand": lambda **k: torch.rand(2, **k),
    "arange": lambda **k: torch.arange(2, **k),
    "eye": lambda **k: torch.eye(2, **k),
    "full": lambda **k: torch.full((2,), 1.0, **k),
    "linspace": lambda **k: torch.linspace(0, 1, 2, **k),
    "randperm": lambda **k: torch.randperm(2, **k),
    "normal": lambda **k: torch.normal(0.0, 1.0, (2,), **k),
    "tensor": lambda **k: torch.tensor([1.0, 2.0], **k),
    "as_tensor": lambda **k: torch.as_tensor([1.0, 2.0], **k),
    "as_tensor of an array": lambda **k: torch.as_tensor(np.ones(2), **k),
    "asarray": lambda **k: torch.asarray([1.0, 2.0], **k),
    "fftfreq": lambda **k: torch.fft.fftfreq(2, **k),
    "zeros_like": lambda **k: torch.zeros_like(torch.ones(2), **k),
    "rand_like": lambda **k: torch.rand_like(torch.ones(2), **k),
    "new_zeros": lambda **k: torch.ones(2).new_zeros(2, **k),
    "new_tensor": lambda **k: torch.ones(2).new_tensor([1.0], **k),
    "not patched": lambda **k: torch._C._VariableFunctions.zeros(2, **k),
    "layer": lambda **k: nn.Linear(2, 2, **k).weight,
}


@pytest.mark.parametrize("name", MADE)
@simulated()
def test_makes_tensors_where_it_is_asked_to(name: str) -> None:
    for device in ("cuda", torch.device("cuda"), 0) if name != "not patched" else ("cuda",):
        assert MADE[name](device=device).device == CUDA
    assert MADE[name](device="cpu").device.type == "cpu"
    assert MADE[name]().device.type == "cpu"


@simulated()
def test_host_tensors_by_functions_are_not_taken_for_undecided_ones() -> None:
    for name, make in MADE.items():
        if name not in ("not patched", "arange", "randperm", "eye", "layer"):
            with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
                make().float() + torch.ones(make().shape, device="cuda")


@simulated()
def test_like_another_tensor() -> None:
    device, host = torch.ones(2, device="cuda"), torch.ones(2)
    assert {each.device for each in (torch.ones_like(device), device.new_ones(2), device.new_tensor([1]))} == {CUDA}
    assert torch.ones_like(device, device="cpu").device.type == "cpu"
    assert torch.ones_like(host).device.type == "cpu"
    assert torch.zeros_like(input=device).device == CUDA
    assert torch.zeros_like(torch.ones(2).to_sparse()).layout == torch.sparse_coo
    assert torch.ones_like(device, device="meta").device.type == "meta"
    with pytest.raises(TypeError):
        torch.zeros_like(3)


@simulated()
def test_tensors_as_data() -> None:
    device, host = torch.ones(2, device="cuda", requires_grad=True), torch.ones(2)
    assert torch.tensor(device).device == CUDA
    assert torch.tensor(host, device="cuda").device == CUDA
    assert torch.tensor(device, device="cpu", dtype=torch.float64).dtype == torch.float64
    assert torch.tensor(device, requires_grad=True).is_leaf
    assert torch.tensor([device[0], device[1]]).device.type == "cpu"
    assert torch.as_tensor(device) is device
    assert torch.as_tensor(data=device) is device
    assert torch.tensor(data=device).tolist() == torch.tensor(data=[1.0, 1.0]).tolist() == [1.0, 1.0]
    assert torch.asarray(obj=[1.0], device="cuda").device == CUDA
    assert torch.as_tensor(host, torch.float64, "cuda").dtype == torch.float64
    assert torch.asarray(host, copy=True) is not host
    assert torch.asarray(host, device="cuda", requires_grad=True).requires_grad
    assert torch.tensor(torch.ones(2, device="meta")).device.type == "meta"
    assert torch.tensor([1.0], device="cuda", requires_grad=True).is_leaf
    shared = np.zeros(2)
    torch.as_tensor(shared)[0] = 1.0
    torch.as_tensor(shared, device="cuda")[1] = 1.0
    assert shared.tolist() == [1.0, 0.0]


@simulated()
def test_results_of_factories_may_be_given() -> None:
    out = torch.ones(2, device="cuda")
    assert torch.zeros(2, out=out) is out
    assert torch.normal(torch.zeros(2, device="cuda"), 1.0).device == CUDA


class Watched(torch.overrides.TorchFunctionMode):
    """Changes nothing."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@simulated(Machine(2))
def test_default_devices() -> None:
    with torch.device("cuda:1"):
        assert torch.zeros(2).device == nn.Linear(2, 2).weight.device == torch.tensor([1.0]).device
        assert torch.zeros(2).device == torch.device("cuda", 1)
        assert torch.zeros(2, device="cpu").device.type == "cpu"
        assert torch.from_numpy(np.zeros(2)).device.type == "cpu"
    torch.set_default_device("cuda")
    assert torch.zeros(2).device == CUDA
    with Watched():
        assert torch.zeros(2).device == CUDA
    found = []
    thread = threading.Thread(target=lambda: found.append(torch.zeros(2).device.type))
    thread.start()
    thread.join()
    assert found == ["cpu"]
    assert torch.get_default_device() == CUDA
    torch.set_default_device(None)
    assert torch.zeros(2).device.type == "cpu"


@simulated()
def test_shuffling_with_a_default_device_needs_a_generator_of_it() -> None:
    data = torch.utils.data.TensorDataset(torch.arange(4))
    torch.set_default_device("cuda")
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        next(iter(torch.utils.data.DataLoader(data, shuffle=True)))
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        torch.utils.data.random_split(data, [2, 2])
    generator = torch.Generator(device="cuda")
    assert len(list(torch.utils.data.DataLoader(data, shuffle=True, generator=generator))) == 4


@simulated()
def test_generators() -> None:
    generator = torch.Generator(device="cuda")
    assert (generator.device, torch.Generator().device.type) == (CUDA, "cpu")
    assert isinstance(generator, torch.Generator)
    assert isinstance(torch.default_generator, torch.Generator)
    first = torch.rand(2, device="cuda", generator=generator.manual_seed(3))
    assert torch.equal(first, torch.rand(2, device="cuda", generator=generator.manual_seed(3)))
    assert torch.cuda.default_generators[0].device == CUDA


@simulated()
def test_what_has_no_dense_storage_is_refused() -> None:
    indices, values = torch.tensor([[0]]), torch.ones(1)
    with pytest.raises(SimulationError, match="sparse_coo_tensor"):
        torch.sparse_coo_tensor(indices, values, (2,), device="cuda")
    with pytest.raises(SimulationError, match="without a storage"):
        torch.ones(2).to_sparse().cuda()
    with pytest.raises(SimulationError, match="sparse tensors on a device"):
        torch.ones(2, device="cuda").to_sparse()
    with pytest.raises(SimulationError, match="zeros_like of a tensor without a storage"):
        torch.zeros_like(torch.ones(2).to_sparse(), device="cuda")
    sparse = torch.ones(2).to_sparse()
    assert sparse.cpu() is sparse


@simulated()
def test_old_types_make_tensors_of_the_device() -> None:
    make = torch.cuda.FloatTensor
    assert make(2, 3).shape == make(torch.Size([2, 3])).shape == (2, 3)
    assert make([1, 2]).tolist() == make((1, 2)).tolist() == [1.0, 2.0]
    assert make().numel() == 0
    assert make([1]).device == make(2, device="cuda").device == CUDA
    assert torch.cuda.LongTensor([1]).dtype == torch.int64
    assert torch.cuda.BFloat16Tensor(1).dtype == torch.bfloat16
    source = torch.ones(2, device="cuda")
    assert make(source).data_ptr() == source.data_ptr()
    with pytest.raises(TypeError, match=r"expected torch.cuda.FloatTensor \(got torch.FloatTensor\)"):
        make(torch.ones(2))
    with pytest.raises(RuntimeError, match="legacy constructor expects device type: cuda"):
        make(2, device="cpu")


@simulated()
def test_old_types_tell_tensors_apart() -> None:
    tensor = torch.ones(2, device="cuda")
    assert isinstance(tensor, torch.cuda.FloatTensor)
    assert not isinstance(tensor, torch.cuda.LongTensor)
    assert not isinstance(torch.ones(2), torch.cuda.FloatTensor)
    assert not isinstance(3, torch.cuda.FloatTensor)
    assert (tensor.type(), torch.ones(2).type()) == ("torch.cuda.FloatTensor", "torch.FloatTensor")


@simulated(Machine(2))
def test_types_convert() -> None:
    host = torch.ones(2)
    for named in (torch.cuda.LongTensor, "torch.cuda.LongTensor"):
        assert (host.type(named).device, host.type(named).dtype) == (CUDA, torch.int64)
    assert host.to("cuda:1").type(torch.cuda.LongTensor).device == torch.device("cuda", 1)
    assert host.cuda().type(torch.float64).device == CUDA
    assert host.cuda().type(torch.FloatTensor).device.type == "cpu"
    assert host.cuda().type("torch.LongTensor").dtype == torch.int64
    assert nn.Linear(1, 1).type(torch.cuda.DoubleTensor).weight.device == CUDA


@simulated()
def test_new_makes_tensors_beside_the_old() -> None:
    device, host = torch.ones(2, device="cuda"), torch.ones(2)
    assert {each.device for each in (device.new(2, 3), device.new([1.0, 2.0]), device.new(), device.new(device))} == {
        CUDA
    }
    assert host.new(2).device.type == "cpu"
    assert device.new(2, device="cuda").device == CUDA
    assert torch.ones(2, device="meta").new(2).device.type == "meta"
    with pytest.raises(TypeError, match=r"expected torch.cuda.FloatTensor \(got torch.FloatTensor\)"):
        device.new(host)
    with pytest.raises(RuntimeError, match="legacy new expects device type: cpu but device type: cuda"):
        host.new(2, device="cuda")
    with pytest.raises(RuntimeError, match="found at least two devices"):
        host.new([1.0, 2.0]) + device


@pytest.mark.parametrize("by_name", [True, False])
@simulated()
def test_default_types(by_name: bool) -> None:
    torch.set_default_tensor_type("torch.cuda.DoubleTensor" if by_name else torch.cuda.DoubleTensor)
    for made in (torch.zeros(2), torch.tensor([1.0]), torch.Tensor(2), torch.Tensor([1.0]), nn.Linear(1, 1).weight):
        assert (made.device, made.dtype) == (CUDA, torch.float64)
    assert torch.FloatTensor(2).device.type == "cpu"
    assert torch.zeros(2, device="cpu").device.type == "cpu"
    assert torch.Tensor(torch.zeros(2)).device == CUDA
    found = []
    thread = threading.Thread(target=lambda: found.append(torch.zeros(2).device.type))
    thread.start()
    thread.join()
    assert found == ["cuda"]
    torch.set_default_tensor_type("torch.FloatTensor" if by_name else torch.FloatTensor)
    assert (torch.zeros(2).device.type, torch.Tensor(2).dtype) == ("cpu", torch.float32)


@simulated()
def test_default_types_are_of_floating_point() -> None:
    with pytest.raises(TypeError, match="only floating-point types are supported"):
        torch.set_default_tensor_type(torch.cuda.LongTensor)


HOST: dict[str, Callable[[], torch.Tensor]] = {
    "Tensor": lambda: torch.Tensor(3).uniform_(),
    "FloatTensor": lambda: torch.FloatTensor(3).uniform_(),
    "one_hot": lambda: torch.nn.functional.one_hot(torch.tensor([0, 1]), 3).float(),
    "pad_sequence": lambda: nn.utils.rnn.pad_sequence([torch.ones(3), torch.ones(2)], batch_first=True),
}


@pytest.mark.parametrize("made", HOST)
@simulated()
def test_what_is_made_inside_of_host_tensors_is_on_the_host(made: str) -> None:
    tensor = HOST[made]()
    with pytest.raises(RuntimeError, match="two devices"):
        tensor + torch.ones(3, device="cuda")
    tensor.copy_(torch.zeros(3, device="cuda"))
    assert tensor.device.type == "cpu"
    assert tensor.numpy().sum() == 0


@simulated()
def test_an_index_that_is_made_of_a_size_stays_on_the_host() -> None:
    index = torch.LongTensor(2).zero_()
    assert torch.ones(3, device="cuda")[index].device == CUDA
    assert torch.ones(3)[index].device.type == "cpu"


@simulated()
def test_the_types_of_the_host() -> None:
    assert not isinstance(torch.ones(1, device="cuda"), torch.FloatTensor)
    assert isinstance(torch.ones(1), torch.FloatTensor)
    assert torch.FloatTensor.dtype is torch.float32
    assert torch.ones(1, device="cuda").type(torch.DoubleTensor).dtype is torch.float64
    torch.set_default_tensor_type(torch.DoubleTensor)
    assert torch.ones(1).dtype is torch.float64
