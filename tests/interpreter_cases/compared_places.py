"""That two tensors are in one place tells where one of them is, if it is known where the other is."""
import torch
from elsewhere import there


def same(x: torch.Tensor):
    held = torch.ones(3)
    if held.device == x.device:
        one = held  # reveal: the device of x
    else:
        two = held  # reveal: cpu
    held = torch.ones(3)
    if held.device == there.device:
        three = held  # reveal: cpu
    if torch.ones(3).device == x.device:
        four = x  # reveal: the device of x
