"""Rules about several devices and processes, where a fixture would say little."""

from __future__ import annotations

import inspect
import re

import pytest

from torchdevlint.engine import analyse
from torchdevlint.knowledge import DEFAULT
from torchdevlint.knowledge.rows import ModuleType

HEAD = """
import torch
from torch import nn
from elsewhere import flag, given, unknown
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)
    def forward(self, x):
        return self.head(x)
    def encode(self, x):
        return x
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net().to(device)
"""


def codes(lines: str, *ignored: str) -> list[str]:
    return [d.code for d in analyse(HEAD + lines + "\n") if d.code not in ("TDL501", "TDL502", *ignored)]


ASKED = [
    pytest.param("nn.DataParallel(model).encode(1)", True, id="a method"),
    pytest.param("wrapped = nn.DataParallel(model)\nunknown(wrapped)\nwrapped.encode(1)", True, id="lent"),
    pytest.param("wrapped = nn.DataParallel(model)\nunknown(wrapped)\nwrapped.other", False, id="lent, and set there"),
    pytest.param("wrapped = nn.DataParallel(model)\nwrapped.other", True, id="an attribute that nobody has"),
    pytest.param("wrapped = nn.DataParallel(given)\nwrapped.other", True, id="around something unknown"),
    pytest.param("wrapped = nn.DataParallel(model)\nwrapped._private", False, id="a private one"),
    pytest.param(
        "wrapped = nn.DataParallel(model)\nsetattr(wrapped, flag, 1)\nwrapped.encode", False, id="set by name"
    ),
    pytest.param("wrapped = nn.DataParallel()\nwrapped.encode", False, id="around nothing"),
    pytest.param(
        "if flag:\n    model = nn.DataParallel(model)\n"
        "if given:\n    model.module.encode(1)\nelse:\n    model.encode(1)",
        False,
        id="told apart by another test",
    ),
    pytest.param(
        "if flag:\n    model = nn.DataParallel(model)\nif given:\n    model.module.encode(1)\nmodel.encode(1)",
        True,
        id="asked on either way",
    ),
    pytest.param(
        "either = nn.DataParallel(model) if flag else given\n"
        "if isinstance(either, nn.DataParallel):\n    either.module.encode(1)\nelse:\n    either.encode(1)",
        False,
        id="known to be no wrapper, though not what else",
    ),
    pytest.param(
        "either = nn.DataParallel(model) if flag else given\nif hasattr(either, 'encode'):\n    either.encode(1)",
        False,
        id="known to have it, though not what it is",
    ),
    pytest.param(
        "either = nn.DataParallel(model) if flag else given\nif hasattr(either, 'head') and either.head:\n    pass",
        False,
        id="known to have it in the same test",
    ),
]


@pytest.mark.parametrize(("lines", "found"), ASKED)
def test_wrappers_that_are_asked(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL605"] * found


@pytest.mark.needs_torch
@pytest.mark.parametrize("name", ["torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"])
def test_wrappers_have_what_their_rows_say(name: str) -> None:
    import torch

    kind = torch.nn.DataParallel if name.endswith("nn.DataParallel") else torch.nn.parallel.DistributedDataParallel
    row = DEFAULT.names[name]
    assert isinstance(row, ModuleType)
    assigned = re.findall(r"self\.([a-z]\w*) *(?::[^=\n]+)?=[^=]", inspect.getsource(kind))
    has = {one for one in (*dir(torch.nn.Module()), *dir(kind), *assigned) if not one.startswith("_")}
    assert has - row.own - set(DEFAULT.module) - {"device"} == set()
