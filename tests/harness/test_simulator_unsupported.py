"""What cannot be simulated raises an error that names it."""

from __future__ import annotations

import io
import multiprocessing
from collections.abc import Callable

import pytest
import torch
from simulated import simulated
from torch import nn

from torchdevlint.harness.simulator import SimulationError, is_device_error

pytestmark = [pytest.mark.needs_torch, pytest.mark.filterwarnings("ignore")]


def on(*shape: int) -> torch.Tensor:
    return torch.ones(*shape, device="cuda")


def _extended() -> object:
    from torch.utils.cpp_extension import load_inline

    return load_inline("harness", "")


UNSUPPORTED: dict[str, tuple[Callable[[], object], str]] = {
    "sparse": (lambda: on(2).to_sparse(), "sparse tensors"),
    "sparse gradients": (
        lambda: nn.Embedding(3, 2, sparse=True).cuda()(torch.tensor([0]).cuda()).sum().backward(),
        "sparse tensors",
    ),
    "nested": (lambda: torch.nested.nested_tensor([torch.ones(2)], device="cuda"), "nested_tensor"),
    "vmap": (lambda: torch.func.vmap(lambda x: x + 1)(on(2)), "function transform"),
    "grad": (lambda: torch.func.grad(lambda x: x.sum())(on(2)), "function transform"),
    "jacrev": (lambda: torch.func.jacrev(lambda x: x * 2)(on(2)), "function transform"),
    "batched gradients": (
        lambda: torch.autograd.functional.jacobian(lambda x: x * 2, on(2), vectorize=True),
        "function transform",
    ),
    "graphs": (lambda: torch.cuda.CUDAGraph().replay(), "CUDA graphs"),
    "captured": (lambda: torch.cuda.graph(None), "CUDA graphs"),
    "callables of graphs": (lambda: torch.cuda.make_graphed_callables(nn.Linear(1, 1), ()), "CUDA graphs"),
    "compiled": (lambda: torch.compile(nn.Linear(1, 1)), "torch.compile"),
    "loaded": (lambda: torch.jit.load(_scripted(), map_location="cuda"), "torch.jit.load to a device"),
    "saved": (lambda: torch.jit.save(torch.jit.script(nn.Linear(1, 1)).cuda(), io.BytesIO()), "torch.jit.save"),
    "NCCL": (lambda: torch.distributed.init_process_group("nccl", rank=0, world_size=1), "an NCCL process group"),
    "the runtime's library": (lambda: torch.cuda.cudart().get(), "torch.cuda.cudart"),
    "extensions": (_extended, "an extension that is compiled"),
    "operators": (
        lambda: torch.library.custom_op("harness::op", on, mutates_args=(), device_types="cuda"),
        "an operator for CUDA only",
    ),
    "kernels": (
        lambda: torch.library.Library("harness", "DEF").impl("op", on, "CUDA"),
        "an operator for CUDA only",
    ),
    "spawned": (lambda: multiprocessing.get_context("spawn").Process(target=print).start(), "a process that is not"),
    "other libraries": (lambda: on(2).__cuda_array_interface__, "the memory of a tensor on a device"),
    "shared": (lambda: torch.multiprocessing.reductions.reduce_tensor(on(2).share_memory_()), "shared"),
}


def _scripted() -> io.BytesIO:
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(nn.Linear(1, 1)), file)
    file.seek(0)
    return file


@pytest.mark.parametrize("feature", UNSUPPORTED)
@simulated()
def test_names_what_cannot_be_simulated(feature: str) -> None:
    call, name = UNSUPPORTED[feature]
    with pytest.raises(SimulationError, match=f"{name}.*cannot be simulated") as caught:
        call()
    assert not is_device_error(caught.value)


@simulated()
def test_the_same_on_the_host_is_left_alone() -> None:
    library = torch.library.Library("harness", "DEF")
    library.define("op(Tensor x) -> Tensor")
    library.impl("op", lambda x: x + 1, "CPU")
    assert torch.ops.harness.op(torch.ones(1)).tolist() == [2.0]
    assert not hasattr(torch.ones(2), "__cuda_array_interface__")
    assert torch.func.vmap(lambda x: x + 1)(torch.ones(2)).tolist() == [2.0, 2.0]
    assert torch.func.grad(lambda x: x.sum())(torch.ones(2)).tolist() == [1.0, 1.0]
    assert isinstance(torch.jit.load(_scripted()), torch.jit.ScriptModule)
    assert isinstance(torch.jit.load(_scripted(), map_location="cpu"), torch.jit.ScriptModule)
    assert torch.ones(2).to_sparse().to_dense().tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match=r"Error initializing torch\.distributed"):
        torch.distributed.init_process_group("gloo")
