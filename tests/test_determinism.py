"""One file has the same findings in every process, whatever the order of its sets."""

from __future__ import annotations

import os
import subprocess
import sys

SOURCE = """
import torch
from torch import nn


def run(a, b):
    net = nn.Linear(3, 3).to("cuda:0")
    x = torch.randn(2, 3)
    if a:
        x = x.to("cuda:1")
    elif b:
        x = x.to("cuda:2")
    return net(x)
"""
PROGRAM = f"from torchdevlint.engine import analyse; print([d.message for d in analyse({SOURCE!r})])"


def test_the_order_of_sets_does_not_show() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in range(8)
    }
    assert len(printed) == 1
    assert "`net`" in printed.pop()
