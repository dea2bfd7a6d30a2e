"""The functions of `torch.cuda`: devices, memory, random numbers."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from torchdevlint.harness.simulator.devices import Runtime
from torchdevlint.harness.simulator.tags import Device, device_of

_NAME = "Simulated CUDA device"
_CAPABILITY = (8, 0)
_TOTAL_MEMORY = 1 << 34
_NOTHING_TO_DO = (
    "empty_cache",
    "ipc_collect",
    "reset_accumulated_memory_stats",
    "set_per_process_memory_fraction",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "_sleep",
)


def _device_class(runtime: Runtime) -> Any:
    class device:  # noqa: N801 -- PyTorch's name
        """Stands for `torch.cuda.device`: within it, the device is current; a negative index changes nothing."""

        def __init__(self, device: Any) -> None:
            negative = device is None or (isinstance(device, int) and device < 0)
            self.idx = -1 if negative else runtime.index_of(device)
            self.prev_idx = -1

        def __enter__(self) -> None:
            self.prev_idx = runtime.current.index
            if self.idx >= 0:
                runtime.current.index = self.idx

        def __exit__(self, *error: object) -> None:
            runtime.current.index = self.prev_idx

    return device


def always(value: Any) -> Callable[..., Any]:
    """A function that returns the value, whatever it is given."""

    def get(*args: Any, **kwargs: Any) -> Any:
        return value

    return get


def patch_runtime(runtime: Runtime) -> None:
    """Replace the functions of `torch.cuda`, and what tells that PyTorch is built with CUDA."""
    cuda = torch.cuda
    device = _device_class(runtime)

    def current_device() -> int:
        runtime.initialise()
        return runtime.current.index

    def set_device(device: Any) -> None:
        if isinstance(device, int) and device < 0:
            return
        runtime.current.index = runtime.index_of(device)

    def device_of_tensor(tensor: torch.Tensor) -> Any:
        place = device_of(tensor)
        return device(place.index if place.type == "cuda" else -1)

    def synchronize(device: Any = None) -> None:
        runtime.index_of(device)
        runtime.note_wait("synchronize")

    cuda.is_available = runtime.is_available
    cuda.device_count = runtime.device_count
    cuda.init = cuda._lazy_init = runtime.initialise
    cuda.is_initialized = lambda: runtime.initialised and not runtime.bad_fork
    cuda._is_in_bad_fork = lambda: runtime.bad_fork
    cuda.current_device = current_device
    cuda.set_device = set_device
    cuda.device = cuda._DeviceGuard = device
    cuda.device_of = device_of_tensor
    cuda.synchronize = synchronize
    torch.backends.cuda.is_built = lambda: True
    torch.backends.cudnn.is_acceptable = always(False)  # its layers flatten their weights in memory
    torch.version.cuda = torch.version.cuda or "12.6"  # what was built for CUDA compares it with its own
    os.register_at_fork(after_in_child=runtime.forked)
    _patch_properties(runtime)
    _patch_memory(runtime)
    _patch_random(runtime)


def _patch_properties(runtime: Runtime) -> None:
    cuda = torch.cuda

    def of_device(value: Any) -> Callable[..., Any]:
        def get(device: Any = None) -> Any:
            runtime.index_of(device)
            return value

        return get

    def can_device_access_peer(device: Any, peer_device: Any) -> bool:
        return runtime.index_of(device) != runtime.index_of(peer_device)

    properties = SimpleNamespace(
        name=_NAME,
        major=_CAPABILITY[0],
        minor=_CAPABILITY[1],
        total_memory=_TOTAL_MEMORY,
        multi_processor_count=108,
        warp_size=32,
    )
    cuda.get_device_name = of_device(_NAME)
    cuda.get_device_capability = of_device(_CAPABILITY)
    cuda.get_device_properties = of_device(properties)
    cuda.can_device_access_peer = can_device_access_peer
    cuda.is_bf16_supported = always(True)
    cuda.is_tf32_supported = always(True)
    cuda.get_arch_list = lambda: ["sm_80"]
    cuda.utilization = of_device(0)
    cuda.is_current_stream_capturing = lambda: False
    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        setattr(cuda.nvtx, name, always(0))


def _patch_memory(runtime: Runtime) -> None:
    cuda, ledger = torch.cuda, runtime.ledger

    def index(device: Any) -> int:
        """The functions about memory may be asked before CUDA is initialised, and do not initialise it."""
        return runtime.current.index if device is None else runtime.index_of(device)

    def memory_stats(device: Any = None) -> dict[str, int]:
        used, peak = ledger.used(index(device)), ledger.peak(index(device))
        kinds = ("allocated_bytes", "reserved_bytes", "active_bytes")
        return {
            f"{kind}.all.{moment}": nbytes for kind in kinds for moment, nbytes in (("current", used), ("peak", peak))
        }

    def mem_get_info(device: Any = None) -> tuple[int, int]:
        return _TOTAL_MEMORY - ledger.used(index(device)), _TOTAL_MEMORY

    def used(device: Any = None) -> int:
        return ledger.used(index(device))

    def peak(device: Any = None) -> int:
        return ledger.peak(index(device))

    def reset(device: Any = None) -> None:
        ledger.reset_peak(index(device))

    def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
        return f"{_NAME} {index(device)}: {used(device)} bytes in use, {peak(device)} at the most"

    replacements: dict[str, Callable[..., Any]] = {
        "memory_allocated": used,
        "memory_reserved": used,
        "memory_cached": used,
        "max_memory_allocated": peak,
        "max_memory_reserved": peak,
        "max_memory_cached": peak,
        "reset_peak_memory_stats": reset,
        "reset_max_memory_allocated": reset,
        "reset_max_memory_cached": reset,
        "memory_stats": memory_stats,
        "mem_get_info": mem_get_info,
        "memory_summary": memory_summary,
    }
    replacements.update({name: always(None) for name in _NOTHING_TO_DO})
    for name, replacement in replacements.items():
        setattr(cuda, name, replacement)
        for module in (cuda.memory, cuda.random):
            if hasattr(module, name):
                setattr(module, name, replacement)


def _patch_random(runtime: Runtime) -> None:
    """Random numbers of the device come from the CPU's generator, so that a run gives the CPU's numbers."""
    cuda = torch.cuda

    def get_rng_state(device: Any = "cuda") -> Any:
        runtime.index_of(device)
        return torch.get_rng_state()

    def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
        runtime.index_of(device)
        torch.set_rng_state(new_state)

    def set_rng_state_all(new_states: Any) -> None:
        for state in new_states:
            set_rng_state(state)

    replacements: dict[str, Callable[..., Any]] = {
        "get_rng_state": get_rng_state,
        "set_rng_state": set_rng_state,
        "get_rng_state_all": lambda: [get_rng_state(index) for index in range(runtime.device_count())],
        "set_rng_state_all": set_rng_state_all,
        "initial_seed": torch.initial_seed,
    }
    for name, replacement in replacements.items():
        setattr(cuda, name, replacement)
        setattr(cuda.random, name, replacement)

    def default_generators() -> tuple[Any, ...]:
        return tuple(torch.Generator(device=Device("cuda", index)) for index in range(runtime.device_count()))

    def fill_default_generators() -> None:
        cuda.default_generators = default_generators()

    runtime.when_initialised = fill_default_generators
