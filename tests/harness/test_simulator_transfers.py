"""Tensors that move, what they say about their device, and what is reported of it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from simulated import simulated
from torch import nn

from torchdevlint.harness.simulator import Machine, Simulation, SimulationError

pytestmark = pytest.mark.needs_torch
CUDA = torch.device("cuda", 0)

FORMS = {
    "string": lambda x: x.to("cuda"),
    "index": lambda x: x.to(0),
    "keyword index": lambda x: x.to(device=0),
    "device": lambda x: x.to(torch.device("cuda")),
    "device by index": lambda x: x.to(torch.device(0)),
    "device and dtype": lambda x: x.to("cuda", torch.float64),
    "device, dtype, flags": lambda x: x.to("cuda", torch.float64, True, True),
    "device and one flag": lambda x: x.to("cuda", torch.float32, True),
    "keywords": lambda x: x.to(device="cuda", dtype=torch.float64, non_blocking=True, copy=True),
    "other tensor": lambda x: x.to(torch.zeros(1, device="cuda", dtype=torch.float64)),
    "other tensor with flags": lambda x: x.to(torch.zeros(1, device="cuda"), True, True),
    "other by keyword": lambda x: x.to(other=torch.zeros(1, device="cuda"), non_blocking=True),
    "type_as": lambda x: x.type_as(torch.zeros(1, device="cuda")),
    "cuda": lambda x: x.cuda(),
    "cuda with index": lambda x: x.cuda(0, non_blocking=True),
    "memory format": lambda x: x.to("cuda", memory_format=torch.contiguous_format),
}


@pytest.mark.parametrize("keyword", [False, True])
@simulated()
def test_a_module_follows_a_tensor(keyword: bool) -> None:
    like = torch.zeros(1, device="cuda", dtype=torch.float64)
    layer = torch.nn.Linear(2, 2)
    moved = layer.to(tensor=like) if keyword else layer.to(like)
    assert moved.weight.device == CUDA
    assert moved.weight.dtype == torch.float64


@pytest.mark.parametrize("form", FORMS)
@simulated()
def test_moves_to_the_device(form: str) -> None:
    source = torch.arange(3.0, requires_grad=True)
    moved = FORMS[form](source)
    assert moved.device == CUDA
    assert moved.tolist() == [0.0, 1.0, 2.0]
    moved.sum().backward()
    assert source.grad is not None
    assert source.grad.device.type == "cpu"


@simulated()
def test_stays_the_same_object_where_it_is() -> None:
    tensor = torch.ones(2, device="cuda")
    assert tensor.to("cuda") is tensor
    assert tensor.cuda() is tensor
    assert tensor.to("cuda", copy=True) is not tensor
    assert tensor.to(torch.float64).device == CUDA
    assert tensor.to(torch.float32, copy=True) is not tensor
    host = torch.ones(2)
    assert host.cpu() is host


@simulated()
def test_wrong_arguments_are_refused_as_by_pytorch() -> None:
    tensor = torch.ones(2)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        tensor.to(like=tensor)
    with pytest.raises(RuntimeError, match="Invalid device, must be cuda device"):
        tensor.cuda("cpu")
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        tensor.to("cuda:1")


@simulated()
def test_meta_tensors_stay_pytorchs_business() -> None:
    meta = torch.ones(2, device="meta")
    assert (meta.device.type, meta.is_cuda, meta.get_device()) == ("meta", False, -1)
    assert torch.ones(2, device="cuda").to("meta").device.type == "meta"
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        meta.to("cuda")
    assert torch.empty_like(meta, device="cuda").device == CUDA


@simulated()
def test_a_tensor_says_where_it_is() -> None:
    tensor = torch.ones(2, device="cuda", requires_grad=True)
    assert (tensor.is_cuda, tensor.is_cpu, tensor.get_device(), torch.get_device(tensor)) == (True, False, 0, 0)
    assert repr(tensor) == "tensor([1., 1.], device='cuda:0', requires_grad=True)"
    assert "device='cuda:0', grad_fn=<MulBackward0>)" in repr(tensor * 2)
    assert repr(torch.ones(1)) == "tensor([1.])"
    assert repr(nn.Parameter(torch.ones(1, device="cuda"))).startswith(
        "Parameter containing:\ntensor([1.], device='cuda:0'"
    )
    assert tensor.detach()[:1].view(1, 1).device == CUDA
    tensor.record_stream(torch.cuda.current_stream())


@simulated()
def test_numpy_refuses_the_device() -> None:
    tensor = torch.ones(2, device="cuda")
    for read in (tensor.numpy, lambda: np.asarray(tensor), lambda: np.array([tensor, tensor])):
        with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
            read()
    assert tensor.numpy(force=True).tolist() == [1.0, 1.0]
    assert tensor.cpu().numpy().tolist() == [1.0, 1.0]
    assert np.asarray(torch.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(SimulationError, match="DLPack"):
        torch.utils.dlpack.from_dlpack(tensor)
    assert np.from_dlpack(torch.ones(1)).tolist() == [1.0]


@simulated()
def test_pinned_memory() -> None:
    host = torch.ones(2)
    pinned = host.pin_memory()
    assert (host.is_pinned(), pinned.is_pinned(), pinned.device.type) == (False, True, "cpu")
    assert pinned.pin_memory() is pinned
    assert torch.zeros(2, pin_memory=True).is_pinned()
    assert not torch.ones(2).to_sparse().is_pinned()


@simulated()
def test_subclasses_keep_their_type() -> None:
    class Marked(torch.Tensor):
        pass

    tensor = torch.ones(2).as_subclass(Marked)
    assert type(tensor.to("cuda")) is Marked
    assert tensor.to("cuda").device == CUDA
    assert nn.LazyLinear(2).cuda()(torch.ones(1, 3, device="cuda")).device == CUDA


@simulated()
def test_modules_keep_their_parameters() -> None:
    module = nn.Linear(2, 2)
    weight = module.weight
    for target in ("cuda", 0, torch.device("cuda")):
        module.to(target)
        assert module.weight is weight
        assert weight.device == CUDA
    module.cpu()
    assert weight.device.type == "cpu"
    module.cuda(0).half()
    assert (weight.device, weight.dtype) == (CUDA, torch.float16)


@simulated()
def test_copies_and_waits_are_reported(simulation: Simulation) -> None:
    moved = torch.ones(4).cuda()
    moved.sum().item()
    moved.cpu()
    moved.clone()
    moved[torch.tensor([0])]
    moved[moved > 0]
    moved.copy_(torch.ones(4))
    torch.ones(4).copy_(moved)
    torch.cuda.synchronize()
    found = [(each.kind, each.nbytes, each.operation) for each in simulation.transfers]
    assert found == [
        ("synchronisation", 0, "to"),
        ("host to device", 16, "to"),
        ("synchronisation", 0, "_local_scalar_dense"),
        ("synchronisation", 0, "to"),
        ("device to host", 16, "to"),
        ("host to device", 8, "index"),
        ("synchronisation", 0, "index"),
        ("synchronisation", 0, "copy_"),
        ("host to device", 16, "copy_"),
        ("synchronisation", 0, "copy_"),
        ("device to host", 16, "copy_"),
        ("synchronisation", 0, "synchronize"),
    ]
    assert {each.file for each in simulation.transfers} == {__file__}
    assert [each.line for each in simulation.transfers] == sorted(each.line for each in simulation.transfers)


@simulated(Machine(2))
def test_copies_between_devices_are_reported(simulation: Simulation) -> None:
    tensor = torch.ones(4, device="cuda:0").to("cuda:1")
    assert tensor.device == torch.device("cuda", 1)
    assert [each.kind for each in simulation.transfers] == ["device to device"]


@simulated()
def test_memory_is_counted_by_device_and_line(simulation: Simulation) -> None:
    kept = [torch.ones(1024, device="cuda") for _ in range(2)]  # 8192 bytes
    view = kept[0][:10]
    assert torch.cuda.memory_allocated() == 8192
    del kept
    assert torch.cuda.memory_allocated() == 4096  # the view keeps it
    del view
    assert torch.cuda.memory_allocated() == 0
    assert simulation.peak() == simulation.peak(0) == torch.cuda.max_memory_allocated() == 8192
    assert simulation.peak(1) == 0
    ((file, _), nbytes), *others = simulation.peak_by_line().items()
    assert (file, nbytes, others) == (__file__, 8192, [])
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == 0


@simulated(Machine(asynchronous=True))
def test_late_copies_arrive_when_the_host_waits() -> None:
    device = torch.arange(3.0, device="cuda")
    for wait in (
        torch.cuda.synchronize,
        torch.cuda.current_stream().synchronize,
        torch.cuda.Event().synchronize,
        device.sum().item,
        device.cpu,
    ):
        late = device.to("cpu", non_blocking=True)
        assert late.tolist() == [0.0, 0.0, 0.0]
        assert not torch.cuda.current_stream().query()
        assert not torch.cuda.Event().query()
        wait()
        assert late.tolist() == [0.0, 1.0, 2.0]
    assert torch.arange(3.0).to("cuda", non_blocking=True).tolist() == [0.0, 1.0, 2.0]
    late = device.to("cpu", torch.int64, non_blocking=True)
    torch.cuda.synchronize()
    assert (late.dtype, late.tolist()) == (torch.int64, [0, 1, 2])


@simulated(Machine(asynchronous=True))
def test_late_copies_into_pinned_memory() -> None:
    device, pinned, host = torch.ones(2, device="cuda"), torch.zeros(2).pin_memory(), torch.zeros(2)
    assert pinned.copy_(device, non_blocking=True) is pinned
    assert pinned.tolist() == [0.0, 0.0]
    torch.cuda.synchronize()
    assert pinned.tolist() == [1.0, 1.0]
    assert host.copy_(device, non_blocking=True).tolist() == [1.0, 1.0]  # it is not pinned
    assert pinned.copy_(device * 2).tolist() == [2.0, 2.0]
    assert device.copy_(pinned, non_blocking=True).tolist() == [2.0, 2.0]


@simulated()
def test_copies_are_never_late_on_other_machines() -> None:
    result = torch.arange(2.0, device="cuda").to("cpu", non_blocking=True)
    assert (result.tolist(), result.is_pinned()) == ([0.0, 1.0], True)
    assert not torch.arange(2.0, device="cuda").cpu().is_pinned()


@simulated()
def test_scripts_in_a_folder_named_torch_are_scripts(simulation: Simulation) -> None:
    code = compile("tensor.cuda(non_blocking=True)", "/home/me/torch/train.py", "exec")
    exec(code, {"tensor": torch.ones(1)})  # noqa: S102 -- our own code, under another name
    assert [(each.file, each.line) for each in simulation.transfers] == [("/home/me/torch/train.py", 1)]
