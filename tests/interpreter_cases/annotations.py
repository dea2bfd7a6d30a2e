"""Annotations prove what a parameter is: bare, quoted, optional or one of several."""
from typing import Optional, Union

import torch
from torch import Tensor, nn


def spelled(a: "Tensor", b: Optional[Tensor], c: Tensor | None, d: None | Tensor, e: Union[Tensor, str], f: list[Tensor]):
    one = a  # reveal: the device of a
    two = b  # reveal: the device of b
    three = c  # reveal: the device of c
    four = d  # reveal: the device of d
    five = e  # reveal: unknown
    six = f  # reveal: unknown


def plain(size: int, other: "unseen.Type", lazy: lambda: 0):
    one = size  # reveal: unknown
    two = other  # reveal: unknown
    three = lazy  # reveal: unknown


class Net(nn.Module):
    def forward(self, x: Tensor, mask: Tensor | None = None, size: int = 3):
        one = x  # reveal: the device of self
        two = torch.ones(size, device=x.device)  # reveal: the device of self
        return one
