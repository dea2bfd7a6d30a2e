"""Rules about attributes, workers, leaves, the environment, comparisons and wrappers: where they speak."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

HEAD = """\
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torch.nn.parallel import DistributedDataParallel
from elsewhere import Base, Kind, helper, flag, given, ids
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x):
        return self.layer(x)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net()
"""

ABSENT = [
    pytest.param("print(model.device)", True, id="read"),
    pytest.param("helper(model)\nprint(model.device)", False, id="unseen code had it"),
    pytest.param("model.__dict__['device'] = 1\nprint(model.device)", False, id="by its namespace"),
    pytest.param("given.device = 1\nprint(model.device)", False, id="something unknown is given one"),
    pytest.param("Net.device = 1\nprint(model.device)", False, id="the class is given one"),
    pytest.param("class Other(Net, Base):\n    pass\nprint(Other().device)", False, id="a base cannot be seen"),
    pytest.param(
        "class Other(Net):\n    def __getattr__(self, name):\n        return 1\nprint(Other().device)",
        False,
        id="the class answers for any",
    ),
    pytest.param("class Other(Net):\n    device: object\nprint(Other().device)", False, id="the class declares one"),
    pytest.param("class Other(Net):\n    size: int\nprint(Other().device)", True, id="the class declares another"),
    pytest.param("if isinstance(model, Net):\n    print(model.device)", True, id="known to be of its class"),
    pytest.param("if isinstance(model, nn.DataParallel):\n    print(model.device)", False, id="known to be no wrapper"),
    pytest.param(
        "class Chain(nn.Sequential):\n    pass\nif isinstance(Chain(), nn.Module):\n    print(model.device)",
        True,
        id="a base that only torch names",
    ),
    pytest.param("if isinstance(nn.Tanh(), Net):\n    print(model.device)", False, id="a layer is of no class here"),
    pytest.param(
        "if isinstance(nn.Linear(2, 2), nn.Conv2d):\n    pass\nelse:\n    print(model.device)",
        True,
        id="rows are shared",
    ),
    pytest.param("if isinstance(nn.Tanh(), nn.Tanh):\n    print(model.device)", True, id="a layer of its class"),
    pytest.param("if isinstance(nn.Tanh(), nn.Linear):\n    print(model.device)", True, id="a layer of another"),
    pytest.param("if isinstance(model, (Kind, Net)):\n    print(model.device)", True, id="an unknown class"),
    pytest.param("if isinstance(given, Net):\n    print(model.device)", True, id="an unknown object"),
    pytest.param("if isinstance(model, Net, 3):\n    print(model.device)", True, id="no call of isinstance"),
    pytest.param("if hasattr(model, given):\n    print(model.device)", True, id="any attribute"),
    pytest.param("if hasattr(given, 'device'):\n    print(model.device)", True, id="an attribute of something else"),
    pytest.param(
        "if flag:\n    m = model\nelif given:\n    m = Net()\nelse:\n    m = nn.Tanh()\n"
        "if isinstance(m, Net):\n    print(m.device)\nelse:\n    print(1)",
        True,
        id="one of several that are not told apart",
    ),
]


def codes(lines: str) -> list[str]:
    return [d.code for d in analyse(HEAD + lines + "\n") if d.code not in ("TDL501", "TDL502")]


@pytest.mark.parametrize(("lines", "found"), ABSENT)
def test_attributes_that_a_module_lacks(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL503"] * found


LEAVES = [
    pytest.param("w = nn.Parameter(torch.ones(2)).cuda()\ntorch.optim.SGD([w])", True, id="a parameter"),
    pytest.param("w = torch.ones(2).requires_grad_(flag).cuda()\ntorch.optim.SGD([w])", False, id="perhaps a leaf"),
    pytest.param("w = torch.ones(2).requires_grad_(False).cuda()\ntorch.optim.SGD([w])", False, id="no leaf"),
    pytest.param(
        "w = torch.ones(2, requires_grad=True)\nif flag:\n    w = w.cuda()\nif not flag:\n    torch.optim.SGD([w])",
        False,
        id="moved on another way",
    ),
    pytest.param(
        "w = torch.ones(2, requires_grad=True).cuda()\n"
        "o = torch.optim.SGD(model.parameters())\no.add_param_group({'params': [w]})",
        True,
        id="added later",
    ),
    pytest.param("o = torch.optim.SGD(model.parameters())\no.add_param_group()", False, id="nothing is added"),
]


@pytest.mark.parametrize(("lines", "found"), LEAVES)
def test_leaves_that_are_moved(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL207"] * found


LATE = [
    pytest.param("os.putenv('CUDA_VISIBLE_DEVICES', '0')", True, id="by putenv"),
    pytest.param("os.environ.update(CUDA_VISIBLE_DEVICES='0')", True, id="by keyword"),
    pytest.param("os.environ.update(given)", False, id="of unknown names"),
    pytest.param("os.environ[given] = '0'", False, id="under an unknown name"),
    pytest.param("os.environ['CUDA_DEVICE_ORDER'] = '0'", False, id="another variable"),
    pytest.param("os.environ['CUDA_VISIBLE_DEVICES'] = '0'\nos.system('ls')", False, id="for a process"),
]


@pytest.mark.parametrize(("lines", "found"), LATE)
def test_variables_that_are_set_late(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL506"] * found


def test_another_accelerator_does_not_read_them() -> None:
    head = HEAD.replace('torch.device("cuda" if torch.cuda.is_available() else "cpu")', "given.device")
    lines = "torch.xpu.set_device(1)\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
    assert "TDL506" not in [d.code for d in analyse(head + lines)]
    lines = "torch.cuda.set_device(1)\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
    assert "TDL506" in [d.code for d in analyse(head + lines)]


WORKERS = """\
import multiprocessing
model.to(device)
class Items(Dataset):
    def __getitem__(self, index):
        return torch.tensor([index]).to(device)
{before}
loader = DataLoader(Items(), {arguments})
"""


@pytest.mark.parametrize(
    ("before", "arguments", "found"),
    [
        ("", "num_workers=2", True),
        ("", "num_workers=2, collate_fn=lambda items: items", True),
        ("", "num_workers=0, collate_fn=lambda items: items", False),
        ("", "num_workers=2, multiprocessing_context='fork'", True),
        ("", "num_workers=2, multiprocessing_context=None", True),
        ("", "num_workers=2, multiprocessing_context='forkserver'", False),
        ("", "num_workers=2, **given", False),
        ("multiprocessing.set_start_method('fork')", "num_workers=2", True),
        ("multiprocessing.set_start_method(given)", "num_workers=2", False),
    ],
)
def test_moves_in_workers(before: str, arguments: str, found: bool) -> None:
    assert codes(WORKERS.format(before=before, arguments=arguments)) == ["TDL206"] * found


NUMBERS = [
    pytest.param("def f(x):\n    return torch.ones(2, device=x.get_device())", False, id="of anything"),
    pytest.param("def f(x):\n    x.numel()\n    return torch.ones(2, device=x.get_device())", True, id="of a tensor"),
    pytest.param("x = torch.ones(2).cuda()\ntorch.ones(2, device=x.get_device())", False, id="of what is there"),
    pytest.param("def f(x, y):\n    return x.cuda(y.get_device())", False, id="of what needs CUDA anyway"),
]


@pytest.mark.parametrize(("lines", "found"), NUMBERS)
def test_numbers_as_devices(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL505"] * found


COMPARED = [
    pytest.param("def f(x):\n    return x.numel() > 1 and x.device == 'cuda'", True, id="of a tensor"),
    pytest.param("def f(x):\n    return x.device == 'cuda'", False, id="of anything"),
    pytest.param("def f(x):\n    return 'cuda' != torch.device(x)", True, id="of an object"),
    pytest.param("def f(x):\n    return str(torch.device(x)) == 'cuda'", False, id="of its name"),
    pytest.param("def f(x):\n    return x.detach().device != torch.device('cuda')", False, id="moved anyway"),
    pytest.param("def f(x):\n    return x.detach().device < torch.device('cuda')", False, id="of an order"),
]


@pytest.mark.parametrize(("lines", "found"), COMPARED)
def test_devices_that_are_compared(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL504"] * found


WRAPPED = [
    pytest.param("DistributedDataParallel(model, device_ids=[0])", ["TDL602"], id="distributed"),
    pytest.param("DistributedDataParallel(model, device_ids=[])", [], id="distributed over no device"),
    pytest.param("DistributedDataParallel(model, device_ids=ids)", [], id="distributed over what is not known"),
    pytest.param("DistributedDataParallel(given, device_ids=[0])", [], id="a module that is not known"),
    pytest.param("DistributedDataParallel(model.cuda(), device_ids=[0])", [], id="a module that is there"),
    pytest.param("nn.DataParallel(model)(given)", ["TDL601"], id="replicated"),
    pytest.param("nn.DataParallel(model, device_ids=[0, 1])(given)", ["TDL601"], id="replicated over two"),
    pytest.param("nn.DataParallel(model, device_ids=[given, ids])(given)", [], id="replicated over what is not known"),
    pytest.param("nn.DataParallel(model, device_ids=[0])(given)", [], id="replicated over one"),
    pytest.param("helper(model)\nnn.DataParallel(model)(given)", [], id="where it is is not known"),
    pytest.param("nn.DataParallel(nn.Sequential(nn.Tanh(), nn.ReLU()))(given)", [], id="nothing to be anywhere"),
    pytest.param("nn.DataParallel(nn.Tanh())(given)", [], id="a layer without tensors"),
    pytest.param("m = nn.DataParallel(model)\nm.module = given\nm(1)", [], id="what it wraps is not known"),
    pytest.param(
        "class Own(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.size, self.plain = 3, torch.ones(2)\n"
        "        self.w = nn.Parameter(torch.ones(2))\n"
        "nn.DataParallel(Own())(given)",
        ["TDL601"],
        id="with a parameter of its own",
    ),
    pytest.param("nn.DataParallel(model.to('mps'))(given)", [], id="on another accelerator"),
    pytest.param("nn.DataParallel(model.to('cuda:1'))(given)", ["TDL601"], id="on another device"),
]


@pytest.mark.parametrize(("lines", "found"), WRAPPED)
def test_modules_that_are_wrapped(lines: str, found: list[str]) -> None:
    assert codes(lines) == found
