"""The text of values: tensors as the calls that make them, everything else as a script would write it."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import torch

MOST_ELEMENTS = 20_000
MOST_LITERALS = 100
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Unspeakable(Exception):
    """A value that no script would write, or that is too large."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor of a script: its name, and the call that makes it."""

    name: str
    tensor: torch.Tensor
    literal: bool

    @classmethod
    def of(cls, name: str, tensor: torch.Tensor, *, literal: bool) -> Operand:
        if (
            tensor.layout != torch.strided
            or tensor.numel() > (MOST_LITERALS if literal else MOST_ELEMENTS)
            or tensor.numel() == 0  # PyTorch leaves such calls early, before it compares devices
            or tensor.is_quantized
            or tensor.is_nested
        ):
            raise Unspeakable
        return cls(name, tensor.detach(), literal)

    def line(self, *, on_device: bool, scalar: bool = False) -> str:
        """The statement that makes it, on the device or on the host, as it is or without dimensions."""
        place = ', device="cuda"' if on_device else ""
        tensor = self.tensor.flatten()[0] if scalar else self.tensor
        if tensor.dim() == 0 or self.literal or (tensor.dtype == torch.bool and tensor.numel() <= 12):
            return f"{self.name} = torch.tensor({_data(tensor)}{_dtype(tensor)}{place})"
        shape = ", ".join(str(size) for size in tensor.shape)
        if tensor.dtype == torch.bool:
            return f"{self.name} = torch.rand({shape}{place}) > 0.5"
        if tensor.is_floating_point() or tensor.is_complex():
            positive = not tensor.is_complex() and tensor.numel() > 0 and bool((tensor >= 0).all())
            return f"{self.name} = torch.{'rand' if positive else 'randn'}({shape}{_dtype(tensor)}{place})"
        if tensor.numel() <= 8:
            return f"{self.name} = torch.tensor({_data(tensor)}{_dtype(tensor)}{place})"
        low, high = int(tensor.min()), int(tensor.max())
        return f"{self.name} = torch.randint({low}, {high + 1}, ({shape},){_dtype(tensor)}{place})"


def _dtype(tensor: torch.Tensor) -> str:
    usual = (torch.float32, torch.int64, torch.bool)
    return "" if tensor.dtype in usual else f", dtype={tensor.dtype}"


def _data(tensor: torch.Tensor) -> str:
    return _plain(tensor.tolist())


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_plain(each) for each in value) + "]"
    if isinstance(value, float):
        return repr(round(value, 4)) if math.isfinite(value) else f'float("{value}")'
    return repr(value)


def spell(value: Any, operands: list[Operand], literal: bool) -> str:
    """The text of an argument; tensors become operands. Raises Unspeakable."""
    match value:
        case torch.Tensor():
            name = LETTERS[len(operands)] if len(operands) < len(LETTERS) else f"t{len(operands)}"
            operands.append(Operand.of(name, value, literal=literal))
            return name
        case None | bool() | int() | str() | complex():
            return repr(value)
        case float():
            return _plain(value) if not math.isfinite(value) else repr(value)
        case torch.dtype() | torch.layout() | torch.memory_format():
            return str(value)
        case slice():
            return (
                f"slice({spell(value.start, operands, literal)}, {spell(value.stop, operands, literal)}, {value.step})"
            )
        case list():
            return "[" + ", ".join(spell(each, operands, literal) for each in value) + "]"
        case tuple():
            inside = ", ".join(spell(each, operands, literal) for each in value)
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        case _ if value is ...:
            return "..."
        case _:
            raise Unspeakable


def runs(text: str, scope: dict[str, Any] | None = None) -> bool:
    """Whether a script runs to its end here."""
    try:
        execute(text, scope)
    except Exception:  # noqa: BLE001 -- whatever it is, no user would keep such a script
        return False
    return True


def execute(text: str, scope: dict[str, Any] | None = None) -> None:
    """Run a script, with the same random numbers each time."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "<script>", "exec"), {"__name__": "__main__"} if scope is None else scope)  # noqa: S102
