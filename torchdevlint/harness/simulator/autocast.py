"""`torch.autocast("cuda")`: the flags are CUDA's, and the casts are those of autocast on the CPU."""

from __future__ import annotations

from typing import Any

import torch

_BEFORE = "_simulated_before"


def patch_autocast() -> None:
    """Let each region for CUDA be one for the CPU, too, since that is where the tensors really are."""
    autocast = torch.amp.autocast_mode.autocast
    native_enter, native_exit = autocast.__enter__, autocast.__exit__

    def enter(region: Any) -> Any:
        result = native_enter(region)
        if region.device == "cuda":
            before = getattr(region, _BEFORE, [])
            before.append((torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")))
            setattr(region, _BEFORE, before)
            torch.set_autocast_enabled("cpu", torch.is_autocast_enabled("cuda"))
            torch.set_autocast_dtype("cpu", torch.get_autocast_dtype("cuda"))
        return result

    def leave(region: Any, *error: Any) -> Any:
        if region.device == "cuda":
            enabled, dtype = getattr(region, _BEFORE).pop()
            torch.set_autocast_enabled("cpu", enabled)
            torch.set_autocast_dtype("cpu", dtype)
        return native_exit(region, *error)

    autocast.__enter__ = enter
    autocast.__exit__ = leave
