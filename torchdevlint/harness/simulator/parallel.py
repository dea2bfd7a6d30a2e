"""Copies between devices for `torch.nn.DataParallel`: `torch.nn.parallel.comm` calls functions that are CUDA's only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.parallel import _functions, comm

from torchdevlint.harness.simulator.devices import Runtime
from torchdevlint.harness.simulator.tags import CPU, Device
from torchdevlint.harness.simulator.transfers import Mover


def patch_parallel(runtime: Runtime, mover: Mover) -> None:
    """Replace the functions that copy between devices."""

    def place(destination: Any) -> Device:
        if destination in (-1, "cpu"):
            return CPU
        return runtime.resolve("cuda" if destination is None else destination)

    def broadcast(tensor: Any, devices: Any = None, *, out: Any = None) -> Any:
        if out is not None:
            for each in out:
                each.copy_(tensor)
            return tuple(out)
        first, *others = [runtime.resolve(device) for device in devices]
        # the first copy is the tensor itself: what replicas write to buffers on the first device stays
        return (mover.move(tensor.detach(), first), *(mover.copy(tensor.detach(), other, False) for other in others))

    def broadcast_coalesced(tensors: Sequence[Any], devices: Sequence[Any], buffer_size: int = 0) -> Any:
        return [list(copies) for copies in zip(*(broadcast(tensor, devices) for tensor in tensors), strict=True)]

    def scatter(
        tensor: Any, devices: Any = None, chunk_sizes: Any = None, dim: int = 0, streams: Any = None, *, out: Any = None
    ) -> Any:
        if out is not None:
            chunks = tensor.split([each.size(dim) for each in out], dim)
            for each, chunk in zip(out, chunks, strict=True):
                each.copy_(chunk)
            return tuple(out)
        targets = [runtime.resolve(device) for device in devices]
        chunks = tensor.chunk(len(targets), dim) if chunk_sizes is None else tensor.split(chunk_sizes, dim)
        return tuple(mover.move(chunk.contiguous(), target) for chunk, target in zip(chunks, targets, strict=False))

    def gather(tensors: Sequence[Any], dim: int = 0, destination: Any = None, *, out: Any = None) -> Any:
        target = place(destination) if out is None else out.device
        joined = torch.cat([mover.move(tensor, target) for tensor in tensors], dim)
        return joined if out is None else out.copy_(joined)

    def reduce_add(inputs: Sequence[Any], destination: Any = None) -> Any:
        total, *others = [mover.move(tensor, place(destination)) for tensor in inputs]
        for other in others:
            total = total + other
        return total

    def reduce_add_coalesced(inputs: Sequence[Any], destination: Any = None, buffer_size: int = 0) -> Any:
        return tuple(reduce_add(column, destination) for column in zip(*inputs, strict=True))

    for function in (broadcast, broadcast_coalesced, scatter, gather, reduce_add, reduce_add_coalesced):
        setattr(comm, function.__name__, function)
    _functions._get_stream = torch.cuda.Stream
