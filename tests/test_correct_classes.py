"""Correct programs about classes and what they bind, each beside a twin that really has the bug."""

from __future__ import annotations

import pytest
from twins import check

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
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_correct_program_and_its_twin(name: str) -> None:
    check(*PAIRS[name])
