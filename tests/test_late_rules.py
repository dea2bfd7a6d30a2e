"""Rules about what comes into a module late, or was taken out of it too early: where they speak."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

HEAD = """\
import torch
from torch import nn
from torchvision import models
from transformers import AutoModelForCausalLM
from elsewhere import Build, helper
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("mask", torch.ones(4))
    def forward(self, x):
        return self.head(self.body(x) * self.scale * self.mask)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4).to(device)
m = Net()
"""


def codes(lines: str) -> list[str]:
    """Return the codes that are found in lines, without those that every script of this kind has."""
    found = (diagnostic.code for diagnostic in analyse(HEAD + lines))
    return [code for code in found if code not in ("TDL302", "TDL401", "TDL601")]


LATE = [
    pytest.param("m.to(device)\nm.head = nn.Linear(4, 9)\nm(x)", True, id="put in after the move"),
    pytest.param("m.head = nn.Linear(4, 9)\nm.to(device)\nm(x)", False, id="put in before it"),
    pytest.param("m.to(device)\nm.head = nn.Linear(4, 9)\nm.to(device)\nm(x)", False, id="moved again"),
    pytest.param("m.to(device)\nsetattr(m, 'head', nn.Linear(4, 9))\nm(x)", True, id="by setattr"),
    pytest.param("m.to(device)\nm.extra = nn.Linear(4, 9)\nm(x)", False, id="not used"),
    pytest.param("m.to(device)\nm.head = nn.Tanh()\nm(x)", False, id="nothing to move"),
    pytest.param("m = Build()\nm.to(device).eval()\nm.fc = nn.Linear(4, 9)\nm(x)", True, id="of other code"),
    pytest.param(
        "m = Build()\nm.to(device).eval()\nsetattr(m, 'fc', nn.Linear(4, 9))\nm(x)", True, id="of it, setattr"
    ),
    pytest.param(
        "m = Build()\nm.to(device).eval()\nm.fc = nn.Linear(4, 9)\nm.to(device)\nm(x)", False, id="of it, again"
    ),
    pytest.param(
        "m = Build()\nm.to(device).eval()\nm.fc = nn.Linear(4, 9)\nhelper(m)\nm(x)", False, id="of it, unseen"
    ),
    pytest.param("m = Build()\nm = m.to(device)\nm.fc = nn.Linear(4, 9)\nm(x)", False, id="perhaps no module"),
    pytest.param("m = models.vgg16().to(device)\nm.classifier[6] = nn.Linear(4, 9)\nm(x)", True, id="in a part"),
    pytest.param("m = models.vgg16()\nm.classifier[6] = nn.Linear(4, 9)\nm.to(device)\nm(x)", False, id="in it before"),
    pytest.param("m = models.vgg16().to(device)\nm.heads.head = nn.Linear(4, 9)\nm(x)", True, id="in a part by name"),
    pytest.param("m = models.vgg16()\nhelper(m.fc)\nm.to(device)\nhelper(m)\nm(x)", False, id="a part that is read"),
    pytest.param(
        "m = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).to(device)\nm.append(nn.Linear(4, 4))\nm(x)",
        True,
        id="appended",
    ),
    pytest.param(
        "m = nn.Sequential(nn.Linear(4, 4)).to(device)\nm[k] = nn.Linear(4, 4)\nm(x)", False, id="somewhere in a stack"
    ),
    pytest.param(
        "class Own(Net):\n    def forward(self, x):\n        return self.body(Net()(x))\nOwn().to(device)(x)",
        True,
        id="built",
    ),
    pytest.param(
        "class Own(Net):\n    def forward(self, x):\n        return nn.Linear(4, 4).to(x)(self.body(x))\n"
        "Own().to(device)(x)",
        False,
        id="built and moved",
    ),
    pytest.param(
        "class T:\n    def __init__(self):\n        self.m = Build()\n        self.m.fc = nn.Linear(3, 3)\n"
        "    def setup(self):\n        self.m.to(device)\n    def run(self):\n        self.m.train()\n"
        "        return self.m(x)",
        False,
        id="moved by another method",
    ),
]


@pytest.mark.parametrize(("lines", "found"), LATE)
def test_layers_that_are_late(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL112"] * found


TRAIN = "\nloss = m(torch.ones(3, 4)).sum()\nloss.backward()\nopt.step()"
ADAM = "opt = torch.optim.Adam(m.parameters())\n"

REPLACED = [
    pytest.param(ADAM + "m.head = nn.Linear(4, 9)", True, id="a layer"),
    pytest.param(ADAM + "m.head = nn.Linear(4, 9)\n" + ADAM, False, id="built again"),
    pytest.param("m.head = nn.Linear(4, 9)\n" + ADAM, False, id="built afterwards"),
    pytest.param(ADAM + "m.head.bias = nn.Parameter(torch.zeros(2))", True, id="a parameter"),
    pytest.param(ADAM + "m.scale = nn.Parameter(torch.zeros(2))", True, id="a parameter of its own"),
    pytest.param(ADAM + "p = nn.Parameter(torch.zeros(2))\nm.scale = p", False, id="a parameter with a name"),
    pytest.param(ADAM + "m.scale = nn.Parameter(torch.zeros(2))\n" + ADAM, False, id="a parameter, built again"),
    pytest.param(ADAM + "m.head = nn.Sequential(helper(), nn.Linear(4, 2))", True, id="a stack with unknown parts"),
    pytest.param(ADAM + "m.mask = torch.zeros(2)", False, id="a buffer"),
    pytest.param(ADAM + "m.extra = nn.Linear(2, 2)", False, id="something beside"),
    pytest.param(ADAM + "m.head = nn.Linear(4, 9)\nm.requires_grad_(False)", False, id="all is frozen"),
    pytest.param(ADAM + "m.head = nn.Linear(4, 9)\nm.head.requires_grad_(True)", True, id="is not frozen"),
    pytest.param(ADAM + "m.head = Net()", True, id="a module of the file"),
    pytest.param(ADAM + "m.head = nn.DataParallel(m.head)", False, id="the same in a wrapper"),
    pytest.param(ADAM + "m.head = nn.Sequential(nn.Tanh(), m.head)", False, id="the same in a stack"),
    pytest.param(ADAM + "m.head = nn.BatchNorm1d(4, affine=False)", False, id="a layer that has only buffers"),
    pytest.param(ADAM + "m.head = nn.BatchNorm1d(4)", True, id="a layer that has both"),
    pytest.param(ADAM + "m.head = helper(m.head)", False, id="something unknown"),
    pytest.param(
        ADAM + "opt.add_param_group({'params': helper()})\nm.head = nn.Linear(4, 9)", True, id="a group before"
    ),
    pytest.param(
        ADAM + "m.head = nn.Linear(4, 9)\nopt.add_param_group({'params': helper()})", False, id="a group after"
    ),
    pytest.param(ADAM + "m.head = nn.Linear(4, 9)\nopt.param_groups[0]['lr'] = 1", True, id="another rate"),
    pytest.param(ADAM + "m.head = nn.Linear(4, 9)\nopt.param_groups[0]['params'] = helper(m)", False, id="by hand"),
    pytest.param(
        ADAM + "m.head = nn.Linear(4, 9)\nfor g in opt.param_groups:\n    helper(g['params'])", False, id="read"
    ),
    pytest.param(ADAM + "m.load_state_dict(helper(), assign=True)", True, id="assigned"),
    pytest.param("m.load_state_dict(helper(), assign=True)\n" + ADAM, False, id="assigned before"),
    pytest.param(ADAM + "m.load_state_dict(helper(), assign=helper())", False, id="perhaps assigned"),
    pytest.param(
        "m = AutoModelForCausalLM.from_pretrained('x')\n" + ADAM + "m.resize_token_embeddings(9)", True, id="new"
    ),
    pytest.param("m = Build()\n" + ADAM + "m.resize_token_embeddings()", False, id="nothing is resized"),
    pytest.param("m = Build()\n" + ADAM + "m.fc = nn.Linear(m.fc.in_features, 2)", True, id="of other code"),
    pytest.param("m = Build()\n" + ADAM + "m.fc = nn.Linear(2, 2)", False, id="of it, perhaps beside"),
    pytest.param("m = models.vgg16()\n" + ADAM + "m.classifier[6] = nn.Linear(2, 2)", True, id="in a part"),
    pytest.param("m = nn.ModuleDict()\n" + ADAM + "m['a'] = nn.Linear(2, 2)", False, id="a new key"),
    pytest.param(ADAM + "old = m.head\nm.head = nn.Linear(4, 9)\nm.head = old", False, id="put back"),
]


@pytest.mark.parametrize(("lines", "found"), REPLACED)
def test_parameters_that_are_replaced(lines: str, found: bool) -> None:
    assert codes(lines + TRAIN) == ["TDL305"] * found
    assert codes(lines) == []


MOVE = "\nm.to(device)\n"

STALE = [
    pytest.param("t = m.mask" + MOVE + "print(x * t)", True, id="a buffer"),
    pytest.param("t = m.scale" + MOVE + "print(x * t)", False, id="a parameter"),
    pytest.param("t = m.scale.data" + MOVE + "print(x * t)", True, id="the data of one"),
    pytest.param("m.own = nn.Parameter(torch.ones(4))\nt = m.own[0].data" + MOVE + "print(x * t)", False, id="a part"),
    pytest.param("p = nn.Parameter(torch.ones(4, device=device))\nprint(x * p.data)", False, id="of no module"),
    pytest.param(MOVE + "print(x * dict(m.named_parameters())['scale'])", False, id="by its name"),
    pytest.param("t = m.scale.clone()" + MOVE + "print(x * t)", True, id="a copy of one"),
    pytest.param(
        "p = nn.Parameter(torch.ones(4))\nm.own = p\nt = p.data" + MOVE + "print(x * t)", True, id="by a name"
    ),
    pytest.param("p = nn.Parameter(torch.ones(4))\nm.own = p" + MOVE + "print(x * p)", False, id="by a name, moved"),
    pytest.param("s = m.state_dict()" + MOVE + "for t in s.values():\n    print(x * t)", True, id="the state"),
    pytest.param("s = m.state_dict()" + MOVE + "for k, t in s.items():\n    print(x * t)", True, id="its items"),
    pytest.param("s = m.state_dict()" + MOVE + "for k in s:\n    print(x * s[k])", True, id="by its names"),
    pytest.param("s = m.state_dict()" + MOVE + "for k in s.keys():\n    print(x * s.get(k))", True, id="asked for"),
    pytest.param("s = m.state_dict()" + MOVE + "print(x * s['scale'])", False, id="one that may have no dimension"),
    pytest.param("s = m.state_dict()\ns.update(helper())" + MOVE + "print(s)", False, id="not used"),
    pytest.param("s = Build().state_dict()\nfor t in s.values():\n    print(x * t)", False, id="of anything"),
    pytest.param("t = [p.detach() for p in m.parameters()]" + MOVE + "print(x * t[0])", True, id="copies"),
    pytest.param("t = [p.grad for p in m.parameters()]" + MOVE + "print(x * t[0])", False, id="gradients"),
    pytest.param("t = m.scale.grad" + MOVE + "print(x * t)", False, id="the gradient of one"),
    pytest.param(MOVE + "t = m.scale.grad\nprint(x * t)", False, id="the gradient of one that moved"),
    pytest.param("t = [p for p in m.parameters()]" + MOVE + "print(x * t[0])", False, id="the parameters"),
    pytest.param("t = [p.detach() for p in m.buffers()]\nm.cpu()\nprint(x.cpu() * t[0])", False, id="on the host"),
]


@pytest.mark.parametrize(("lines", "found"), STALE)
def test_values_that_are_stale(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL115"] * found
