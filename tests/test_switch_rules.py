"""Rules about switches of a script and what is read too early, where a fixture would say little."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

HEAD = """
import os
import torch
from torch import nn
from elsewhere import flag, given, unknown
"""


def codes(lines: str) -> list[str]:
    return [d.code for d in analyse(HEAD + lines + "\n") if d.code not in ("TDL501", "TDL502")]


LEFT_ON = [
    pytest.param("os.environ['CUDA_LAUNCH_BLOCKING'] = '1'", True, id="a variable"),
    pytest.param("os.environ['CUDA_LAUNCH_BLOCKING'] = given", False, id="set to what is given"),
    pytest.param("os.environ['CUDA_LAUNCH_BLOCKING'] = ''", False, id="off"),
    pytest.param("os.putenv('CUDA_LAUNCH_BLOCKING', '1')", True, id="by a call"),
    pytest.param("os.putenv('CUDA_LAUNCH_BLOCKING')", False, id="without a value"),
    pytest.param("os.environ.update(CUDA_LAUNCH_BLOCKING='1')", True, id="by keyword"),
    pytest.param(
        "if torch.cuda.is_available():\n    os.environ['CUDA_LAUNCH_BLOCKING'] = '1'", True, id="where CUDA is"
    ),
    pytest.param("if flag:\n    os.environ['CUDA_LAUNCH_BLOCKING'] = '1'", False, id="asked for"),
    pytest.param("torch.autograd.anomaly_mode.set_detect_anomaly(mode=True)", True, id="by its long name"),
    pytest.param(
        "torch.autograd.set_detect_anomaly(True)\ntorch.autograd.set_detect_anomaly(flag)", False, id="and off"
    ),
]


@pytest.mark.parametrize(("lines", "found"), LEFT_ON)
def test_switches_that_are_left_on(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL509"] * found


EARLY = """
import lightning.pytorch as pl
class Helper:
    def __init__(self, place):
        self.place = place
class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        KEEP
    def setup(self, stage):
        self.late = self.device
    def training_step(self, batch, index):
        here = self.device
        return batch + self.mask
"""

KEPT = [
    pytest.param("self.place = self.device", True, id="an attribute"),
    pytest.param("self.late = self.device", False, id="bound later"),
    pytest.param("self.mask = torch.ones(2, device=self.device)", True, id="a plain tensor"),
    pytest.param("self.mask = nn.Parameter(torch.ones(2, device=self.device))", False, id="a parameter"),
    pytest.param("self.head = nn.Linear(2, 2).to(self.device)", False, id="a layer"),
    pytest.param("self.helper = Helper(self.device)", True, id="an object of the file"),
    pytest.param("self.helper = unknown(self.device)", False, id="something unknown"),
    pytest.param("place = self.device", False, id="a variable"),
    pytest.param("self.mask = torch.ones(2, device=self.device) if flag else None", True, id="on one way"),
    pytest.param("self.other = Model.other.device", False, id="of something else"),
]


@pytest.mark.parametrize(("keep", "found"), KEPT)
def test_devices_that_are_kept(keep: str, found: bool) -> None:
    assert codes(EARLY.replace("KEEP", keep)) == ["TDL510"] * found
