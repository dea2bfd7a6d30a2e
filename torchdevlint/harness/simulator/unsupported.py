"""What cannot be simulated raises a `SimulationError` that names it, never a wrong answer."""

from __future__ import annotations

import importlib.util
import multiprocessing.context
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from typing import Any, NoReturn

import torch
import torch._functorch.eager_transforms
import torch._functorch.vmap

from torchdevlint.harness.simulator.errors import SimulationError
from torchdevlint.harness.simulator.tags import device_of


def _refuse(feature: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise SimulationError(f"{feature} cannot be simulated")

    return refuse


def _refuse_class(name: str, feature: str) -> type:
    return type(name, (), {"__init__": _refuse(feature)})


def _on_device(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and device_of(value).type == "cuda"


def _guarded(native: Callable[..., Any], feature: str, refuses: Callable[..., bool]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if refuses(*args, **kwargs):
            raise SimulationError(f"{feature} cannot be simulated")
        return native(*args, **kwargs)

    return call


def _first_on_device(*args: Any, **kwargs: Any) -> bool:
    return _on_device(args[0])


def _saves_device_tensors(module: Any, *args: Any, **kwargs: Any) -> bool:
    return any(_on_device(tensor) for tensor in (*module.parameters(), *module.buffers()))


def _loads_to_device(file: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> bool:
    return map_location is not None and torch.device(map_location).type == "cuda"


def _uses_nccl(backend: Any = None, *args: Any, **kwargs: Any) -> bool:
    return isinstance(backend, str) and "nccl" in backend.lower()


def _is_for_cuda(*args: Any, **kwargs: Any) -> bool:
    """Whether an operator is given a kernel that CPU tensors, as all are here, would never reach."""
    named = [kwargs.get("device_types"), kwargs.get("dispatch_key"), *args[3:4]]
    return any("cuda" in str(each).lower() for each in named)


class _Extensions(MetaPathFinder):
    """Refuses to build extensions, once the module that does it is imported: that takes a while, so it is not here."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Let the module be found and executed as usual, and replace its functions then."""
        if fullname != "torch.utils.cpp_extension":
            return None
        sys.meta_path.remove(self)
        found: Any = importlib.util.find_spec(fullname)
        execute = found.loader.exec_module

        def execute_and_replace(module: Any) -> None:
            execute(module)
            for name in ("load", "load_inline", "CUDAExtension"):
                setattr(module, name, _refuse("an extension that is compiled"))

        found.loader.exec_module = execute_and_replace
        return found


def _patch_processes() -> None:
    """A process that is not forked starts without the simulation, and there a script would meet other errors."""
    for process in (multiprocessing.context.SpawnProcess, multiprocessing.context.ForkServerProcess):
        process._Popen = staticmethod(_refuse("a process that is not forked"))  # type: ignore[method-assign]


def patch_unsupported() -> None:
    """Replace what would need a real device."""
    sys.meta_path.insert(0, _Extensions())
    _patch_processes()
    torch.library.custom_op = _guarded(torch.library.custom_op, "an operator for CUDA only", _is_for_cuda)
    torch.library.Library.impl = _guarded(torch.library.Library.impl, "an operator for CUDA only", _is_for_cuda)
    for module in (torch.cuda, torch.cuda.graphs):
        module.CUDAGraph = _refuse_class("CUDAGraph", "CUDA graphs")
        module.graph = _refuse_class("graph", "CUDA graphs")
        module.make_graphed_callables = _refuse("CUDA graphs")
        module.graph_pool_handle = _refuse("CUDA graphs")
    for module, name in (
        (torch._functorch.eager_transforms, "_wrap_for_grad"),
        (torch._functorch.eager_transforms, "_wrap_functional_tensor"),
        (torch._functorch.vmap, "_add_batch_dim"),
    ):
        native = getattr(module, name, None)
        if native is not None:
            feature = "a function transform (torch.func, vmap) over tensors on a device"
            setattr(module, name, _guarded(native, feature, _first_on_device))
    torch.compile = _refuse("torch.compile")
    torch.jit.load = _guarded(torch.jit.load, "torch.jit.load to a device", _loads_to_device)
    torch.jit.save = _guarded(torch.jit.save, "torch.jit.save of a module on a device", _saves_device_tensors)
    for name in ("caching_allocator_alloc", "CUDAPluggableAllocator", "MemPool", "cudart", "_compile_kernel"):
        setattr(torch.cuda, name, _refuse(f"torch.cuda.{name}"))
    if torch.distributed.is_available():
        torch.distributed.init_process_group = _guarded(
            torch.distributed.init_process_group, "an NCCL process group", _uses_nccl
        )
