"""Moves whose result is thrown away: told where something would have noticed, silent where nothing could."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

HEAD = "import numpy as np\nimport torch\nfrom torch import nn\n"

TOLD = {
    "an argument": "def f(model, d):\n    x = torch.zeros(3)\n    x.to(d)\n    return model(x)\n",
    "a keyword": "def f(model, d):\n    x = torch.zeros(3)\n    x.to(d)\n    return model(tokens=x)\n",
    "all elements": "def f(model, d):\n    x = torch.zeros(3)\n    x.to(d)\n    return model(*x)\n",
    "an iteration": "def f(model, d):\n    x = torch.zeros(3)\n    x.to(d)\n    for row in x:\n        model(row)\n",
    "a cast that is returned": "def f():\n    x = torch.zeros(3)\n    x.half()\n    return x\n",
    "a cast to what was asked": "def f(y):\n    kind = y.dtype\n    x = torch.zeros(3)\n    x.to(kind)\n    return x\n",
    "a cast in a container": "def f(g):\n    x = torch.zeros(3)\n    x.half()\n    g({'x': x})\n",
    "the number of a cast": "def f():\n    x = torch.zeros(3)\n    x.int()\n    return x.max().item()\n",
    "an array of a cast": "def f():\n    x = torch.zeros(3)\n    x.double()\n    return x.numpy()\n",
    "a cast and a move": "def f(g, d):\n    x = torch.zeros(3)\n    x.half()\n    g(x.to(d))\n",
    "a parameter": "def f(x: torch.Tensor, d):\n    x.to(d)\n",
    "another name of it": "def f(b, d):\n    x = b[0]\n    x.unsqueeze(0)\n    x.to(d)\n    print(b)\n",
    "earlier in a loop": (
        "def f(model, d):\n    x = torch.zeros(3)\n    while True:\n        model(x)\n        x.to(d)\n"
    ),
    "perhaps rebound": (
        "def f(model, d, c):\n    x = torch.zeros(3)\n    x.to(d)\n"
        "    if c:\n        x = torch.ones(3)\n    return model(x)\n"
    ),
    "perhaps made here": (
        "def f(model, d, c):\n    x = torch.zeros(3)\n    with c as x:\n        pass\n"
        "    x.unsqueeze(0)\n    x.to(d)\n    return x\n"
    ),
    "a list for an operation": "def f(d, y):\n    x = torch.zeros(3)\n    x.to(d)\n    return torch.cat([x, y])\n",
    "a list with a name": "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    xs = [x]\n    return torch.cat(xs)\n",
    "keywords": "def f(model, d):\n    x = torch.zeros(3)\n    x.to(d)\n    xs = {'x': x}\n    return model(**xs)\n",
    "a list in an expression": "def f(d, y):\n    x = torch.zeros(3)\n    x.to(d)\n    return [x] + y\n",
    "another operand": "def f(d, y):\n    x = torch.zeros(3)\n    x.to(d)\n    return x + y\n",
    "another operand of a method": "def f(d, y):\n    x = torch.zeros(3)\n    x.to(d)\n    return x.add(y)\n",
    "an index": "def f(d, y):\n    x = torch.zeros(3)\n    x.to(d)\n    return y[x]\n",
    "its device": "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    return torch.ones(3, device=x.device)\n",
    "its unknown attribute": "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    return x.names\n",
    "an attribute": "class A:\n    def f(self, d):\n        self.x = torch.zeros(3)\n        self.x.to(d)\n",
    "an attribute that is read": (
        "def f(d):\n    class A:\n        def __init__(self):\n            self.x = torch.zeros(3)\n"
        "        def g(self):\n            self.x.to(d)\n            return self.x\n    return A()\n"
    ),
    "an element": "def f(d, model):\n    x = [torch.zeros(3)]\n    x[0].to(d)\n    return x\n",
    "an array of what is on the accelerator": (
        "def f():\n    x = torch.ones(3).cuda()\n    x.cpu()\n    return np.mean(x)\n"
    ),
    "the array itself": "def f():\n    x = torch.ones(3).cuda()\n    x.cpu()\n    return x.numpy()\n",
    "a list that grows": "def f(xs):\n    x = torch.ones(3).cuda()\n    x.cpu()\n    xs.append(x)\n",
    "the targets of an alignment": (
        "def f(p, n, d):\n    t = torch.ones(3)\n    t.to(d)\n    t = t.int()\n"
        "    return nn.functional.ctc_loss(p, t, n, n)\n"
    ),
    "an object that is moved": (
        "def f(Net):\n    net = Net(3)\n    net.cuda()\n    x = torch.zeros(3)\n    x.cuda()\n    return net(x)\n"
    ),
    "an object that is told where": (
        "def f(Net, d):\n    net = Net(d)\n    x = torch.zeros(3)\n    x.to(d)\n    return net(x)\n"
    ),
    "an object that others get": (
        "def f(Net, g):\n    net = Net(3)\n    g(net)\n    x = torch.zeros(3)\n    x.cuda()\n    return net(x)\n"
    ),
    "a graph that is kept": (
        "def f(x: torch.Tensor):\n    y = x.cuda().sum()\n    y.backward(retain_graph=True)\n"
        "    y.detach().cpu()\n    return y + 1\n"
    ),
    "the module": "x = torch.zeros(3)\nx.cuda()\n",
}

SILENT = {
    "in a loop": "def f(d):\n    x = torch.zeros(3)\n    for _ in range(3):\n        x.to(d)\n        print(x)\n",
    "where something fails": (
        "def f(g, d):\n    x = torch.zeros(3)\n    try:\n        x.to(d)\n        g()\n"
        "    except OSError as x:\n        print(x)\n"
    ),
    "moved again by text": "def f(model, x: torch.Tensor, d):\n    x.to(d)\n    return model(x.to('cuda:0'))\n",
    "a graph that is freed": (
        "def f(x: torch.Tensor):\n    y = x.cuda().sum()\n    y.backward()\n    y.detach().cpu()\n    return y + 1\n"
    ),
    "returned": "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    return x\n",
    "yielded": "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    yield x\n",
    "returned in a container": "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    return [{'x': x}, 1]\n",
    "handed on in a container": (
        "def f(model, d):\n    x = torch.zeros(3)\n    x.to(d)\n    inputs = {'x': x}\n    return model([inputs])\n"
    ),
    "told": "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    print(x.shape, f'{x}', len(x), x.size(0), x.sum())\n",
    "deleted": "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    del x\n",
    "rebound": "def f(model, d):\n    x = torch.zeros(3)\n    x.to(d)\n    x = torch.ones(3)\n    return model(x)\n",
    "rebound among others": "def f(g, d):\n    x = torch.zeros(3)\n    x.to(d)\n    (x, y) = g()\n    return g(x, y)\n",
    "moved again": "def f(model, x: torch.Tensor, d):\n    x.to(d)\n    x = x.to(d)\n    return model(x)\n",
    "moved again by keyword": (
        "def f(model, x: torch.Tensor, d):\n    x.to(d)\n    x = x.to(device=d)\n    return model(x)\n"
    ),
    "cast again": (
        "def f(y):\n    x = y.clone()\n    x.to(torch.float32)\n    x = 2 * x - 1\n    return (-x).to(y.weight.dtype)\n"
    ),
    "cast again by keyword": "def f(g):\n    x = torch.zeros(3)\n    x.half()\n    g(x.to(dtype=torch.float64))\n",
    "sizes of a cast": "def f(g):\n    x = torch.zeros(3)\n    x.half()\n    g(x.shape, x.size())\n",
    "in each pass": (
        "def f(d):\n    for _ in range(3):\n        x: torch.Tensor = torch.zeros(3)\n"
        "        x.to(d)\n        print(x)\n"
    ),
    "read on the host": (
        "def f(d):\n    x = torch.zeros(3)\n    x.to(d)\n    return x.numpy(), np.mean(x), x.tolist()\n"
    ),
    "a number to add": (
        "def f(d):\n    n = 2\n    x = torch.zeros(3)\n    x.to(d)\n    y = x[0] * n + 1.5\n    y = y\n    return y\n"
    ),
    "a backward pass": "def f(d):\n    x = torch.zeros(3, requires_grad=True).sum()\n    x.to(d)\n    x.backward()\n",
    "added up on the accelerator": (
        "def f(y):\n    x = torch.ones(3).cuda()\n    x.cpu()\n    return (x + y).sum() + x.add(y)\n"
    ),
    "lengths": (
        "def f(p, t, d):\n    n = torch.tensor([3, 4])\n    n.to(d)\n    return nn.functional.ctc_loss(p, t, n, n)\n"
    ),
    "an object of numbers": (
        "def f(Net):\n    net = Net(3, -1)\n    net.train()\n    x = torch.zeros(3)\n    x.cuda()\n    return net(x)\n"
    ),
    "an attribute that nothing reads": (
        "def f(d):\n    class A:\n        def __init__(self):\n            self.tensor = torch.tensor([1])\n"
        "        def to(self, d):\n            self.tensor.to(d)\n            return self\n    return A()\n"
    ),
    "copies of copies": (
        "def f(d):\n    a = torch.zeros(3)\n    a.to(d)\n    b = [a, a]\n    c = [b, b]\n    return c\n"
    ),
}


def told(source: str) -> bool:
    """Tell whether the rule speaks."""
    return any(one.code == "TDL201" for one in analyse(HEAD + source))


@pytest.mark.parametrize("source", TOLD.values(), ids=TOLD.keys())
def test_a_move_that_something_would_notice_is_told(source: str) -> None:
    assert told(source)


@pytest.mark.parametrize("source", SILENT.values(), ids=SILENT.keys())
def test_a_move_that_nothing_would_notice_is_silent(source: str) -> None:
    assert not told(source)


def test_what_costs_too_much_to_look_at_is_told() -> None:
    many = "".join(f"    x{n} = torch.zeros(3)\n    x{n}.cuda()\n" for n in range(600))
    findings = [one for one in analyse(f"{HEAD}def f():\n{many}") if one.code == "TDL201"]
    assert 0 < len(findings) < 600
