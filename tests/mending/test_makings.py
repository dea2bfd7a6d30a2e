"""Fixes of what is made or moved in the wrong place: where they write a device, and where they stay away."""

from __future__ import annotations

import re

import pytest
from mending_scripts import HEAD, MOVED, module, written

from torchdevlint import knowledge
from torchdevlint.knowledge.rows import ModuleType


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("model(torch.ones(2, 3))", "model(torch.ones(2, 3).to(device))"),
        ("model(\n    torch.ones(2, 3),  # why\n)", "torch.ones(2, 3).to(device),  # why"),
        ("device = 'cuda'\nmodel(torch.ones(2, 3))", "model(torch.ones(2, 3).to(next(model.parameters()).device))"),
    ],
)
def test_an_input_goes_where_the_module_was_sent(use: str, fixed: str) -> None:
    assert written(f"{MOVED}{use}\n", "TDL102") == [fixed]


@pytest.mark.parametrize(
    "use",
    [
        "model(input=[torch.ones(2, 3)][0])\n",
        "out = torch.ones(2, 3)\ntorch.add(model(torch.ones(2, 3, device=device)), 1, out=out)\n",
        "x = torch.ones(2, 3)\nx += model(torch.ones(2, 3, device=device))\n",
        "x = torch.ones(2, 3)\ntorch.cat([*[x], model(torch.ones(2, 3, device=device))])\n",
        "x = torch.ones(2, 3)\ndevice = 'cuda'\nprint(x + model(torch.ones(2, 3).cuda()))\n",
    ],
)
def test_what_cannot_be_moved_in_its_place_stays(use: str) -> None:
    assert written(f"{MOVED}{use}", "TDL101") == []


def test_nothing_else_comes_into_a_file() -> None:
    # the literal would be the device of the module, but is not there on the host
    assert written(f"{HEAD}model = nn.Linear(3, 3).cuda()\nmodel(torch.ones(2, 3))\n", "TDL102") == [
        "model(torch.ones(2, 3).to(next(model.parameters()).device))"
    ]


@pytest.mark.parametrize(
    ("forward", "fixed"),
    [
        ("h = torch.zeros(2, 3)\nreturn self.layer(x) + h", "h = torch.zeros(2, 3, device=x.device)"),
        ("h = torch.zeros(2, 3)\nx = self.layer(x)\nreturn x * h", "h = torch.zeros(2, 3, device=x.device)"),
        ("h = torch.zeros(2, 3)\nx = torch.cat([x, h])\nreturn x", "h = torch.zeros(2, 3, device=x.device)"),
        ("h = torch.zeros(\n    2,\n    3,\n)\nreturn x * h", "device=x.device,"),
        ("h = torch.zeros(\n    2,\n    (3)  # why\n)\nreturn x * h", "(3), device=x.device  # why"),
        ("h = torch.zeros(2, 3)  # zeros\nreturn x * h", "h = torch.zeros(2, 3, device=x.device)  # zeros"),
        ("h = torch.from_numpy(given)\nreturn x * h", "h = torch.from_numpy(given).to(x.device)"),
        ("h = torch.tensor([1.0, 2.0, 3.0])\nreturn x * h", "h = torch.tensor([1.0, 2.0, 3.0], device=x.device)"),
    ],
)
def test_a_tensor_is_made_beside_what_it_meets(forward: str, fixed: str) -> None:
    text = module(forward, head=f"{HEAD}import numpy as np\ngiven = np.ones((2, 3))\n")
    assert "|".join(written(text, "TDL104")) == fixed


@pytest.mark.parametrize(
    "forward",
    [
        "h = torch.zeros(2, 3)\ny = self.layer(x.view(2, 3))\nreturn y + h",  # bound below
        "self.h = self.layer(x * 1)\nself.g = torch.zeros(2, 3)\nreturn self.g + self.h",  # set here
        "h = torch.zeros(2, 3, **{})\nreturn x + h",
        "x = x * 1\nh = torch.zeros(2, 3)\nx, z = self.layer(x * 1), x\nreturn x + h",
    ],
)
def test_a_tensor_stays_where_no_device_is_known(forward: str) -> None:
    assert written(module(forward), "TDL104") == []


@pytest.mark.parametrize(
    ("init", "fixed"),
    [
        ("self.mask = torch.ones(3)", "self.register_buffer('mask', torch.ones(3))"),
        (
            "self.mask = torch.ones(  # why\n    3\n)",
            "self.register_buffer('mask', torch.ones(  # why|))",
        ),
        ("self.mask = (torch.ones(3))", ""),
        ("self.mask = None\nself.mask = torch.ones(3)", ""),
        ("self.mask = torch.ones(3, requires_grad=True)", ""),
        ("self.mask, self.other = torch.ones(3), 1", ""),
    ],
)
def test_a_tensor_becomes_a_buffer(init: str, fixed: str) -> None:
    assert (
        "|".join(written(module("return self.layer(x) * self.mask", f"self.layer = nn.Linear(3, 3)\n{init}"), "TDL105"))
        == fixed
    )


def test_a_buffer_is_named_as_nothing_else_of_its_class() -> None:
    text = module("return self.layer(x) * self.mask", "self.layer = nn.Linear(3, 3)\nself.mask = torch.ones(3)")
    assert written(text.replace("    def __init__", "    mask = None\n    def __init__"), "TDL105") == []


def test_a_helper_that_is_no_constructor_registers_nothing() -> None:
    text = module("return self.layer(x) * self.mask", "self.layer = nn.Linear(3, 3)\nself.build()")
    built = text.replace("    def forward", "    def build(self):\n        self.mask = torch.ones(3)\n    def forward")
    assert written(built, "TDL105") == []


@pytest.mark.parametrize(
    ("init", "use", "fixed"),
    [
        ("[nn.Linear(3, 3), nn.Linear(3, 3)]", "self.kept[0](x)", "nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])"),
        ("[nn.Linear(3, 3) for _ in '12']", "self.kept[0](x)", "nn.ModuleList([nn.Linear(3, 3) for _ in '12'])"),
        ("{'a': nn.Linear(3, 3)}", "self.kept['a'](x)", "nn.ModuleDict({'a': nn.Linear(3, 3)})"),
        ("{1: nn.Linear(3, 3)}", "self.kept[1](x)", ""),
        ("(nn.Linear(3, 3),)", "self.kept[0](x)", ""),
    ],
)
def test_modules_are_registered(init: str, use: str, fixed: str) -> None:
    found = written(module(f"return {use}", f"self.kept = {init}"), "TDL106")
    assert found == ([f"self.kept = {fixed}"] if fixed else [])


@pytest.mark.parametrize(
    "use",
    [
        "self.kept = [one for one in self.kept if one]",
        "self.kept, n = self.kept[:1], 1",
        "self.kept.index(x)",
        "self.kept[:1] = []",
        "list(map(self.kept.remove, []))",
    ],
)
def test_what_is_used_as_a_list_stays_one(use: str) -> None:
    init = "self.kept = [nn.Linear(3, 3)]"
    drop = f"    def drop(self, x):\n        {use}\n"
    text = module("return self.kept[0](x)", init).replace("    def forward", f"{drop}    def forward")
    assert written(text, "TDL106") == []
    plain = text.replace(use, "self.kept.append(nn.Linear(3, 3))").replace("drop(self", "kept(self")
    assert written(plain, "TDL106") == ["self.kept = nn.ModuleList([nn.Linear(3, 3)])"]


def test_a_dict_of_modules_is_asked_for_what_it_has() -> None:
    text = module("return self.kept['a'](x)", "self.kept = {'a': nn.Linear(3, 3)}\nself.n = len(self.kept.keys())")
    assert written(text, "TDL106") == ["self.kept = nn.ModuleDict({'a': nn.Linear(3, 3)})"]
    assert written(text.replace("self.kept.keys()", "self.kept.copy()"), "TDL106") == []


@pytest.mark.needs_torch
@pytest.mark.parametrize(("registering", "plain"), [("ModuleList", list), ("ModuleDict", dict)])
def test_what_registers_modules_lacks_what_its_row_tells(registering: str, plain: type) -> None:
    nn = pytest.importorskip("torch.nn")
    row = knowledge.DEFAULT.names[f"torch.nn.{registering}"]
    methods = {one for one in dir(plain) if not one.startswith("_")}
    assert isinstance(row, ModuleType)
    assert row.lacks == methods - set(dir(getattr(nn, registering)))


def test_modules_are_called_what_the_file_imports_them_as() -> None:
    init = "self.kept = [nn.Linear(3, 3)]"
    text = module("return self.kept[0](x)", init)
    other = text.replace("import torch\nfrom torch import nn", "import torch\nimport torch.nn").replace(
        "nn.", "torch.nn."
    )
    assert written(other.replace("torch.torch.", "torch."), "TDL106") == [
        "self.kept = torch.nn.ModuleList([torch.nn.Linear(3, 3)])"
    ]
    only = text.replace("from torch import nn", "from torch.nn import Linear, Module").replace("nn.", "")
    short = re.sub(r"(?<!from )\btorch\.", "t.", only).replace("import torch\n", "import torch as t\n")
    assert written(short, "TDL106") == ["self.kept = t.nn.ModuleList([Linear(3, 3)])"]
    assert written(only.replace("import torch\n", "import torch as nn\n").replace("torch.", "nn."), "TDL106") == []


@pytest.mark.parametrize(
    ("loss", "fixed"),
    [
        (
            "weight = torch.ones(3)\ncriterion = nn.CrossEntropyLoss(weight=weight)",
            "criterion = nn.CrossEntropyLoss(weight=weight.to(device))",
        ),
        ("weight = torch.ones(3)\ncriterion = nn.CrossEntropyLoss(weight)", ""),
        (
            "weight = torch.ones(3)\ncriterion = lambda a, b: nn.functional.cross_entropy(a, b, weight)",
            "criterion = lambda a, b: nn.functional.cross_entropy(a, b, weight.to(a.device))",
        ),
    ],
)
def test_a_weight_goes_where_the_prediction_is(loss: str, fixed: str) -> None:
    use = "x, y = torch.ones(2, 3).to(device), torch.ones(2).long().to(device)\ncriterion(model(x), y)\n"
    assert "|".join(written(f"{MOVED}{loss}\n{use}", "TDL107")) == fixed


STATEFUL = "criterion = nn.AdaptiveLogSoftmaxWithLoss(3, 9, cutoffs=[3])\n"
USED = "x, y = torch.ones(2, 3).to(device), torch.ones(2).long().to(device)\ncriterion(x, y)\nmodel(x)\n"


def test_a_criterion_is_moved_where_it_is_built() -> None:
    assert written(f"{MOVED}{STATEFUL}{USED}", "TDL108") == [f"{STATEFUL.strip()}.to(device)"]
    assert written(f"{MOVED}if x:\n    {STATEFUL}else:\n    {STATEFUL}{USED}", "TDL108") == []
    assert written(f"{MOVED}for criterion in [{STATEFUL.strip()[12:]}]:\n    pass\n{USED}", "TDL108") == []


@pytest.mark.parametrize(
    ("late", "fixed"),
    [
        ("model.head = nn.Linear(3, 3)", "model.head = nn.Linear(3, 3).to(device)"),
        ("model.head, other = nn.Linear(3, 3), 1", ""),
    ],
)
def test_a_layer_is_moved_when_it_comes_late(late: str, fixed: str) -> None:
    text = module("return self.head(self.layer(x))", "self.layer = nn.Linear(3, 3)\nself.head = nn.Linear(3, 3)")
    text = text.replace("net(torch", f"{late.replace('model', 'net')}\nnet(torch")
    assert "|".join(written(text, "TDL112")) == fixed.replace("model", "net")


def test_numbers_are_drawn_where_the_generator_is() -> None:
    drawn = (
        "g = torch.Generator(device=device)\nmodel(torch.ones(2, 3, device=device))\nx = torch.randn(3, generator=g)\n"
    )
    assert written(f"{MOVED}{drawn}", "TDL110") == ["x = torch.randn(3, generator=g, device=g.device)"]
    shuffled = drawn.replace(
        "torch.randn(3, generator=g)", "torch.utils.data.DataLoader([1], shuffle=True, generator=g)"
    )
    assert written(f"{MOVED}{shuffled}next(iter(x))\n", "TDL110") == []


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("print(y * x)", ["print(y * x.to(y.device))"]),
        ("print(model(y) * x)", ["print(model(y) * x.to(device))"]),
        ("device = 'cuda'\nprint(model(y) * x)", []),
    ],
)
def test_an_operand_goes_to_what_it_meets_or_where_that_was_sent(use: str, fixed: list[str]) -> None:
    text = f"{MOVED}x = torch.ones(2, 3)\ny = torch.ones(2, 3, device=device)\n{use}\n"
    assert written(text, "TDL101") == fixed


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("model(x).numpy()", "model(x).detach().cpu().numpy()"),
        ("model(x).argmax(1).numpy()", "model(x).argmax(1).cpu().numpy()"),
    ],
)
def test_what_carries_a_graph_is_read_without_it(use: str, fixed: str) -> None:
    text = f"{MOVED}x = torch.ones(2, 3, device=device)\nprint({use})\n"
    assert written(text, "TDL113") == [f"print({fixed})"]


@pytest.mark.parametrize(
    ("bound", "mended"),
    [
        ("x = torch.ones(3).to(device)", False),
        ("x = torch.ones(3)", True),
        ("(x := torch.ones(3).to(device))", True),
        ("y = torch.ones(3).to(device)", True),
    ],
)
def test_no_one_place_suits_an_optimizer_and_what_takes_the_place_of_a_moved_tensor(bound: str, mended: bool) -> None:
    loads = "model.load_state_dict(read['model'])\noptimizer.load_state_dict(read['optimizer'])\nx = read['x']\n"
    text = f"{MOVED}optimizer = torch.optim.Adam(model.parameters())\n{bound}\nread = torch.load('a.pt')\n{loads}print(x)\n"
    assert written(text, "TDL401") == (["read = torch.load('a.pt', map_location='cpu')"] if mended else [])


@pytest.mark.parametrize(
    ("use", "where"),
    [
        ("optimizer.load_state_dict(read['optimizer'])", '"cpu"'),  # which keeps its counts where it was loaded
        ("optimizer.add_param_group(read['optimizer'])", "device"),
    ],
)
def test_the_state_of_an_optimizer_is_read_to_the_host(use: str, where: str) -> None:
    optimizer = "optimizer = torch.optim.Adam(model.parameters())\n"
    text = (
        f"{MOVED}{optimizer}read = torch.load('a.pt')\nmodel.load_state_dict(read['model'])\n{use}\nprint(read['e'])\n"
    )
    assert written(text, "TDL401") == [f"read = torch.load('a.pt', map_location={where})".replace('"', "'")]


@pytest.mark.parametrize(
    ("lines", "fixed"),
    [
        (
            "z = torch.zeros(2, 3)\nu = x.view(2, 1).repeat(1, 3)\nreturn z * u[:, :]",
            "z = torch.zeros(2, 3, device=x.device)",
        ),
        ("z = torch.zeros(2, 3)\nu = x.view(2, 1)\nreturn z * (1 + u[:])", "z = torch.zeros(2, 3, device=x.device)"),
        ("z = torch.zeros(2, 3)\nu = x[0].view(2, 1)\nreturn z * (u + 1)", ""),
        ("z = torch.zeros(2, 3)\nu = x[0].view(2, 1)\nreturn z * u", ""),
        ("z = torch.zeros(2, 3)\nu = x.view(2, 1)\nx = 1\nreturn z * u", "z = torch.zeros(2, 3, device=x.device)"),
        ("z = torch.zeros(2, 3)\nx = x + 1\nu = x.view(2, 1)\nreturn z * u", ""),
        ("z = torch.zeros(2, 3)\nu = x.view(2, 1).to(device)\nreturn z * u", ""),
        ("z = torch.zeros(2, 3)\nu = self.layer.forward(x)[0]\nreturn z * u", ""),
        ("def f():\n    z = torch.zeros(2, 3)\n    u = x.view(2, 1)\n    return z * u\nreturn f()", ""),
        ("z = torch.zeros(2, 3)\nu = torch.relu(x.view(2, 1))\nreturn z * u", ""),
    ],
)
def test_a_tensor_is_made_where_the_input_is_that_what_it_meets_is_made_of(lines: str, fixed: str) -> None:
    assert "|".join(written(module(lines), "TDL104")) == fixed


def test_what_came_to_the_host_with_a_type_is_converted_where_it_is() -> None:
    lines = "return torch.atan(x) + x.lt(0).type(torch.FloatTensor) * (x.ge(0).type(torch.LongTensor))"
    fixed = "return torch.atan(x) + x.lt(0).float() * (x.ge(0).long())"
    head = f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(3, 3)\n"
    text = (
        f"{head}    def forward(self, x):\n        x = self.l(x)\n        {lines}\nprint(torch.cuda.is_available())\n"
    )
    assert written(text, "TDL101") == [fixed]
    assert written(text.replace("torch.FloatTensor", "kind").replace("torch.LongTensor", "kind"), "TDL101") == []
