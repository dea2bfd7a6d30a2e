"""Where a place that relies on CUDA, or a checkpoint that is read, is told: what the whole file shows decides."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse
from torchdevlint.options import Options

HEAD = """\
import contextlib
import torch
from torch import nn
from elsewhere import Base, Kind, convert, load_into, unseen
"""

CLASS = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x):
        return self.layer(x)
"""

HELPER = """\
def helper(x):
    return x.cuda()
"""

PROGRAM = """\
def main():
    model = nn.Linear(2, 2).cuda()
    {}
    print(model(torch.ones(1, 2).cuda()))
if __name__ == "__main__":
    main()
"""

TRIAL = """\
if __name__ == "__main__":
    model = Net().cuda()
    {}
    print(model(torch.ones(1, 2).cuda()))
"""

RELIANCE = [
    pytest.param(HELPER, [], id="a helper of others"),
    pytest.param(HELPER + "def ask():\n    return torch.cuda.is_available()\n", [], id="asks elsewhere"),
    pytest.param("there = torch.cuda.is_available()\n" + HELPER, ["TDL502"], id="asks outside"),
    pytest.param(HELPER + "    print(torch.cuda.is_available())\n", [], id="asks never"),
    pytest.param(HELPER.replace("return", "print(torch.cuda.is_available())\n    return"), ["TDL502"], id="asks too"),
    pytest.param(
        "class Tools:\n    def ask(self):\n        return torch.cuda.is_available()\n"
        "    def move(self, x):\n        return x.cuda()\n",
        ["TDL502"],
        id="asks in the class",
    ),
    pytest.param(
        "def outer(x, device):\n    def inner(y):\n        return y.cuda()\n    return inner(x.to(device))\n",
        ["TDL502"],
        id="is given a device outside of it",
    ),
    pytest.param(HELPER + "def ask():\n    assert torch.cuda.is_available()\n", [], id="asserts elsewhere"),
    pytest.param(HELPER + "def count():\n    return torch.cuda.device_count()\n", [], id="a number is no question"),
    pytest.param(HELPER + "def move(x, device):\n    return x.to(device)\n", [], id="another is given a device"),
    pytest.param(HELPER + "def new(x):\n    return torch.ones(1, device=x.device)\n", [], id="follows elsewhere"),
    pytest.param(HELPER + "print(helper(torch.ones(1)))\n", ["TDL502"], id="the file runs it"),
    pytest.param(HELPER + "for _ in range(2):\n    unseen(helper)\n", ["TDL502"], id="the file runs something"),
    pytest.param(PROGRAM.format("pass"), ["TDL502"], id="a program"),
    pytest.param(PROGRAM.format("torch.cuda.synchronize()"), [], id="waits for a GPU"),
    pytest.param(PROGRAM.format("print(torch.cuda.max_memory_allocated())"), [], id="measures its memory"),
    pytest.param(PROGRAM.format("torch.cuda.empty_cache()"), ["TDL502"], id="empties its cache"),
    pytest.param(PROGRAM.format("model.half()"), [], id="half precision"),
    pytest.param(PROGRAM.format("model.float()"), ["TDL502"], id="full precision"),
    pytest.param(PROGRAM.format("unseen(dtype=torch.float16)"), [], id="made in half precision"),
    pytest.param(PROGRAM.format("unseen(dtype=torch.bfloat16)"), ["TDL502"], id="made in another precision"),
    pytest.param("import msamp\n" + PROGRAM.format("pass"), [], id="imports what needs CUDA"),
    pytest.param("from nvidia.dali.plugin import pytorch\n" + PROGRAM.format("pass"), [], id="imports a part of it"),
    pytest.param("import nvidia.other\n" + PROGRAM.format("pass"), ["TDL502"], id="imports another part"),
    pytest.param(
        PROGRAM.format("if torch.cuda.is_available():\n        torch.cuda.synchronize()"),
        ["TDL502"],
        id="asks first",
    ),
    pytest.param(CLASS + TRIAL.format("pass"), [], id="tries a class"),
    pytest.param(CLASS + TRIAL.format("if len('ab') > 1:\n        pass"), [], id="tries a class, with a branch"),
    pytest.param(TRIAL.format("pass").replace("Net()", "nn.Linear(2, 2)"), ["TDL502"], id="nothing to be tried"),
    pytest.param(
        CLASS + TRIAL.format("optimizer = torch.optim.SGD(model.parameters(), lr=1)"), ["TDL502"], id="trains a class"
    ),
    pytest.param(CLASS + TRIAL.format("torch.save(model.state_dict(), 'a')"), ["TDL502"], id="saves it"),
    pytest.param(CLASS + TRIAL.format("unseen(torch.load('a', map_location='cpu'))"), ["TDL502"], id="loads something"),
    pytest.param(
        "import argparse\n" + CLASS + TRIAL.format("args = argparse.ArgumentParser().parse_args()"),
        ["TDL502"],
        id="reads arguments",
    ),
    pytest.param("class Parts:\n    decoder = Kind().cuda()\n", [], id="a part of unknown kind of a class"),
    pytest.param("class Parts:\n    decoder = Kind().cuda()\n    decoder.eval()\n", ["TDL502"], id="a part, a module"),
    pytest.param("class Parts:\n    decoder = nn.Linear(2, 2).cuda()\n", ["TDL502"], id="a part that has tensors"),
    pytest.param("x = Kind().cuda()\n", ["TDL502"], id="an object of unknown kind"),
    pytest.param("with contextlib.suppress(AssertionError):\n    nn.Linear(2, 2).cuda()\n", [], id="suppressed"),
    pytest.param("try:\n    nn.Linear(2, 2).cuda()\nexcept RuntimeError:\n    pass\n", [], id="caught"),
    pytest.param("try:\n    nn.Linear(2, 2).cuda()\nexcept RuntimeError:\n    raise\n", [], id="raised again"),
    pytest.param("try:\n    nn.Linear(2, 2).cuda()\nfinally:\n    pass\n", ["TDL502"], id="not caught"),
    pytest.param(
        "try:\n    import msamp\nexcept ImportError:\n    raise ImportError('msamp')\n" + PROGRAM.format("pass"),
        [],
        id="insists on what needs CUDA",
    ),
    pytest.param(
        "try:\n    import msamp\nexcept ImportError: raise\n" + PROGRAM.format("pass"), [], id="insists at once"
    ),
    pytest.param(
        "try:\n    import msamp\nexcept ImportError:\n    msamp = None\n" + PROGRAM.format("pass"),
        ["TDL502"],
        id="does without what needs CUDA",
    ),
    pytest.param("with contextlib.nullcontext():\n    nn.Linear(2, 2).cuda()\n", ["TDL502"], id="not suppressed"),
    pytest.param("with Base:\n    nn.Linear(2, 2).cuda()\n", ["TDL502"], id="in an unknown context"),
    pytest.param("for i in range(torch.cuda.device_count()):\n    nn.Linear(2, 2).cuda(i)\n", [], id="each device"),
    pytest.param("n = 2\nfor i in range(n):\n    nn.Linear(2, 2).cuda(i)\n", ["TDL502"], id="each number"),
]


@pytest.mark.parametrize(("source", "expected"), RELIANCE)
def test_reliance(source: str, expected: list[str]) -> None:
    """A place is told where it fails on a machine that the file is meant for."""
    found = [diagnostic.code for diagnostic in analyse(HEAD + source)]
    assert [code for code in found if code != "TDL401"] == expected


TRAINERS = [
    pytest.param("gpu", [], id="wants a GPU"),
    pytest.param("auto", ["TDL501"], id="takes what there is"),
]


@pytest.mark.parametrize(("accelerator", "expected"), TRAINERS)
def test_trainer_that_wants_an_accelerator(accelerator: str, expected: list[str]) -> None:
    source = (
        "import lightning\nimport torch\n"
        'x = torch.ones(1).to("cuda")\n'
        f'trainer = lightning.Trainer(accelerator="{accelerator}")\n'
    )
    assert [diagnostic.code for diagnostic in analyse(source)] == expected


ASKS = "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\nmodel = nn.Linear(2, 2).to(device)\n"

LOADS = [
    pytest.param(ASKS + "model.load_state_dict(torch.load('a'))\n", True, id="into a module"),
    pytest.param(ASKS + "model.load_state_dict(convert(torch.load('a')))\n", True, id="converted by unseen code"),
    pytest.param(ASKS + "load_into(model, torch.load('a'))\n", True, id="by unseen code, into a module"),
    pytest.param(ASKS + "load_into({'model': model, 'n': 1}, torch.load('a'))\n", True, id="into one of several"),
    pytest.param(ASKS + "load_into(1, torch.load('a'))\n", False, id="by unseen code, with a number"),
    pytest.param(ASKS + "unseen(model, torch.load('a'), 1)\n", False, id="among other things"),
    pytest.param(ASKS + "unseen(torch.load('a'))\n", False, id="to unseen code"),
    pytest.param(
        ASKS + "model.load_state_dict({k[7:]: v for k, v in torch.load('a').items()})\n", True, id="with other keys"
    ),
    pytest.param(ASKS + "def read():\n    return torch.load('a')\n", True, id="back to the caller"),
    pytest.param(ASKS + "def read():\n    return torch.load('a')['epoch']\n", False, id="a part to the caller"),
    pytest.param(
        ASKS + "def read(m):\n    a = torch.load('a')\n    m.load_state_dict(a['m'])\n    return a['epoch']\n",
        True,
        id="a part to the caller, another into something",
    ),
    pytest.param(
        ASKS + "def read(m):\n    m.load_state_dict(torch.load('a'), strict=False)\n", True, id="into what is strict"
    ),
    pytest.param(ASKS + "def read(m):\n    m.load_state_dict(torch.load('a'))\n", False, id="into something"),
    pytest.param(ASKS + "model.load_state_dict(torch.load('a') if unseen() else {})\n", True, id="if there is one"),
    pytest.param("model = nn.Linear(2, 2).cuda()\nmodel.load_state_dict(torch.load('a'))\n", False, id="CUDA anyway"),
    pytest.param(
        "model = nn.Linear(2, 2).cuda()\nmodel.load_state_dict(torch.load('a'))\n"
        "other = torch.load('b', map_location='cpu')\n",
        True,
        id="CUDA anyway, and another is mapped",
    ),
    pytest.param(
        "def read(x):\n    n = nn.Linear(2, 2)\n    n.load_state_dict(torch.load('a'))\n    return n.to('cuda')(x)\n",
        False,
        id="a helper of others",
    ),
    pytest.param(
        "def read(n, x):\n    n.load_state_dict(torch.load('a'), strict=True)\n    return n(x)\n"
        "def place(x, device):\n    return x.to(device)\n",
        True,
        id="helpers that rely on nothing",
    ),
    pytest.param(
        "def read(n, x):\n    n.load_state_dict(torch.load('a'), strict=True)\n    return n(x)\n"
        "def place(x, device):\n    return x.to(device)\n"
        "def feed(x):\n    return x.cuda()\n",
        False,
        id="helpers of which one relies on CUDA",
    ),
    pytest.param(
        "torch.distributed.init_process_group('nccl')\nmodel = nn.Linear(2, 2).cuda()\n"
        "model.load_state_dict(torch.load('a'))\n",
        True,
        id="several processes",
    ),
]


@pytest.mark.parametrize(("source", "told"), LOADS)
def test_loads(source: str, told: bool) -> None:
    """A load is told where what was read is the state of a module, in a file that is meant for the host too."""
    found = [diagnostic.code for diagnostic in analyse(HEAD + source)]
    assert ("TDL401" in found) is told


def test_best_of_a_trainer() -> None:
    """A framework's training writes checkpoints, which this run reads back."""
    source = (
        "import lightning\nimport torch\nfrom torch import nn\n"
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "model = nn.Linear(2, 2).to(device)\ntrainer = lightning.Trainer()\n"
    )
    load = "model.load_state_dict(torch.load('a'))\n"
    options = Options(wants=lambda code: code == "TDL401")
    assert [d.code for d in analyse(source + load, options=options)] == ["TDL401"]
    assert not analyse(source + "trainer.fit(model)\n" + load, options=options)


def test_what_a_function_shows_holds_for_those_that_it_calls() -> None:
    """In a file of definitions the other machine is shown to a helper by who calls it, and to no other function."""
    source = (
        "def build():\n    device = 'cuda' if torch.cuda.is_available() else 'cpu'\n    return made(), device\n"
        "def made():\n    return inner()\n"
        "def inner():\n    return torch.ones(3, device='cuda')\n"
        "def other():\n    return torch.ones(3, device='cuda')\n"
    )
    assert [(d.code, d.line) for d in analyse(f"import torch\n{source}")] == [("TDL501", 8)]
