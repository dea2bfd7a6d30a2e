"""Fixes of checkpoints and of literal devices: what stands for them."""

from __future__ import annotations

from textwrap import dedent

import pytest
from mending_scripts import CHOSEN, HEAD, MODEL, MOVED, written


@pytest.mark.parametrize(
    ("load", "fixed"),
    [
        ("model.load_state_dict(torch.load('a'))", "model.load_state_dict(torch.load('a', map_location='cpu'))"),
        ("model.load_state_dict(torch.load('a')['m'])", "model.load_state_dict(torch.load('a', map_location='cpu')['m'])"),
        ("s = torch.load('a')\nmodel.load_state_dict(s)", "s = torch.load('a', map_location='cpu')"),
        ("s = torch.load('a')\nmodel.load_state_dict(s)\nprint(s)", "s = torch.load('a', map_location=device)"),
        ("model.load_state_dict(torch.load('a'), assign=True)", "model.load_state_dict(torch.load('a', map_location=device), assign=True)"),
        ("s = torch.load('a')\ns = model.load_state_dict(s)", "s = torch.load('a', map_location='cpu')"),
        ("s = torch.load('a')\nmodel.load_state_dict(s)\ns = 1\nprint(s)", "s = torch.load('a', map_location='cpu')"),
        ("s = 1\nprint(s)\ns = torch.load('a')\nmodel.load_state_dict(s)", "s = torch.load('a', map_location='cpu')"),
        ("if input():\n    s = torch.load('a')\n    model.load_state_dict(s)\nelse:\n    s = 1\n    print(s)", "s = torch.load('a', map_location='cpu')"),
        ("s = torch.load('a')\nmodel.load_state_dict(s)\nfor s in '':\n    print(s)", "s = torch.load('a', map_location=device)"),
        ("s = torch.load('a')\nmodel.load_state_dict(s)\ns = 1\ndef f():\n    print(s)", "s = torch.load('a', map_location=device)"),
        ("s = torch.load('a')\nmodel.load_state_dict(s)\nimport s", "s = torch.load('a', map_location=device)"),
        ("x = torch.load('a').to(device)", "x = torch.load('a', map_location='cpu').to(device)"),
        ("x = torch.load('a').to(torch.device('cpu'))", "x = torch.load('a', map_location=device).to(torch.device('cpu'))"),
        ("x = torch.load('a', map_location=None).to(device)", "x = torch.load('a', map_location='cpu').to(device)"),
        ("n = None\nx = torch.load('a', map_location=n).to(device)", ""),
        ("load = torch.load\nmodel.load_state_dict(load('a'))", ""),
        ("def use(load):\n    model.load_state_dict(load('a'))\nuse(torch.load)", ""),
        ("[model.load_state_dict(s) for s in map(torch.load, ['a'])]", ""),
        ("(lambda f: model.load_state_dict(f('a')))(torch.load)", ""),
    ],
)  # fmt: skip
def test_a_checkpoint_is_read_to_where_it_is_used(load: str, fixed: str) -> None:
    assert "|".join(written(f"{MOVED}'';'';''\n{load}\n", "TDL401")) == fixed


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("net.load_state_dict(state['net'])\n    print(state['epoch'])", True),
        ("net.load_state_dict({k: v for k, v in state.items() if k in state['names']})", True),
        ("net.weight = state['weight']\n    net.load_state_dict(net.state_dict())", False),
    ],
)
def test_a_checkpoint_of_which_a_part_is_copied_is_read_to_the_host(use: str, fixed: bool) -> None:
    text = f"{HEAD}if torch.cuda.is_available():\n    print('')\ndef read(path, net):\n    state = torch.load(path)\n    {use}\nread('a', nn.Linear(3, 3).cuda())\n"
    assert written(text, "TDL401") == ["state = torch.load(path, map_location='cpu')"] * fixed


def test_a_checkpoint_stays_where_no_device_is_known() -> None:
    text = f"{HEAD}def read(path):\n    return torch.load(path)\nclass A:\n    state = torch.load('a')\n    net = nn.Linear(3, 3).cuda()\n    net.load_state_dict(state)\n"
    assert written(text, "TDL401") == []


@pytest.mark.parametrize(
    ("load", "fixed"),
    [
        ("model.load_state_dict(torch.load('a', map_location='cuda:0'))", "model.load_state_dict(torch.load('a', map_location='cpu'))"),
        ("model.load_state_dict(torch.load('a', 'cuda'))", "model.load_state_dict(torch.load('a', 'cpu'))"),
        ("x = torch.load('a', 'cuda')", "x = torch.load('a', device)"),
        ("x = torch.load('a', {'cuda:1': 'cuda:0'})", ""),
        ("x = torch.load('a', lambda s, l: s.cuda(0))", ""),
    ],
)  # fmt: skip
def test_a_pinned_checkpoint_goes_where_the_script_says(load: str, fixed: str) -> None:
    assert "|".join(written(f"{MOVED}{load}\n", "TDL402")) == fixed


def test_a_pinned_checkpoint_goes_to_no_number() -> None:
    text = "import torch\nfrom torch import nn\n\ndef train(rank{}):\n    m = nn.Linear(3, 3).to(rank)\n    return m, torch.load('a', 'cuda')\n"
    assert written(text.format(""), "TDL402") == ["return m, torch.load('a', rank)"]
    assert written(text.format(": int"), "TDL402") == []


def test_a_pinned_checkpoint_stays_where_no_device_is_known() -> None:
    assert written(f"{HEAD}x = torch.load('a', 'cuda')\nprint(x)\n", "TDL402") == []


def test_the_state_of_a_wrapped_module_is_that_of_the_module() -> None:
    text = f"{MODEL}wrapper = nn.DataParallel(model)\n{{}}\n"
    assert written(text.format("model.load_state_dict(wrapper.state_dict())"), "TDL403") == [
        "model.load_state_dict(wrapper.module.state_dict())"
    ]
    assert written(text.format("wrapper.load_state_dict(model.state_dict())"), "TDL403") == []
    some = "if torch.cuda.device_count() > 1:\n    model = nn.DataParallel(model)\n"
    assert written(f"{MODEL}net = model\n{some}net.load_state_dict(model.state_dict())\n", "TDL403") == []


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("x = torch.ones(3, device='cuda')", "x = torch.ones(3, device=device)"),
        ("x = torch.ones(3).to(torch.device('cuda'))", "x = torch.ones(3).to(device)"),
        ("x = torch.ones(3).to(torch.device('cuda', 0))", ""),
        ("x = 'cuda'\nmodel.to(x)", "x = 'cuda' if torch.cuda.is_available() else 'cpu'"),
        ("x = torch.device('cuda')\nmodel.to(x)", "x = torch.device('cuda' if torch.cuda.is_available() else 'cpu')"),
        ("x = torch.ones(3, device=1)", ""),
        ("def f(d='cuda'):\n    model.to(d)\nf()", "def f(d=device):"),
        ("x = torch.ones(3, device='mps')", "x = torch.ones(3, device=device)"),
        ("x = 'mps'\nmodel.to(x)", "x = device"),
    ],
)
def test_the_device_variable_stands_for_a_literal(use: str, fixed: str) -> None:
    assert "|".join(written(f"{MOVED}{use}\n", "TDL501")) == fixed


def test_of_two_device_variables_none_is_taken() -> None:
    other = "other = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\nmodel.to(other)\n"
    assert written(f"{MOVED}{other}x = torch.ones(3, device='cuda')\n", "TDL501") == []
    inner = "def f(where):\n    model.to(where)\n    return torch.ones(3, device='cuda')\nf(device)\nf(other)\n"
    assert written(f"{MOVED}{other}{inner}", "TDL501") == ["return torch.ones(3, device=where)"]


@pytest.mark.parametrize(
    ("number", "literal", "fixed"),
    [
        ("1", "cuda:0", False),
        ("0", "cuda:1", False),
        ("1", "cuda:1", True),
        ("1", "cuda", True),
        ("0", "cuda:0", True),
        ("None", "cuda:0", True),
        ("None", "cuda:1", False),
    ],
)
def test_a_literal_stays_where_the_variable_is_another_accelerator(number: str, literal: str, fixed: bool) -> None:
    name = "cuda" if number == "None" else f"cuda:{number}"
    chosen = f"{HEAD}device = torch.device('{name}' if torch.cuda.is_available() else 'cpu')\n"
    text = f"{chosen}model = nn.Linear(3, 3).to(device)\nx = torch.ones(3, device='{literal}')\n"
    assert written(text, "TDL501") == ["x = torch.ones(3, device=device)"] * fixed


def test_a_literal_stays_where_torch_is_not_imported_as_such() -> None:
    text = "from torch import device, nn\nplace = device('cuda')\nnn.Linear(3, 3).to(place)\n"
    assert written(text, "TDL501") == []
    assert written("import torch as th\nplace = th.device('cuda')\nth.nn.Linear(3, 3).to(place)\n", "TDL501") == [
        "place = th.device('cuda' if th.cuda.is_available() else 'cpu')"
    ]


OBJECT = """
    class Agent:
        def __init__(self, place):
            self.net = nn.Linear(3, 3)
            {first}
            self.place = place
            self.net.to(self.place)

        def act(self):
            {later}

    Agent(torch.device("cuda" if torch.cuda.is_available() else "cpu")).act()
"""


@pytest.mark.parametrize(
    ("first", "later", "fixed"),
    [
        ("pass", "return torch.ones(3, device='cuda')", "return torch.ones(3, device=self.place)"),
        ("self.x = torch.ones(3, device='cuda')", "pass", ""),
        (
            "pass",
            "return (lambda: torch.ones(3, device='cuda'))()",
            "return (lambda: torch.ones(3, device=self.place))()",
        ),
    ],
)
def test_an_attribute_is_used_when_its_object_is_built(first: str, later: str, fixed: str) -> None:
    text = HEAD + dedent(OBJECT.format(first=first, later=later))
    assert "|".join(written(text, "TDL501")) == fixed


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("x = torch.ones(3).cuda()", "x = torch.ones(3).to(device)"),
        ("x = torch.ones(3).cuda(non_blocking=True)", "x = torch.ones(3).to(device, non_blocking=True)"),
        ("x = torch.ones(3).cuda(0)", ""),
        ("x = (torch.ones(3)\n    .cuda())", ".to(device))"),
        ("x = torch.ones(3).cuda(  # why\n)", ""),
        ("torch.cuda.set_device(0)", ""),
        (
            "x, y = torch.ones(3).cuda(), torch.ones(3).cuda()",
            "x, y = torch.ones(3).to(device), torch.ones(3).to(device)",
        ),
        (
            "x, y = torch.ones(3).cuda(), torch.ones(3).cuda(0)",
            "x, y = torch.ones(3).to(device), torch.ones(3).cuda(0)",
        ),
        (f"x, y, z = torch.ones(3).cuda(), torch.ones(3).cuda(), '{'a' * 30}'", ""),
        (
            "x = list(map(lambda t: t.cuda(), [torch.ones(3)]))",
            "x = list(map(lambda t: t.to(device), [torch.ones(3)]))",
        ),
    ],
)
def test_a_move_to_cuda_goes_to_the_device_variable(use: str, fixed: str) -> None:
    assert "|".join(written(f"{MOVED}{use}\n", "TDL502")) == fixed


def test_a_move_to_cuda_is_none_to_what_may_be_a_number() -> None:
    option = "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--gpu', type={})\n"
    text = f"{HEAD}{option}args = parser.parse_args()\nmodel = nn.Linear(3, 3).to(args.gpu)\nx = torch.ones(3).cuda()\n"
    assert written(text.format("int"), "TDL502") == []
    assert written(text.format("str"), "TDL502") == ["x = torch.ones(3).to(args.gpu)"]


def test_a_move_to_cuda_stays_where_no_device_is_known() -> None:
    assert written(f"{HEAD}x = torch.ones(3).cuda()\n", "TDL502") == []


FED = f"{HEAD}model = nn.Linear(3, 3).{{}}\nx = torch.ones(3).{{}}\nmodel(x)\ns = torch.load('a', 'cuda')\nprint(s)\n"
OF_RANK = "{}def work(rank):\n    device = {}\n    model = nn.Linear(3, 3).to(device)\n    s = torch.load('a', 'cuda')\n    print(s)\n"
IN_FORWARD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def forward(self, x):
        {}
        y = self.layer(x)
        return y + torch.load('a', 'cuda')
net = Net().cuda()
net(torch.ones(3).cuda())
"""


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        (FED.format("cuda()", "cuda()"), ""),
        (FED.format("to('cuda:0')", "to('cuda:0')"), ""),
        (CHOSEN + FED.removeprefix(HEAD).format("to(device)", "to(device)"), "s = torch.load('a', device)"),
        (OF_RANK.format(HEAD, "'cuda'"), ""),
        (OF_RANK.format(HEAD, "f'cuda:{rank}'"), ""),
        (OF_RANK.format(HEAD, "torch.device('cuda', rank)"), ""),
        (HEAD + IN_FORWARD.format("pass"), "return y + torch.load('a', x.device)"),  # it is the caller's
        (HEAD + IN_FORWARD.format("x = x.cuda()"), ""),
    ],
)
def test_what_is_itself_a_literal_stands_for_none(text: str, fixed: str) -> None:
    assert "|".join(written(text, "TDL402")) == fixed


NUMBERED = """\
import argparse
import torch
from torch import nn


def train({parameters}):
    {before}
    model = nn.Linear(3, 3).to({device})
    state = torch.load("a.pt")
    print(state["loss"])
    model.load_state_dict(state["model"])


{after}
"""


@pytest.mark.parametrize(
    ("parts", "mended"),
    [
        pytest.param({"parameters": "path, where", "device": "where"}, True, id="nothing shows a number"),
        pytest.param({"before": "if 0 == where: print(1)"}, False, id="compared with one"),
        pytest.param({"before": "if where == torch.device('cpu'): print(1)"}, True, id="compared with a device"),
        pytest.param({"before": "where = int(where)"}, False, id="made of a text"),
        pytest.param({"before": "where = 'cpu' if path else ids[0]"}, False, id="one of several, or the host"),
        pytest.param({"before": "where = 'cpu' if path else where"}, True, id="a name, or the host"),
        pytest.param({"before": "torch.cuda.set_device(where)"}, False, id="given to what takes one"),
        pytest.param({"before": "print(f'cuda:{where}')"}, False, id="written behind the kind"),
        pytest.param({"before": "print(f'on {where}')"}, True, id="written behind a word"),
        pytest.param({"parameters": "where: int, path"}, False, id="annotated"),
        pytest.param({"parameters": "where, path", "after": "torch.multiprocessing.spawn(train, nprocs=2)"}, False, id="of a process"),
        pytest.param({"parameters": "path, where", "after": "torch.multiprocessing.spawn(train, nprocs=2)"}, True, id="of no process"),
        pytest.param({"after": "torch.multiprocessing.spawn(unknown, nprocs=2)"}, True, id="of another function"),
    ],
)  # fmt: skip
def test_a_number_is_no_place_for_a_checkpoint(parts: dict[str, str], mended: bool) -> None:
    given = {"parameters": "path, where", "device": "where", "before": "pass", "after": ""} | parts
    told = written(NUMBERED.format(**given), "TDL401")
    assert told == ([f'state = torch.load("a.pt", map_location={given["device"]})'] if mended else [])


OPTION = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument({option})
args = parser.parse_args()
model = nn.Linear(3, 3).to(args.the_device)
state = torch.load("a.pt")
print(state["loss"])
model.load_state_dict(state["model"])
"""


@pytest.mark.parametrize(
    ("option", "mended"),
    [
        ("'--the-device'", True),
        ("'--the-device', type=str", True),
        ("'--the-device', type=int", False),
        ("'--the-device', default=0", False),
        ("'--another', type=int", True),
    ],
)
def test_an_option_may_be_a_number(option: str, mended: bool) -> None:
    told = written(OPTION.format(option=option), "TDL401")
    assert told == (['state = torch.load("a.pt", map_location=args.the_device)'] if mended else [])


def test_what_the_main_guard_binds_is_not_there_for_who_imports_the_file() -> None:
    main = "if __name__ == '__main__':\n    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    use = "    print(build().to(device))\n"
    build = "def build():\n    return nn.Linear(3, 3).to('cuda')\n"
    assert written(f"{HEAD}{build}{main}{use}", "TDL501") == []
    assert written(f"{CHOSEN}{build}print(build().to(device))\n", "TDL501") == ["return nn.Linear(3, 3).to(device)"]
    both = f"{CHOSEN}{build}{main}{use}"
    assert written(both, "TDL501") == ["return nn.Linear(3, 3).to(device)"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = torch.ones(2, 3)\nprint(net(x))\ny = x.to('cuda')\n", ""),
        (
            "def run(x):\n    print(net(x))\n    return torch.ones(3, device='cuda')\nrun(torch.ones(2, 3))\n",
            "x.device",
        ),
        ("def run():\n    x = torch.ones(2, 3)\n    print(net(x))\n    return x.to('cuda')\nrun()\n", ""),
    ],
)
def test_the_device_of_an_input_stands_for_a_literal_where_the_input_is_given(before: str, after: str) -> None:
    found = written(f"import torch\nfrom torch import nn\nnet = nn.Linear(3, 3)\n{before}", "TDL501")
    assert "|".join(found) == (f"return torch.ones(3, device={after})" if after else "")
