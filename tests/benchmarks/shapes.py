"""Programs of any length, each of one shape: what costs more than in proportion shows when it gets longer."""

from __future__ import annotations

from collections.abc import Callable

HEAD = "import torch\nfrom torch import nn\nx = torch.ones(3)\n"
_LAYER = (
    "(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n"
    "    def forward(self, x):\n        return self.layer(x) + torch.ones(2)\n"
)


def _each(text: str) -> Callable[[int], str]:
    """Return the shape of a text that is repeated, with its number in the place of <i>, and the next in that of <j>."""
    return lambda count: HEAD + "".join(text.replace("<i>", str(i)).replace("<j>", str(i + 1)) for i in range(count))


def _inside(head: str, text: str, tail: str = "") -> Callable[[int], str]:
    """Return the shape of a statement with a body that is repeated in the same way."""
    return lambda count: HEAD + head + _each(text)(count).removeprefix(HEAD) + tail


SHAPES: dict[str, Callable[[int], str]] = {
    "assignments": _inside("", "y = x + 1\n", "x.cuda()\n"),
    "moves": _each("x = x.to('cuda')\nx = x.cpu()\n"),
    "discarded moves": _each("x.cuda()\n"),
    "tensors": _each("y<i> = torch.ones(3)\ny<i>.cuda()\n"),
    "tests of a value that they move": _inside(
        "", "if x.sum():\n    x = x.cuda()\nelse:\n    x = x.cpu()\n", "y = x + x.sum()\n"
    ),
    "guards": _inside("", "if a<i>:\n    x = x.cuda()\nelse:\n    x = x.cpu()\n", "y = x + x.sum()\n"),
    "one guard": _each("if use:\n    x = x.cuda()\ny = torch.ones(3)\nif use:\n    y = y.cuda()\nx + y\n"),
    "two guards": _each("if a<i>:\n    if b<i>:\n        x = x.cuda()\n    else:\n        y = x.cpu()\nz = x\n"),
    "assertions": _inside("", "assert a<i> > 0\n", "x = x.cuda()\nx + torch.ones(3)\n"),
    "alternatives": _inside("if a == 0:\n    pass\n", "elif a == <i>:\n    x = x.cpu()\n"),
    "cases": _inside("match z:\n", "    case <i>:\n        x = x.cuda()\n"),
    "loops": _each("for i in z:\n    x = x.cuda()\n    y = x + 1\n"),
    "totals": _each("t = 0\nfor b in z:\n    loss = nn.Linear(2, 2)(b).sum()\n    loss.backward()\n    t += loss\n"),
    "ways out of a loop": _inside("for i in z:\n", "    if a<i>:\n        continue\n", "    x.cuda()\n"),
    "ways out of a function": _inside(
        "def f(x):\n", "    y<i> = x.cuda()\n    if a<i>:\n        return y<i>\n", "f(x)\n"
    ),
    "blocks": _each("with torch.no_grad():\n    x = x.cuda()\n"),
    "failures": _each("try:\n    x = x.cuda()\nexcept E:\n    x = x.cpu()\n"),
    "functions": _each("def f<i>(x):\n    y = x.cuda()\n    return y + torch.ones(3)\n"),
    "functions that call each other": _each("def f<i>(x):\n    return f<j>(x) + f<j>(x.cuda())\n"),
    "functions that are called": _inside(
        "def f0(a):\n    return a.cuda()\n", "def f<j>(a):\n    return f<i>(a) + f<i>(a)\n", "f3(x)\n"
    ),
    "calls": _inside("def f(x):\n    return x.cuda() + 1\n", "y = f(x)\n"),
    "closures": _inside("def f(x):\n", "    def g<i>(y):\n        return y.cuda() + x\n", "    return x\n"),
    "lambdas": _inside("f = lambda a: a.cuda()\n", "f = (lambda g: lambda a: g(g(a)))(f)\n", "f(x)\n"),
    "classes": _each(f"class C<i>{_LAYER}"),
    "inheritance": _inside(
        f"class C0{_LAYER}",
        "class C<j>(C<i>):\n    def __init__(self):\n        super().__init__()\n        self.l<i> = nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        return super().forward(x)\n",
    ),
    "methods": _inside(f"class C{_LAYER}", "    def m<i>(self, x):\n        return self.m<j>(x) + torch.ones(2)\n"),
    "instances": _inside(f"class C{_LAYER}", "c = C().cuda()\nc(x)\n"),
    "models": _each("m = nn.Linear(2, 2)\no = torch.optim.Adagrad(m.parameters())\nm.cuda()\nm(x)\n"),
    "optimizers": _inside("m = nn.Linear(2, 2)\n", "o<i> = torch.optim.Adam(m.parameters())\n", "m.cuda()\n"),
    "elements": _inside("d = {}\n", "d['<i>'] = x.cuda()\n", "for k in d:\n    d[k] = d[k].to('cpu')\n"),
    "appended": _inside("l = []\n", "l.append(x.cuda())\n", "torch.stack(l)\n"),
    "devices": _each("d<i> = 'cuda' if c<i> else 'cpu'\nx = x.to(d<i>) + torch.ones(3, device=d<i>)\n"),
    "calls that cannot be seen": _inside("y0 = x.cuda()\n", "y<j> = unseen(x, y<i>)\n"),
    "attributes between calls that cannot be seen": _inside("o = Made()\n", "o.a<i> = x.cuda()\nunseen(o)\n"),
}
