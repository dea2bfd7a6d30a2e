"""Rules about checkpoints, moves that there are not, autocast and collectives: where they speak."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

HEAD = """\
import os
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import AutoModelForCausalLM
from elsewhere import Base, build, args, helper, rank
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
    def forward(self, x):
        return self.layer(x)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net()
"""


def codes(lines: str) -> list[str]:
    """Return the codes that are found in lines, without 401, which is about the same loads."""
    return [diagnostic.code for diagnostic in analyse(HEAD + lines) if diagnostic.code != "TDL401"]


PINNED = [
    pytest.param("'cuda'", True, id="a literal"),
    pytest.param("torch.device('cuda:1')", True, id="a device"),
    pytest.param("'cpu'", False, id="the host"),
    pytest.param("'elsewhere'", False, id="no device"),
    pytest.param("None", False, id="none"),
    pytest.param("device", False, id="a variable"),
    pytest.param("f'cuda:{rank}'", False, id="a computed one"),
    pytest.param("{'cuda:1': 'cuda:0'}", True, id="a dict"),
    pytest.param("{'cuda:1': f'cuda:{rank}'}", False, id="a dict of computed ones"),
    pytest.param("lambda storage, place: storage.cuda(1)", True, id="a function"),
    pytest.param("lambda storage, place: storage", False, id="a function to the host"),
    pytest.param("lambda storage, place: storage.cuda(rank)", False, id="a function to the rank"),
    pytest.param("lambda storage, place: None", False, id="a function that leaves it"),
    pytest.param("'cuda' if torch.cuda.is_available() else 'cpu'", False, id="a choice"),
    pytest.param(
        "lambda storage, place: storage.cuda() if torch.cuda.is_available() else storage",
        False,
        id="a function that asks",
    ),
]


@pytest.mark.parametrize(("place", "found"), PINNED)
def test_loads_that_are_pinned(place: str, found: bool) -> None:
    assert codes(f"net.load_state_dict(torch.load('x', map_location={place}))") == ["TDL402"] * found
    assert codes(f"if args.gpu:\n    net.load_state_dict(torch.load('x', map_location={place}))") == []


WRAP = "wrapped = nn.DataParallel(Net())\n"
SAVE = WRAP + "torch.save(wrapped.state_dict(), {})\n"
LOAD = "net.load_state_dict(torch.load({}))"
CLASS = "class Own(nn.Module):\n    def __init__(self):\n        super().__init__()\n"

WRAPPED = [
    pytest.param(WRAP + "net.load_state_dict(wrapped.state_dict())", True, id="into the bare one"),
    pytest.param(WRAP + "wrapped.load_state_dict(net.state_dict())", True, id="into the wrapper"),
    pytest.param(WRAP + "net.load_state_dict(wrapped.module.state_dict())", False, id="of the inner one"),
    pytest.param(WRAP + "nn.DataParallel(Net()).load_state_dict(wrapped.state_dict())", False, id="both are wrapped"),
    pytest.param(WRAP + "nn.Linear(4, 4).load_state_dict(wrapped.state_dict())", True, id="into a layer"),
    pytest.param(WRAP + "nn.Sequential(Net()).load_state_dict(wrapped.state_dict())", True, id="into a stack"),
    pytest.param(WRAP + "net.load_state_dict(helper(wrapped.state_dict()))", False, id="changed by other code"),
    pytest.param(WRAP + "s = wrapped.state_dict()\nhelper(s)\nnet.load_state_dict(s)", False, id="changed in place"),
    pytest.param(WRAP + "s = wrapped.state_dict()\ns.pop('x')\nnet.load_state_dict(s)", False, id="popped from"),
    pytest.param(WRAP + "s = wrapped.state_dict()\nprint(s.keys())\nnet.load_state_dict(s)", True, id="read from"),
    pytest.param(WRAP + "build().load_state_dict(wrapped.state_dict())", False, id="into anything"),
    pytest.param(WRAP + "net.load_state_dict()", False, id="nothing"),
    pytest.param("m = build()\nm.load_state_dict(nn.DataParallel(m).state_dict())", True, id="of its own wrapper"),
    pytest.param(
        WRAP + CLASS + "        self.module = Net()\nOwn().load_state_dict(wrapped.state_dict())", False, id="same name"
    ),
    pytest.param(
        WRAP + CLASS + "    def _load_from_state_dict(self, *a):\n        pass\n"
        "Own().load_state_dict(wrapped.state_dict())",
        False,
        id="names of its own",
    ),
    pytest.param(
        WRAP + "class Own(Base, nn.Module):\n    pass\nOwn().load_state_dict(wrapped.state_dict())", False, id="open"
    ),
    pytest.param(SAVE.format("'x'") + LOAD.format("'x'"), True, id="by a file"),
    pytest.param(SAVE.format("'x'") + LOAD.format("'y'"), False, id="by another file"),
    pytest.param(SAVE.format("args.x") + LOAD.format("args.x"), True, id="by a file of the arguments"),
    pytest.param(SAVE.format("'a' + args.x") + LOAD.format("'a' + args.x"), True, id="by a sum"),
    pytest.param(
        SAVE.format("os.path.join(args.x, 'a')") + LOAD.format("os.path.join(args.x, 'a')"), True, id="joined"
    ),
    pytest.param(SAVE.format("helper(*args)") + LOAD.format("helper(*args)"), False, id="by what is not known"),
    pytest.param(SAVE.format("[1][0] + helper()") + LOAD.format("[1][0] + helper()"), False, id="by what is not pure"),
    pytest.param("f = helper()\n" + SAVE.format("f") + LOAD.format("f"), True, id="by an object"),
    pytest.param(SAVE.format("'x'") + "torch.save(helper(), 'x')\n" + LOAD.format("'x'"), False, id="written twice"),
    pytest.param(
        SAVE.format("'x'") + LOAD.format("'x'").replace("))", ")['net'])"), False, id="a part that is not there"
    ),
    pytest.param(
        WRAP + "torch.save({'net': wrapped.state_dict()}, 'x')\ns = torch.load('x')\ns['net'] = helper(s['net'])\n"
        "net.load_state_dict(s['net'])",
        False,
        id="another one was put in",
    ),
    pytest.param(
        WRAP + "torch.save({'net': wrapped.state_dict()}, 'x')\nnet.load_state_dict(torch.load('x')['net'])",
        True,
        id="a part of a file",
    ),
    pytest.param(
        "def save(path, state):\n    torch.save(state, path)\ndef load(path):\n    return torch.load(path)\n"
        + WRAP
        + "p = args.x + 'a'\nsave(p, wrapped.state_dict())\nnet.load_state_dict(load(p))",
        True,
        id="by functions",
    ),
    pytest.param(
        "def save(path, state):\n    path = path + 'b'\n    torch.save(state, path)\n"
        + WRAP
        + "p = args.x + 'a'\nsave(p, wrapped.state_dict())\n"
        + LOAD.format("p"),
        False,
        id="by a function that names another",
    ),
    pytest.param(
        SAVE.format("'x'") + "try:\n    " + LOAD.format("'x'") + "\nexcept RuntimeError:\n    pass", False, id="tried"
    ),
]


@pytest.mark.parametrize(("lines", "found"), WRAPPED)
def test_states_of_wrappers(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL403"] * found


MOVED = [
    pytest.param("x = [torch.ones(2)]\nx.to(device)", True, id="a list"),
    pytest.param("x = {'a': torch.ones(2)}\nx = x.cpu()", True, id="a dict"),
    pytest.param("[torch.ones(2)].to(device)", False, id="one without a name"),
    pytest.param("x = [torch.ones(2)]\nhelper(x)\nx.to(device)", False, id="one that other code had"),
    pytest.param("def f(x=()):\n    if x:\n        x = x.to(device)\nf()", False, id="one that stands for nothing"),
    pytest.param("x = [torch.ones(2)]\nx.sort()", False, id="no move"),
    pytest.param("x = (torch.ones(2) for _ in range(2))\nx.to(device)", False, id="a generator"),
    pytest.param("x = [1] if args.x else torch.ones(2)\nx = x.to(device)", False, id="perhaps a tensor"),
    pytest.param("x = [torch.ones(2)]\nif helper(x):\n    x = x.to(device)", False, id="after a test"),
    pytest.param("x = torch.ones(2).to(like=net)", True, id="a strange argument"),
    pytest.param("x = torch.ones(2).to(**args)", False, id="arguments that are not known"),
    pytest.param("net.to(where=device)", True, id="of a module"),
    pytest.param("m = build()\nm.to(where=device)", False, id="of anything"),
    pytest.param("m = build()\nm.eval()\nm.to(where=device)", True, id="of what is a module"),
    pytest.param("m = AutoModelForCausalLM.from_pretrained('x', device_map='auto')\nm.to(device)", True, id="spread"),
    pytest.param("m = AutoModelForCausalLM.from_pretrained('x', device_map=device)\nm.to(device)", False, id="placed"),
    pytest.param(
        "m = AutoModelForCausalLM.from_pretrained('x', device_map='auto')\nm.to(m.dtype)", False, id="to another dtype"
    ),
    pytest.param("x = torch.ones(2)\nm, x = Accelerator().prepare(net, x)", True, id="a prepared tensor"),
]


@pytest.mark.parametrize(("lines", "found"), MOVED)
def test_moves_that_there_are_not(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL208"] * found


CALL = ":\n    net.to(device)(torch.ones(2, 4).to(device))"

CAST = [
    pytest.param("torch.autocast(device)", True, id="an object"),
    pytest.param("torch.autocast(device.type)", False, id="its type"),
    pytest.param("torch.autocast('cpu')", True, id="the other type"),
    pytest.param("torch.autocast('cuda')", False, id="the same type"),
    pytest.param("torch.autocast('cuda:0')", False, id="with an index"),
    pytest.param("torch.autocast('elsewhere')", False, id="no device"),
    pytest.param("torch.cpu.amp.autocast()", True, id="named in the function"),
    pytest.param("torch.autocast('cpu', enabled=args.amp)", False, id="perhaps disabled"),
    pytest.param("torch.autocast('cpu', enabled=True)", True, id="surely enabled"),
    pytest.param("torch.autocast('cuda' if torch.cuda.is_available() else 'cpu')", False, id="a choice"),
    pytest.param("torch.autocast(args.device)", False, id="whatever"),
    pytest.param("torch.autocast(args.x.device)", False, id="the device of anything"),
    pytest.param("torch.autocast('cpu'), torch.autocast('cuda')", False, id="another one inside"),
]


@pytest.mark.parametrize(("context", "found"), CAST)
def test_devices_of_autocast(context: str, found: bool) -> None:
    assert codes(f"with {context}{CALL}") == ["TDL116"] * found


def test_autocast_for_the_device_of_anything() -> None:
    assert codes("def f(y):\n    return torch.autocast(y.device)") == []


def test_autocast_where_everything_is_on_the_host() -> None:
    assert codes("with torch.autocast('cuda'):\n    net(torch.ones(2, 4))") == []


NCCL = "dist.init_process_group('nccl')\n"

COLLECTED = [
    pytest.param(NCCL + "dist.all_reduce(torch.ones(2))", True, id="on the host"),
    pytest.param(NCCL + "dist.all_reduce(torch.ones(2).cuda())", False, id="on the accelerator"),
    pytest.param(NCCL + "dist.broadcast(src=0)", False, id="nothing"),
    pytest.param(NCCL + "dist.all_reduce(helper())", False, id="anywhere"),
    pytest.param(NCCL + "x = torch.ones(2).cuda()\ndist.all_gather([torch.ones(2)], x)", True, id="in a list"),
    pytest.param(NCCL + "dist.all_reduce(torch.ones(2), group=helper())", False, id="in another group"),
    pytest.param(NCCL + "dist.all_reduce(torch.ones(2), group=None)", True, id="in no other group"),
    pytest.param(NCCL + "dist.all_reduce(*[torch.ones(2)] * rank)", False, id="hidden"),
    pytest.param("dist.init_process_group('gloo')\ndist.all_reduce(torch.ones(2))", False, id="of another backend"),
    pytest.param("dist.all_reduce(torch.ones(2))", False, id="of an unknown backend"),
    pytest.param(NCCL + "dist.init_process_group()\ndist.all_reduce(torch.ones(2))", False, id="of either"),
]


@pytest.mark.parametrize(("lines", "found"), COLLECTED)
def test_collectives(lines: str, found: bool) -> None:
    assert [code for code in codes(lines) if code != "TDL502"] == ["TDL114"] * found
