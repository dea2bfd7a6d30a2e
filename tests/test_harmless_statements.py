"""Statements that move nothing, and other ways to choose a device: what is found is found in spite of them."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

SCRIPT = """\
import argparse, copy, logging, os
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import config
from config import opts
{device}
logger = logging.getLogger(__name__)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


def init(layer):
    if "Linear" in layer.__class__.__name__:
        nn.init.normal_(layer.weight)


def main():
    model = Net().to(device)
    model.load_state_dict(torch.load("a.pt"))
    optimizer = torch.optim.Adam(model.parameters())
    {statement}
    for x, y in DataLoader(TensorDataset(torch.rand(8, 4), torch.zeros(8).long()), batch_size=4):
        loss = nn.functional.cross_entropy(model(x.to(device)), y)
        loss.backward()
        optimizer.step()
    model(torch.rand(2, 4))


main()
"""
CHOSEN = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
PARSED = 'parser = argparse.ArgumentParser()\nparser.add_argument("--device")\nargs = parser.parse_args()\n'


def codes(device: str, statement: str) -> set[str]:
    """Return the codes found in a script that chooses its device so, and runs a statement before the training."""
    return {one.code for one in analyse(SCRIPT.format(device=device, statement=statement))}


@pytest.mark.parametrize(
    "statement",
    [
        "print(model)",
        "logger.info(model)",
        'logger.info("%s", model.__class__.__name__)',
        "model.apply(init)",
        "model.train()",
        "total = sum(p.numel() for p in model.parameters() if p.requires_grad)",
        "for name, p in model.named_parameters(): print(name, p.shape)",
        "for m in model.modules(): print(m)",
        "nn.init.xavier_uniform_(model.fc.weight)",
        "model.fc.weight.data.fill_(0)",
        "with torch.no_grad(): model.fc.weight.copy_(torch.zeros(2, 4))",
        "best = copy.deepcopy(model.state_dict())",
        "ema = copy.deepcopy(model)",
        'torch.save(model.state_dict(), "b.pt")',
        "nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
        "assert isinstance(model, nn.Module)",
        "print(next(model.parameters()).is_cuda)",
        'torch.onnx.export(model, torch.rand(1, 4).to(device), "a.onnx")',
        "np.random.seed(0); torch.manual_seed(0)",
        'if os.path.exists("b.pt"): model.load_state_dict(torch.load("b.pt", map_location=device))',
    ],
)
def test_statements_that_move_nothing(statement: str) -> None:
    assert codes(CHOSEN, statement) == {"TDL102", "TDL103", "TDL401"}


@pytest.mark.parametrize(
    "device",
    [
        'device = torch.device("cuda:" + str(opts.gpu)) if torch.cuda.is_available() else torch.device("cpu")',
        'device = torch.device("cuda:{}".format(opts.gpu) if torch.cuda.is_available() else "cpu")',
        'device = torch.device("cuda:%d" % opts.gpu if torch.cuda.is_available() else "cpu")',
        'device = torch.device(opts.device if torch.cuda.is_available() else "cpu")',
        'device = config.DEVICE if torch.cuda.is_available() else "cpu"',
        "device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else 'cpu'",
        PARSED + "device = torch.device(args.device)",
        PARSED + 'device = torch.device(args.device if torch.cuda.is_available() else "cpu")',
        PARSED + "if not torch.cuda.is_available():\n    args.device = 'cpu'\ndevice = args.device",
    ],
)
def test_ways_to_choose_a_device(device: str) -> None:
    assert codes(device, "pass") == {"TDL102", "TDL103", "TDL401"}


@pytest.mark.parametrize(
    "test", ['args.device == "cuda" and not torch.cuda.is_available()', '"cuda" in args.device and not opts.cuda']
)
def test_a_choice_that_is_taken_back(test: str) -> None:
    device = f"{PARSED}if {test}:\n    args.device = 'cpu'\ndevice = args.device"
    assert codes(device, "pass") >= {"TDL102", "TDL103"}


@pytest.mark.parametrize("text", ['"gpu {}".format(opts.gpu)', '"cuda".format(opts.gpu)', '"cuda:{}".strip("x")'])
def test_texts_that_name_no_device_of_a_number(text: str) -> None:
    assert "TDL103" not in codes(f"device = {text}", "pass")


LOADED = """\
import torch
from torch import nn

def load(path, device):
    model = nn.Linear(3, 3).to(device)
    state = model.state_dict()
    read = torch.load(path)
    {statement}
    model.load_state_dict(state)
    return 1

load("a", torch.device("cuda" if torch.cuda.is_available() else "cpu"))
"""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("state.update(read)", True),
        ("state.update({k: v for k, v in read.items() if k in state})", True),
        ("for k, v in read.items(): state[k] = v", True),
        ("print(state.keys(), read)", False),
    ],
)
def test_what_is_put_into_a_state(statement: str, found: bool) -> None:
    assert [one.code for one in analyse(LOADED.format(statement=statement))] == ["TDL401"] * found
