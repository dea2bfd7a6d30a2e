"""Whatever the source is, the analysis ends without an exception: real files, and programs made at random."""

from __future__ import annotations

import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest
from benchmarks.shapes import SHAPES
from hypothesis import given, settings
from hypothesis import strategies as st

from torchdevlint import engine, knowledge
from torchdevlint.engine import analyse
from torchdevlint.gate import may_find
from torchdevlint.interpreter import driver

LIBRARY = Path(sysconfig.get_path("stdlib"))
# every fifth module and what uses the language in unusual ways
FILES = sorted(
    {
        *sorted(LIBRARY.glob("*.py"))[::5],
        *(
            LIBRARY / f"{name}.py"
            for name in ("ast", "dataclasses", "enum", "functools", "inspect", "turtle", "typing")
        ),
        *sorted((LIBRARY / "asyncio").glob("*.py"))[::3],
    }
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_standard_library(path: Path) -> None:
    text = "import torch\ndevice = 'cpu'\n" + path.read_text("utf-8")
    assert may_find(text)
    # the library makes no tensors: whatever is found in it is a false alarm
    assert analyse(text) == ()


# containers that hold themselves, and everything that looks into a container

CYCLES = {
    "list": "m = []\nm.append(m)\nm.append(nn.Linear(2, 2))\nm.append(torch.ones(3))",
    "dict": "m = {}\nm['a'] = m\nm['b'] = torch.ones(3)\nm['c'] = nn.Linear(2, 2)",
    "list of unknown length": "m = []\nfor i in range(k):\n    m.append(m)\n    m.append(nn.Linear(2, 2))",
    "dict of unknown keys": "m = {}\nfor i in k:\n    m[i] = m if k else torch.ones(3)\nm = [m]",
    "two branches": "a = []\nm = []\nif k:\n    a.append(m)\nelse:\n    m.append(a)\nm.append(torch.ones(3))",
    "tuple": "m = [1]\nm[0] = (m, torch.ones(2), nn.Linear(2, 2))",
    "module": "m = nn.ModuleList()\nm.append(m)\nm.append(nn.Linear(2, 2))",
}
USES = (
    "torch.save(m, 'f')", "torch.stack(m)", "s = nn.Sequential(*m)\ns.cuda()\ns(torch.ones(3))",
    "tree_map(lambda t: t.cuda(), m)", "{k: v.cuda() for k, v in enumerate(m)}", "copy.deepcopy(m)",
    "torch.optim.SGD(m, lr=1)", "Accelerator().prepare(m)", "nn.ModuleList(m).cuda()", "nn.ModuleDict(m).cuda()",
    "nn.Linear(3, 3)(**m)", "nn.Linear(3, 3)(*m)", "nn.Linear(3, 3)(m)",
    "for batch in DataLoader(m):\n    nn.Linear(3, 3).cuda()(batch)", "nn.ParameterList(m).cuda()",
    "m = m + m\nm.extend(m)\nm = m * 2", "m.update(m)\nm = {**m} | m", "sum(m).backward()", "unseen(m)",
    "net = Net(m)\nnet.cuda()\nnet(torch.ones(3))", "m[0] = m\nm[0][0] = m", "send_to_device(m, 'cuda')",
    "m = [m] if k else {'a': m}\ntorch.save(m, 'f')",
)  # fmt: skip
AROUND = """\
import copy
import torch
from accelerate import Accelerator
from accelerate.utils import send_to_device
from torch import nn
from torch.utils._pytree import tree_map
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.plain = m
        self.layers = nn.ModuleList(m)
        self.register_buffer("buffer", m)

    def forward(self, x):
        for layer in self.plain:
            x = layer(x)
        return x, self.plain


def run(k):
"""


@pytest.mark.parametrize("cycle", CYCLES)
@pytest.mark.parametrize("use", USES)
def test_containers_that_hold_themselves(cycle: str, use: str) -> None:
    analyse(AROUND + textwrap.indent(f"{CYCLES[cycle]}\n{use}\n", "    "))


# programs made of pieces, each of which the interpreter has a place for

START = "import torch\nx = torch.ones(3)\n"
TWELVE_DEEP = {  # 8 ** 12 elements, if each is looked at as often as it is there
    "lists": START + "a = [x]\n" + "a = [a, a, a, a, a, a, a, a]\n" * 12 + "f(a)\ntorch.cat(a).cuda()\n",
    "modules": START
    + "a = torch.nn.Linear(2, 2)\n"
    + "a = torch.nn.Sequential(a, a, a, a, a, a, a, a)\n" * 12
    + "a.cuda()(x)\n",
    "attributes": START
    + "class A(torch.nn.Module):\n    def __init__(self, a):\n        super().__init__()\n"
    + "".join(f"        self.a{i} = a\n" for i in range(8))
    + "    def forward(self, x):\n        return self.a0(x)\n"
    + "a = torch.nn.Linear(2, 2)\n"
    + "a = A(a)\n" * 12
    + "a.cuda()(x)\n",
    "comprehensions": START + "y = " + "[" * 12 + "x.cuda()" + " for a in [x, x, x, x, x, x, x, x]]" * 12 + "\n",
}


@pytest.mark.parametrize("shape", TWELVE_DEEP)
def test_what_is_shared_is_not_looked_at_again_and_again(shape: str) -> None:
    """It ends; a walk along each way through what is shared would not."""
    analyse(TWELVE_DEEP[shape])


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_program_is_twice_the_work(shape: str) -> None:
    """Work is counted in calls of functions: they are the same in every run, and on every machine."""
    once, twice = (_calls_in(SHAPES[shape](count)) for count in (40, 80))
    assert twice <= 2.4 * once


def _calls_in(text: str) -> int:
    """Return how many functions of Python are called while a text is analysed, its parse left out."""
    module = engine.parse(text)
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        driver.interpret(module, text, knowledge.DEFAULT)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize(("ways", "codes"), [(50, ["TDL101"]), (250, [])])
def test_past_so_many_ways_out_nothing_is_known_of_a_call(ways: int, codes: list[str]) -> None:
    body = "".join(f"    if a{i}:\n        return x\n" for i in range(ways))
    source = f"import torch\ndef f(x):\n{body}    return x\ny = f(torch.ones(3))\ny + torch.ones(3).cuda()\n"
    assert [found.code for found in analyse(source) if found.code == "TDL101"] == codes


def test_a_class_far_down_a_line_of_classes_may_be_anything() -> None:
    line = "".join(f"class C{i + 1}(C{i}):\n    pass\n" for i in range(40))
    source = f"import torch\nclass C0(torch.nn.Linear):\n    pass\n{line}C{{}}(2, 2).cuda()(torch.ones(3, 2))\n"
    assert [found.code for found in analyse(source.format(30)) if found.code == "TDL102"] == ["TDL102"]
    assert [found.code for found in analyse(source.format(40)) if found.code == "TDL102"] == []


@pytest.mark.parametrize("operator", ["and", "or"])
def test_many_conditions_are_one(operator: str) -> None:
    """What is moved under the same long test is together, and what is moved under another is not."""
    test = f" {operator} ".join(f"flags.a{i}" for i in range(100))
    together = f"import torch\nx, y = torch.ones(3), torch.ones(3)\nif {test}:\n    x, y = x.cuda(), y.cuda()\nx + y\n"
    assert [found for found in analyse(together) if found.code == "TDL101"] == []
    apart = together.replace("y.cuda()", "y")
    assert [found.line for found in analyse(apart) if found.code == "TDL101"] == [5]


NAMES = ("a", "b", "x", "y", "model", "device", "flag", "items", "self.a", "x.data")
names = st.sampled_from(NAMES)
atoms = st.one_of(
    names,
    st.sampled_from(
        [
            "torch.ones(3)", "torch.tensor(0.5)", "nn.Linear(2, 2)", "torch.device('cuda')", "'cuda:0'", "f'cuda:{a}'",
            "(0)", "1.5", "None", "True", "'cpu'", "...", "1j", "b'x'", "torch.cuda.is_available()", "Net()",
            "open('f')",
            "torch.load('f')", "optim.SGD(model.parameters(), 0.1)", "DataLoader(items)", "nn.ModuleList()", "range(3)",
        ]
    ),
)  # fmt: skip


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return expressions one level deeper."""
    one = [
        "({})", "-{}", "not {}", "{}.to(device)", "{}.cuda()", "{}.cpu()", "{}.device", "{}.shape", "{}[0]",
        "{}[:, None]", "{}['k']", "[{}]", "({},)", "{{{}: 0}}", "{{'k': {}}}", "[*{}]", "{{**{}}}", "f({})",
        "f(*{})", "f(**{})", "f(a={})", "[a for a in {}]", "{{a: b for a, b in {}}}", "lambda a: {}",
        "(x.to(a) for x in {} if flag)",
        "(y := {})", "{}.append(x)", "{}.items()", "list({})", "zip({}, items)", "enumerate({})", "len({})", "sum({})",
        "getattr({}, 'a', None)", "torch.cat({})", "torch.zeros_like({})", "F.relu({})", "model({})", "Net({})",
        "copy.deepcopy({})", "partial({}, device=device)", "torch.no_grad()({})", "{}.parameters()", "{}.numpy()",
        "{}.backward()", "{}.item()", "nn.Sequential({})", "nn.Parameter({})", "isinstance({}, torch.Tensor)",
        "next({})",
    ]  # fmt: skip
    two = [
        "{} + {}", "{} @ {}", "{} == {}", "{} is {}", "{} and {}", "{} or {}", "{}({})", "{}[{}]", "{}.to({})",
        "{} if flag else {}", "[{}, {}]", "{{'k': {}, 'l': {}}}", "torch.where(flag, {}, {})",
        "F.cross_entropy({}, {})",
        "{}.update({})", "map({}, {})", "{} in {}", "dict(a={}, b={})", "super({}, {})", "setattr({}, 'a', {})",
    ]  # fmt: skip
    return st.one_of(
        st.builds(str.format, st.sampled_from(one), inner), st.builds(str.format, st.sampled_from(two), inner, inner)
    ).map("({})".format)


expressions = st.recursive(atoms, grow, max_leaves=5)
targets = st.sampled_from([*NAMES, "x[0]", "items['k']", "a, b", "a, *b", "(a, (b, x))", "[a, b]", "x[a], self.a"])
simple = st.one_of(
    st.builds("{} = {}".format, targets, expressions),
    st.builds("{} += {}".format, names, expressions),
    st.builds("{}: int = {}".format, names, expressions),
    st.builds(
        str.format, st.sampled_from(["{}", "{}.cuda()", "assert {}", "del {}.b", "return {}", "yield {}"]), expressions
    ),
    st.sampled_from(["return", "pass", "del a", "global a", "raise ValueError", "a = yield", "import torch as x"]),
)


def indent(body: list[str]) -> str:
    return textwrap.indent("\n".join(body), "    ")


def nest(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return statements with statements in them."""
    one = [
        "if {}:\n{}", "while {}:\n{}", "while {}:\n{}\n    break", "for a in {}:\n{}",
        "for a, b in {}:\n{}\n    continue",
        "with {} as a:\n{}", "with torch.no_grad(), {}:\n{}", "for a in {}:\n{}\nelse:\n    x = a",
        "def f(a={}, *b, **x):\n{}", "class Net(nn.Module):\n    a = {}\n    def forward(self, x):\n        pass\n{}",
        "try:\n    x = {}\nexcept ValueError as a:\n{}\nfinally:\n    b = x", "match {}:\n  case [a, *b] if flag:\n{}",
        "match {}:\n  case {{'k': a}} | Net(b=a) | None:\n{}\n  case _:\n    x = a",
    ]  # fmt: skip
    bodies = st.lists(inner, min_size=1, max_size=3).map(indent)
    return st.one_of(
        st.builds(str.format, st.sampled_from(one), expressions, bodies),
        st.builds("if {}:\n{}\nelse:\n{}".format, expressions, bodies, bodies),
        st.builds("if {}:\n{}\nelif x:\n{}".format, expressions, bodies, bodies),
    )


statements = st.recursive(simple, nest, max_leaves=12)
HEAD = """\
import copy
from functools import partial
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader
x = torch.ones(3)


class Net(nn.Module):
    def __init__(self, a=None):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = [nn.Linear(2, 2)]

    def forward(self, x):
        return self.a(x) + torch.ones(2)


def run(self, model, device, flag, items, a=None, b=0):
    y = items
"""


@settings(max_examples=100, deadline=None)
@given(st.lists(statements, min_size=1, max_size=8))
def test_programs_made_at_random(body: list[str]) -> None:
    source = HEAD + indent(body) + "\n\n\nrun(x, Net().cuda(), torch.device('cuda'), True, [x])\n"
    for found in analyse(source):
        assert 1 <= found.line <= source.count("\n")
        assert "\n" not in found.message
