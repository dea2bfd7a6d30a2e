"""Correct functions that are close to a bug: nothing is found in them."""

from __future__ import annotations

import textwrap

import pytest
from near_misses.handled_values import HANDLED
from near_misses.tests_of_devices import IN_METHODS, TESTED
from near_misses.unseen_places import UNSEEN

from torchdevlint.engine import analyse
from torchdevlint.options import Options, on_by_default

FUNCTION = "def run(device):\n    net = nn.Linear(3, 3).to(device)\n    x = torch.ones(3)\n"
MODULE = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        made = torch.zeros(3)
"""


def suite(body: str, depth: int) -> str:
    return textwrap.indent(textwrap.dedent(body).strip("\n"), "    " * depth) + "\n"


SOURCES = {
    **{f"a test of the device: {name}": FUNCTION + suite(body, 1) for name, body in TESTED.items()},
    **{f"a test in a method: {name}": MODULE + suite(body, 2) for name, body in IN_METHODS.items()},
    **{name: textwrap.dedent(source) for name, source in (HANDLED | UNSEEN).items()},
}


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_is_found_in_what_is_correct(name: str) -> None:
    # devices may be written into the code here, and advice is about what is correct
    options = Options(wants=lambda code: on_by_default(code) and not code.startswith("TDL5"))
    assert analyse(f"import torch\nfrom torch import nn\n\n\n{SOURCES[name]}", options=options) == ()
