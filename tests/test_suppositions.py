"""Modules of files that only define them: moved by whoever uses them, for all that is known, but not at any price."""

from __future__ import annotations

import libcst as cst
import pytest

from torchdevlint.engine import analyse
from torchdevlint.facts import FileFacts
from torchdevlint.incidents import Keys, StateLoaded
from torchdevlint.rules import tdl403_wrapped_state_dict as wrapped_state_dict

HEAD = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size, cosine=False):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size, 1))
        self.fc = nn.Linear(size, size)
        self.cosine = cosine

    def forward(self, x, y=None):
        x = self.fc(x)
"""
IN_A_BRANCH = HEAD + "        if self.cosine:\n            x = x * torch.tensor([1.0, 2.0])\n        return x\n"
ALWAYS = HEAD + "        x = x * torch.tensor([1.0, 2.0])\n        return x\n"
A_LAYER = HEAD + "        if self.cosine:\n            x = nn.Linear(3, 3)(x)\n        return x\n"

MINDED = {
    "the device of a tensor": "def f(x: torch.Tensor):\n    return torch.zeros(3, device=x.device)\n",
    "the device of an object": "def f(x):\n    return x.device\n",
    "a question": "def f(x: torch.Tensor):\n    return 1 if x.is_cuda else 2\n",
    "a move": "def f(x, place):\n    return x.to(place)\n",
    "a guard": "HERE = torch.cuda.is_available()\n",
}


def codes(source: str) -> list[str]:
    """Return the codes found in a source."""
    return [one.code for one in analyse(source)]


def test_what_every_call_meets_is_told_though_nothing_shows_that_anybody_minds_devices() -> None:
    assert codes(ALWAYS) == ["TDL104"]


def test_what_training_meets_is_told_there_too() -> None:
    assert codes(IN_A_BRANCH.replace("self.cosine:", "self.training:")) == ["TDL104"]


def test_what_a_branch_meets_is_silent_there() -> None:
    assert codes(IN_A_BRANCH) == []


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("assert x.dim() == 2", True),
        ("assert x.dim() == 2 and y is None", True),
        ("if x.dim() != 2:\n            raise ValueError(x)", True),
        ("if y is None:\n            return x", False),
        ("if y is None:\n            raise ValueError(x)\n        else:\n            x = x + y", False),
    ],
)
def test_what_has_to_hold_makes_no_branch_of_what_follows(test: str, told: bool) -> None:
    source = f"{HEAD}        {test}\n        return x * torch.tensor([1.0, 2.0])\n"
    assert codes(source) == ["TDL104"] * told


@pytest.mark.parametrize("further", MINDED.values(), ids=MINDED.keys())
def test_what_a_branch_meets_is_told_where_devices_are_minded(further: str) -> None:
    assert codes(f"{IN_A_BRANCH}\n\n{further}") == ["TDL104"]


def test_a_layer_of_a_branch_is_told_for_nothing_trains_it() -> None:
    assert codes(A_LAYER) == ["TDL112"]


ADDED_UP = """\
import torch
from torch import autograd, nn


def finish(model, loader, optimizer, further):
    total = 0
    for x, y in loader:
        total += nn.functional.mse_loss(model(x), y)
    nodes = [total] + {further}
    autograd.backward(nodes)
    optimizer.step()
    print(total)
"""


@pytest.mark.parametrize(
    "further", ["further", "[further]", "further[1:]", "list(further)", "[one for one in further]"]
)
def test_a_total_is_needed_by_the_backward_pass_of_a_list_that_holds_it(further: str) -> None:
    assert codes(ADDED_UP.format(further=further)) == []


COMPARED = """\
import torch


def f(x: torch.Tensor, y, device):
    if {test}:
        {then}
    else:
        {otherwise}
    return x, y
"""


@pytest.mark.parametrize(
    ("test", "then", "otherwise"),
    [
        ("x.device == 'cpu'", "pass; y", "x = x.to(device); y.cuda()"),
        ("x.device != 'cpu'", "x = x.cpu(); y = y.to('cpu')", "x"),
        ("x.device == 'cpu'", "y = g(x)", "y = g(x.to(device)).to(device)"),
        ("x.device == 'cpu'", "y = [one for one in y]", "y = [one.to(device) for one in y]"),
    ],
)
def test_a_comparison_that_decides_about_moves_alone_is_moot(test: str, then: str, otherwise: str) -> None:
    assert codes(COMPARED.format(test=test, then=then.replace("pass; ", ""), otherwise=otherwise)) in ([], ["TDL502"])


@pytest.mark.parametrize(
    ("test", "then", "otherwise"),
    [
        ("x.device == 'cuda'", "x = x.cpu()", "x"),
        ("x.device == 'cpu'", "y = g(x)", "y = h(x.to(device))"),
        ("x.device == 'cpu'", "x", "x = x.to(torch.float16)"),
        ("x.device == 'cpu'", "x", "x = x.type(torch.cuda.HalfTensor)"),
        ("x.device == 'cpu'", "x", "y = x"),
        ("x.device == 'cpu'", "x", "for one in y:\n            g(one)"),
        ("x.device == 'cpu'", "x", "y = [one.to(device) for one in y if one]"),
        ("x.device == 'cpu' and y", "x", "x = x.to(device)"),
    ],
)
def test_a_comparison_that_decides_about_more_is_told(test: str, then: str, otherwise: str) -> None:
    assert "TDL504" in codes(COMPARED.format(test=test, then=then, otherwise=otherwise))


def test_a_comparison_with_further_ways_is_told() -> None:
    source = COMPARED.format(test="x.device == 'cpu'", then="x", otherwise="x = x.to(device)")
    assert codes(source.replace("else", "elif y")) == ["TDL504"]


def test_a_comparison_without_another_way_is_moot() -> None:
    source = COMPARED.format(test="x.device != 'cpu'", then="x = x.to('cpu')", otherwise="")
    assert codes(source.replace("    else:\n        \n", "")) == []


MOVED = """\
import contextlib

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3)
"""
HANDLED = MOVED + "try:\n    y = net(x)\nexcept {kind}:\n    {handler}\n"


@pytest.mark.parametrize("kind", ["RuntimeError", "Exception as error", "(KeyError, BaseException)"])
def test_a_handler_that_moves_mends_what_it_catches(kind: str) -> None:
    assert codes(HANDLED.format(kind=kind, handler="y = net(x.to(device))")) == []


@pytest.mark.parametrize(
    ("kind", "handler"),
    [
        ("KeyError", "y = net(x.to(device))"),
        ("RuntimeError", "print('failed')"),
        ("RuntimeError", "y = None"),
        ("RuntimeError", "pass"),
        ("RuntimeError", "x = x.to(device); raise"),
    ],
)
def test_a_handler_that_mends_nothing_leaves_the_fault(kind: str, handler: str) -> None:
    assert codes(HANDLED.format(kind=kind, handler=handler)) == ["TDL102"]


MADE = (
    MOVED
    + """\


class Placed(type):
    def {method}(cls, *arguments):
        return super().{method}(*arguments)


class Net(nn.Module, metaclass=Placed):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x)


print(Net()(torch.ones(2, 3, device=device)))
"""
)


def test_a_metaclass_that_makes_the_objects_may_place_them() -> None:
    assert codes(MADE.format(method="__call__")) == []


def test_a_metaclass_that_does_something_else_leaves_them() -> None:
    assert codes(MADE.format(method="mro")) == ["TDL102"]


@pytest.mark.parametrize(("wrapper", "found"), [("DataParallel", []), ("parallel.DistributedDataParallel", ["TDL102"])])
def test_what_only_some_wrappers_have(wrapper: str, found: list[str]) -> None:
    asked = f"net = nn.{wrapper}(net)\nif not hasattr(net, 'no_sync'):\n    x = x.to(device)\nprint(net.module(x))\n"
    assert codes(MOVED + asked) == found


LOADED = """\
from torch import nn, optim
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2"{where})
optimizer = optim.Adagrad(model.parameters())
model.cuda()
for batch in [1, 2]:
    model(batch).loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("where", "found"), [("", True), (", device_map='cuda'", False)])
def test_a_model_that_its_library_placed_may_be_there_already(where: str, found: bool) -> None:
    assert ("TDL301" in codes(LOADED.format(where=where))) is found


WRAPPED = MOVED + "from torch.distributed.fsdp import FullyShardedDataParallel\nfrom other import Sharded\n"
WRAPPED += "net = nn.DataParallel(net)\n"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("if isinstance(net, Sharded):\n    print(net.strategy)\n", []),
        ("if isinstance(net, FullyShardedDataParallel) and net.strategy:\n    print(net.strategy)\n", []),
        ("strategy = net.strategy if isinstance(net, Sharded) else 3\n", []),
        ("assert isinstance(net, Sharded)\nprint(net.strategy)\n", []),
        ("if not isinstance(net, Sharded):\n    print(net.strategy)\n", ["TDL605"]),
        ("print(net.strategy)\n", ["TDL605"]),
    ],
)
def test_attributes_of_what_may_be_of_another_class(asked: str, found: list[str]) -> None:
    assert codes(WRAPPED + asked) == found


def test_a_state_under_a_condition_that_cannot_hold_is_never_given() -> None:
    node = cst.Name("net")
    wrapped, bare = Keys("module.", True, 1, 0, node), Keys("", True, 1, 0, node)
    contradiction = frozenset({("flag", True), ("flag", False)})
    loaded = StateLoaded(node, frozenset(), "net", bare, ((wrapped, contradiction),), "", (), frozenset())
    assert list(wrapped_state_dict.check.check(loaded, FileFacts())) == []
    loaded = StateLoaded(node, frozenset(), "net", bare, ((wrapped, frozenset()),), "", (), frozenset())
    assert len(list(wrapped_state_dict.check.check(loaded, FileFacts()))) == 1
