"""Correct programs that move things in ways of Python's own, each beside a twin that really has the bug."""

from __future__ import annotations

import pytest
from twins import check

# name: a program that is correct, the text in it to be replaced, by what, and the code that is found then
PAIRS = {
    "stages on three devices": (
        """
        layers = [nn.Linear(4, 4).to("cuda:0"), nn.Linear(4, 4).to("cuda:1"), nn.Linear(4, 4).to("cuda:2")]
        x = torch.randn(3, 4)
        for layer, device in zip(layers, ["cuda:0", "cuda:1", "cuda:2"]):
            x = layer(x.to(device))
        """,
        '"cuda:1", "cuda:2"]',
        '"cuda:2", "cuda:1"]',
        "TDL102",
    ),
    "stages by number": (
        """
        stages = nn.ModuleList([nn.Linear(4, 4).to("cuda:0"), nn.Linear(4, 4).to("cuda:1"), nn.Linear(4, 4)])
        devices = ["cuda:0", "cuda:1", "cpu"]
        x = torch.ones(4)
        for i, stage in enumerate(stages):
            x = stage(x.to(devices[i]))
        """,
        '"cpu"]',
        '"cuda"]',
        "TDL102",
    ),
    "a dict by device": (
        """
        models = {d: nn.Linear(4, 4).to(d) for d in ["cpu", "cuda:0"]}
        models["cpu"](torch.ones(4))
        """,
        'models["cpu"](',
        'models["cuda:0"](',
        "TDL102",
    ),
    "an iterator is run when it is iterated": (
        """
        x = torch.ones(3)
        sums = (x + t for t in [torch.ones(3).cuda()])
        x = x.cuda()
        print(list(sums))
        """,
        "x = x.cuda()",
        "y = x.cuda()",
        "TDL101",
    ),
    "a default is evaluated where the function is defined": (
        """
        w = torch.ones(4)
        def f(a, b=w):
            return a + b
        w = w.cuda()
        f(torch.ones(4))
        """,
        "f(torch.ones(4))",
        "f(torch.ones(4).cuda())",
        "TDL101",
    ),
    "a default that is set": (
        """
        m = nn.Linear(4, 4).cuda()
        def make(*size, **options):
            options.setdefault("device", "cuda")
            return torch.ones(*size, **options)
        m(make(3, 4))
        """,
        "make(3, 4)",
        'make(3, 4, device="cpu")',
        "TDL102",
    ),
    "an update from a dict": (
        """
        m = nn.Linear(4, 4).cuda()
        batch = {"x": torch.randn(3, 4)}
        batch.update(**{k: v.cuda() for k, v in batch.items()})
        m(batch["x"])
        """,
        "v.cuda()",
        "v.float()",
        "TDL102",
    ),
    "devices that differ are refused": (
        """
        def add(a, b):
            if a.device != b.device:
                raise ValueError("devices differ")
            return a + b
        add(torch.ones(3).cuda(), torch.ones(3))
        """,
        'raise ValueError("devices differ")',
        'print("devices differ")',
        "TDL101",
    ),
    "kept where it is on the same device": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.window = torch.ones(3)
            def forward(self, a):
                if self.window.device == a.device:
                    w = self.window
                else:
                    w = self.window.to(a.device)
                return w * a
        Net()(torch.ones(3).cuda())
        """,
        "w = self.window.to(a.device)",
        "w = self.window.float()",
        "TDL105",
    ),
    "types compared": (
        """
        class Focal(nn.Module):
            def __init__(self, alpha):
                super().__init__()
                self.alpha = torch.Tensor(alpha)
            def forward(self, x, y):
                if self.alpha.type() != x.data.type():
                    self.alpha = self.alpha.type_as(x.data)
                return x * self.alpha.gather(0, y)
        Focal([0.25, 0.75])(torch.ones(2).cuda(), torch.zeros(2).long().cuda())
        """,
        "self.alpha.type_as(x.data)",
        "self.alpha.float()",
        "TDL105",
    ),
    "the type by its name": (
        """
        def shift(a):
            if a.type() == "torch.cuda.FloatTensor":
                return a + torch.ones(3).cuda()
            return a + torch.ones(3)
        shift(torch.ones(3).cuda())
        shift(torch.ones(3))
        """,
        "    return a + torch.ones(3).cuda()",
        "    return a + torch.ones(3)",
        "TDL101",
    ),
    "the number of the device": (
        """
        def shift(a):
            if a.get_device() >= 0:
                return a + torch.ones(3).cuda()
            return a + torch.ones(3)
        shift(torch.ones(3).cuda())
        shift(torch.ones(3))
        """,
        "    return a + torch.ones(3).cuda()",
        "    return a + torch.ones(3)",
        "TDL101",
    ),
    "the number of the host": (
        """
        def shift(a):
            if a.get_device() == -1:
                return a + torch.ones(3)
            return a + torch.ones(3).cuda()
        shift(torch.ones(3).cuda())
        """,
        "ones(3).cuda()\n",
        "ones(3)\n",
        "TDL101",
    ),
    "a cache by size": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.n = 0
                self.grid = torch.ones(1)
            def forward(self, a):
                if a.size(0) != self.n:
                    self.grid = torch.ones(a.size(0), device=a.device)
                    self.n = a.size(0)
                return self.grid * a
        Net()(torch.ones(3).cuda())
        """,
        ", device=a.device",
        "",
        "TDL104",
    ),
    "nothing gathered yet": (
        """
        m = nn.Linear(4, 4).cuda()
        kept = torch.tensor([])
        for x in torch.randn(5, 2, 4).cuda():
            out = m(x)
            kept = out if kept.numel() == 0 else torch.cat([kept, out])
        """,
        "out if kept.numel() == 0 else torch.cat([kept, out])",
        "torch.cat([kept, out])",
        "TDL101",
    ),
    "nothing gathered by its length or shape": (
        """
        m = nn.Linear(4, 4).cuda()
        kept = torch.zeros(0, 4)
        for x in torch.randn(5, 2, 4).cuda():
            out = m(x)
            if len(kept) == 0 or kept.shape[0] == 0 or kept.size(0) == 0:
                kept = out
            else:
                kept = torch.cat([kept, out])
        """,
        "        kept = out\n",
        "        print(kept + out)\n",
        "TDL101",
    ),
    "a counter is no switch": (
        """
        m = nn.Linear(4, 4).cuda()
        last = torch.zeros(4)
        step = 0
        while step < 10:
            x = m(torch.randn(4).cuda())
            if step >= 1:
                x = x + last
            last = x.detach()
            step += 1
        """,
        "step >= 1",
        "step >= 0",
        "TDL101",
    ),
    "the hook's result is the output": (
        """
        m = nn.Linear(4, 4).cuda()
        m.register_forward_hook(lambda module, args, out: out.cpu())
        print(m(torch.randn(3, 4).cuda()).detach().numpy())
        """,
        "out.cpu()",
        "None",
        "TDL113",
    ),
    "a hook on a part": (
        """
        net = nn.Sequential(nn.Linear(4, 4)).cuda()
        net[0].register_forward_pre_hook(lambda module, args: (args[0].cuda(),))
        net(torch.randn(3, 4))
        """,
        "net[0].register_forward_pre_hook(lambda module, args: (args[0].cuda(),))",
        "net[0].register_forward_hook(lambda module, args, out: None)",
        "TDL102",
    ),
    "a number as an array": (
        """
        import numpy as np
        x = torch.rand(3).cuda()
        y = x * torch.from_numpy(np.array(0.5))
        """,
        "np.array(0.5)",
        "np.array([0.5])",
        "TDL101",
    ),
    "a copy of a list": (
        """
        import copy
        host = [torch.ones(3)]
        device = copy.deepcopy(host)
        device[0] = device[0].cuda()
        print(host[0].numpy())
        """,
        "copy.deepcopy(host)",
        "host",
        "TDL113",
    ),
    "a shallow copy of a list": (
        """
        import copy
        host = [torch.ones(3)]
        device = copy.copy(host)
        device[0] = device[0].cuda()
        print(host[0].numpy())
        """,
        "copy.copy(host)",
        "host",
        "TDL113",
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
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_correct_program_and_its_twin(name: str) -> None:
    check(*PAIRS[name])
