"""Correct programs about classes, checkpoints and totals, each beside a twin that really has the bug."""

from __future__ import annotations

import textwrap

import pytest

from torchdevlint.engine import analyse
from torchdevlint.options import Options

HEAD = "import torch\nfrom torch import nn\n\n"


def found(source: str) -> list[str]:
    options = Options(wants=lambda code: not code.startswith(("TDL5", "TDL9")))
    return [diagnostic.code for diagnostic in analyse(source, options=options)]


# name: a program that is correct, the text in it to be replaced, by what, and the code that is found then
PAIRS = {
    "the order of the bases": (
        """
        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.l = nn.Linear(4, 4)
            def prep(self, x):
                return x
        class Net(Base):
            def forward(self, x):
                return self.l(self.prep(x))
        class OnDevice(Base):
            def prep(self, x):
                return super().prep(x.cuda())
        class Full(Net, OnDevice):
            pass
        Full().cuda()(torch.ones(4))
        """,
        "Full(Net, OnDevice)",
        "Full(Net)",
        "TDL102",
    ),
    "orders that contradict each other": (
        """
        class A:
            pass
        class B(A):
            pass
        class C(A, B):
            w = torch.ones(3)
        C.w + torch.ones(3)
        torch.ones(1).cuda() * 2
        """,
        "C.w + torch.ones(3)\\n",
        "C.w + torch.ones(3).cuda()\\n",
        "TDL101",
    ),
    "what is bound on a base later": (
        """
        class Base:
            w = torch.zeros(3)
        class Sub(Base):
            pass
        Base.w = Base.w.cuda()
        torch.ones(3).cuda() + Sub.w
        """,
        "Base.w = Base.w.cuda()",
        "w = Base.w.cuda()",
        "TDL101",
    ),
    "bound on the type": (
        """
        class Table:
            w = torch.zeros(3)
            def setup(self, device):
                type(self).w = self.w.to(device)
            def f(self, x):
                return x + self.w
        t = Table()
        t.setup("cuda")
        t.f(torch.ones(3).cuda())
        """,
        "type(self).w",
        "type(device).w",
        "TDL101",
    ),
    "bound on the class": (
        """
        class Table:
            w = torch.zeros(3)
            def setup(self, device):
                self.__class__.w = self.w.to(device)
            def f(self, x):
                return x + self.w
        t = Table()
        t.setup("cuda")
        t.f(torch.ones(3).cuda())
        """,
        "self.__class__.w =",
        "w =",
        "TDL101",
    ),
    "forward replaced": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.l = nn.Linear(4, 4)
            def forward(self, x):
                return self.l(x)
        def forward(self, x):
            return self.l(x.to(self.l.weight.device))
        Net.forward = forward
        Net().cuda()(torch.randn(3, 4))
        """,
        "x.to(self.l.weight.device)",
        "x",
        "TDL102",
    ),
    "a decorator of the class": (
        """
        def auto_move(cls):
            inner = cls.forward
            def forward(self, x):
                return inner(self, x.to(next(self.parameters()).device))
            cls.forward = forward
            return cls
        @auto_move
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.l = nn.Linear(4, 4)
            def forward(self, x):
                return self.l(x)
        Net().cuda()(torch.randn(3, 4))
        """,
        "cls.forward = forward",
        "cls.other = forward",
        "TDL102",
    ),
    "a decorator that moves what is built": (
        """
        def on_cuda(cls):
            init = cls.__init__
            def __init__(self, *a, **k):
                init(self, *a, **k)
                self.cuda()
            cls.__init__ = __init__
            return cls
        @on_cuda
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.l = nn.Linear(4, 4)
            def forward(self, x):
                return self.l(x)
        Net()(torch.randn(3, 4).cuda())
        """,
        "self.cuda()",
        "self.eval()",
        "TDL102",
    ),
    "told by the base": (
        """
        class Base(nn.Module):
            def __init_subclass__(cls):
                inner = cls.forward
                def forward(self, x):
                    return inner(self, x.cuda())
                cls.forward = forward
        class Net(Base):
            def __init__(self):
                super().__init__()
                self.l = nn.Linear(4, 4)
            def forward(self, x):
                return self.l(x)
        Net().cuda()(torch.randn(3, 4))
        """,
        "x.cuda())",
        "x.half())",
        "TDL102",
    ),
    "attributes that are asked for": (
        """
        class Wrap:
            def __init__(self, m):
                self.m = m
            def __getattr__(self, name):
                return getattr(self.m, name)
            def __call__(self, x):
                return self.m(x)
        w = Wrap(nn.Linear(4, 4))
        w.cuda()
        w(torch.randn(3, 4).cuda())
        """,
        "w.cuda()",
        "w.eval()",
        "TDL102",
    ),
    "attributes that are intercepted": (
        """
        class Holder:
            def __init__(self):
                self.w = torch.ones(3)
            def __getattribute__(self, name):
                v = object.__getattribute__(self, name)
                return v.cuda() if torch.is_tensor(v) else v
            def f(self, x):
                return x + self.w
        Holder().f(torch.ones(3).cuda())
        """,
        "__getattribute__(self",
        "get(self",
        "TDL101",
    ),
    "a descriptor": (
        """
        class OnDevice:
            def __get__(self, owner, cls=None):
                return owner.kept.to("cuda")
            def __set__(self, owner, value):
                owner.kept = value
        class Holder:
            w = OnDevice()
            def __init__(self):
                self.w = torch.ones(3)
                self.kept = torch.ones(3)
            def f(self, x):
                return x + self.w
        Holder().f(torch.ones(3).cuda())
        """,
        'owner.kept.to("cuda")',
        'owner.kept.to("cpu")',
        "TDL101",
    ),
    "made by __new__": (
        """
        class Point:
            def __new__(cls, x):
                self = super().__new__(cls)
                self.x = x.cuda()
                return self
        Point(x=torch.ones(3)).x + torch.ones(3).cuda()
        """,
        "__new__(cls, x)",
        "make(cls, x)",
        "TDL101",
    ),
    "a helper binds": (
        """
        def reset_state(agent):
            agent.h = torch.zeros(1, 4, device=agent.device)
        class Agent:
            def __init__(self, device):
                self.device = device
                self.net = nn.Linear(4, 4).to(device)
                self.h = torch.zeros(1, 4)
            def reset(self):
                reset_state(self)
            def step(self, x):
                return self.net(x.to(self.device)) + self.h
        """,
        "agent.h =",
        "h =",
        "TDL101",
    ),
    "the namespace binds": (
        """
        class Agent:
            def __init__(self, device):
                self.device = device
                self.net = nn.Linear(4, 4).to(device)
                self.h = torch.zeros(1, 4)
            def load(self, path):
                self.__dict__.update(torch.load(path, map_location=self.device))
            def step(self, x):
                return self.net(x.to(self.device)) + self.h
        """,
        "self.__dict__.update",
        "print",
        "TDL101",
    ),
    "bound by a loop": (
        """
        class Agent:
            def __init__(self, device):
                self.device = device
                self.net = nn.Linear(4, 4).to(device)
                self.h = torch.zeros(1, 4)
            def run(self, loader):
                for self.h in loader:
                    self.step(self.h)
            def step(self, x):
                return self.net(x.to(self.device)) + self.h
        """,
        "for self.h in loader:\\n            self.step(self.h)",
        "for h in loader:\\n            self.step(h)",
        "TDL101",
    ),
    "a generator goes step by step": (
        """
        def phases(model):
            model.cuda()
            yield "cuda"
            model.cpu()
            yield "cpu"
        m = nn.Linear(4, 4)
        for device in phases(m):
            m(torch.randn(3, 4).to(device))
        """,
        'model.cuda()\\n    yield "cuda"\\n    model.cpu()\\n    yield "cpu"',
        'yield "cuda"',
        "TDL102",
    ),
    "a path by its text": (
        """
        import os
        m = nn.Linear(4, 4).to("cuda" if torch.cuda.is_available() else "cpu")
        def path(e):
            return e
        for e in range(3):
            torch.save(m.state_dict(), os.path.join("out", f"{e}.pt"))
            m.load_state_dict(torch.load(os.path.join("out", f"{e}.pt")))
            name = "best_{}.pt".format(e) + str(e)
            torch.save(m.state_dict(), name)
            m.load_state_dict(torch.load(name))
        """,
        'torch.load(os.path.join("out", f"{e}.pt"))',
        'torch.load(os.path.join("in", f"{e}.pt"))',
        "TDL401",
    ),
    "a path of an object": (
        """
        from pathlib import Path
        class Saver:
            def __init__(self, root, m):
                self.m = m
                self.path = Path(root) / "best.pt"
                self.best = [self.path][0]
            def run(self):
                torch.save(self.m.state_dict(), self.path)
                self.m.load_state_dict(torch.load(self.path))
        Saver("out", nn.Linear(4, 4).to("cuda" if torch.cuda.is_available() else "cpu")).run()
        """,
        "torch.load(self.path)",
        "torch.load(self.best)",
        "TDL401",
    ),
    "a copy of a checkpoint": (
        """
        import shutil
        m = nn.Linear(4, 4).to("cuda" if torch.cuda.is_available() else "cpu")
        torch.save(m.state_dict(), "a.pt")
        torch.save(nn.Linear(4, 4).state_dict(), "b.pt")
        shutil.copy("a.pt", "c.pt")
        shutil.copy("b.pt", dst="d.pt")
        m.load_state_dict(torch.load("c.pt"))
        m.load_state_dict(torch.load("d.pt"))
        """,
        'shutil.copy("a.pt", "c.pt")',
        'shutil.copy("a.pt")',
        "TDL401",
    ),
    "load replaced": (
        """
        _load = torch.load
        def load(*args, **kwargs):
            kwargs.setdefault("map_location", "cpu")
            return _load(*args, **kwargs)
        torch.load = load
        m = nn.Linear(4, 4).cuda()
        m.load_state_dict(torch.load("a.pt"))
        """,
        "torch.load = load",
        "torch.load = _load",
        "TDL401",
    ),
    "losses that are read back": (
        """
        m = nn.Linear(4, 1).cuda()
        losses = []
        for x in torch.randn(3, 4).cuda():
            losses.append(m(x).mean())
        for loss in reversed(losses[1:].copy()):
            loss.backward()
        """,
        "loss.backward()",
        "print(loss.item())",
        "TDL304",
    ),
    "losses that are taken out": (
        """
        m = nn.Linear(4, 1).cuda()
        losses = []
        for x in torch.randn(3, 4).cuda():
            losses.append(m(x).mean())
        losses.pop().backward()
        """,
        "losses.pop().backward()",
        "print(losses.pop().item())",
        "TDL304",
    ),
    "losses that go backward together": (
        """
        m = nn.Linear(4, 1).cuda()
        losses = []
        for x in torch.randn(3, 4).cuda():
            losses.append(m(x).mean())
        torch.autograd.backward(losses)
        """,
        "torch.autograd.backward(losses)",
        "torch.autograd.backward()",
        "TDL304",
    ),
    "losses that a derived class uses": (
        """
        m = nn.Linear(4, 1).cuda()
        class Base:
            def __init__(self):
                self.losses = []
            def collect(self, xs):
                for x in xs:
                    self.losses.append(m(x).mean())
        class Child(Base):
            def step(self):
                sum(self.losses).backward()
        """,
        "Child(Base)",
        "Child",
        "TDL304",
    ),
    "no graph, perhaps": (
        """
        import contextlib
        m = nn.Linear(4, 1).cuda()
        train = False
        total = 0
        with contextlib.nullcontext() if train else torch.no_grad():
            for x in torch.randn(3, 4).cuda():
                total += m(x).mean()
        print(total)
        """,
        "torch.no_grad()",
        "contextlib.nullcontext()",
        "TDL304",
    ),
    "no graph, on a stack": (
        """
        import contextlib
        m = nn.Linear(4, 1).cuda()
        total = 0
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.no_grad())
            for x in torch.randn(3, 4).cuda():
                total += m(x).mean()
        print(total)
        """,
        "torch.no_grad()",
        "open('log')",
        "TDL304",
    ),
    "no graph, entered by hand": (
        """
        m = nn.Linear(4, 1).cuda()
        context = torch.no_grad()
        context.__enter__()
        total = 0
        for x in torch.randn(3, 4).cuda():
            total += m(x).mean()
        print(total)
        """,
        "context.__enter__()",
        "print(context)",
        "TDL304",
    ),
    "frozen by parameter": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.l = nn.Sequential(nn.Linear(4, 1))
                self.w = nn.Parameter(torch.ones(1))
                [p.requires_grad_(False) for p in self.parameters()]
            def forward(self, x):
                return self.l(x) * self.w
        f = Net().cuda()
        total = 0
        for x in torch.randn(3, 4).cuda():
            total += f(x).mean()
        print(total)
        """,
        "requires_grad_(False)",
        "requires_grad_(True)",
        "TDL304",
    ),
    "a graph that is written into a tensor": (
        """
        m = nn.Linear(4, 1).cuda()
        total = 0
        for x in torch.randn(3, 4).cuda():
            out = torch.zeros(2, device="cuda")
            out[:1] = m(x).detach()
            total += out.mean()
        print(total)
        """,
        "m(x).detach()",
        "m(x).float()",
        "TDL304",
    ),
    "what a hook of a part has seen": (
        """
        seen = {}
        def hook(module, args, out):
            seen["first"] = out.detach()
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).cuda()
        net[0].register_forward_hook(hook)
        net(torch.randn(3, 4).cuda())
        print(seen["first"].cpu().numpy())
        """,
        '["first"].cpu()',
        '["first"]',
        "TDL113",
    ),
    "numbers of a tensor": (
        """
        m = nn.Linear(4, 1).cuda()
        total = 0
        for x in torch.randn(3, 4).cuda():
            o = m(x)
            total += (o > 0).float().mean()
            total += len(o) * o.item() + o.round().long().sum()
        print(total)
        """,
        "(o > 0).float().mean()",
        "o.float().mean()",
        "TDL304",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_correct_program_and_its_twin(name: str) -> None:
    source, old, new, code = PAIRS[name]
    correct = HEAD + textwrap.dedent(source)
    old, new = old.replace("\\n", "\n"), new.replace("\\n", "\n")
    assert old in correct
    assert found(correct) == []
    assert found(correct.replace(old, new)) == [code]
