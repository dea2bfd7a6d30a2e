"""Correct programs about checkpoints, totals and graphs, each beside a twin that really has the bug."""

from __future__ import annotations

import pytest
from twins import check

# name: a program that is correct, the text in it to be replaced, by what, and the code that is found then
PAIRS = {
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
    "a path that is computed": (
        """
        from pathlib import Path
        m = nn.Linear(4, 4).to("cuda" if torch.cuda.is_available() else "cpu")
        torch.save(m.state_dict(), (Path("runs") / "last").with_suffix(".pt"))
        m.load_state_dict(torch.load((Path("runs") / "last").with_suffix(".pt")))
        """,
        'torch.load((Path("runs") / "last").with_suffix(".pt"))',
        'torch.load((Path("runs") / "last").with_suffix(".pth"))',
        "TDL401",
    ),
    "what is added beside losses": (
        """
        m = nn.Linear(4, 1).cuda()
        kept, scaled, eps = 0.0, 0.0, 1e-8
        for x in torch.randn(3, 4).cuda():
            loss = m(x).mean()
            kept = kept + loss.detach()
            kept = kept + eps
            kept = 1e-8 + kept
            kept = kept + loss.item()
            scaled = scaled * 0.9 + 0.1 * loss.item()
        print(kept)
        """,
        "loss.detach()",
        "loss",
        "TDL304",
    ),
    "a loss of unknown kind as a number, beside a part of a batch": (
        """
        from elsewhere import build, criterion
        class Meter:
            def __init__(self):
                self.total = 0
            def update(self, value, n=1):
                self.total += value.item() * n
        def train(loader, optimizer):
            model = build()
            model.train()
            meter = Meter()
            for x, y, n in loader:
                loss = criterion(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                meter.update(loss, n)
        """,
        "value.item() * n",
        "value * n",
        "TDL304",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_correct_program_and_its_twin(name: str) -> None:
    check(*PAIRS[name])
