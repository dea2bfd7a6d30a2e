"""Functions of PyTorch that are replaced stay known to TorchScript, which looks them up by identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.jit._builtins import _find_builtin, _register_builtin


def replace_function(module: Any, name: str, replacement: Callable[..., Any]) -> None:
    """Put the replacement into the module; in TorchScript it means the operation that the original means."""
    operation = _find_builtin(getattr(module, name))
    if operation is not None:
        _register_builtin(replacement, operation)
    setattr(module, name, replacement)
