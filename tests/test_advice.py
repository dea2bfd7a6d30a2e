"""Rules of advice: where they speak and where they do not, beyond what the fixtures show."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse
from torchdevlint.options import ADVICE, Options

HEAD = """\
import functools, time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from elsewhere import Net, batches, decorate, context, flag, given, helper

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(60, 10), torch.randn(60))
loader = DataLoader(data, batch_size=6)
model = nn.Linear(10, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
there = torch.ones(9, 2, device=device)
"""


def codes(lines: str, filename: str = "train.py") -> list[str]:
    found = analyse(HEAD + lines + "\n", options=Options(filename, lambda code: code.startswith(ADVICE)))
    return [diagnostic.code for diagnostic in found]


def step(*lines: str, before: str = "total = 0.0", around: str = "with torch.no_grad():") -> str:
    """Return a loop over batches that evaluates the model, with some lines after each call of it."""
    body = ("for x, y in loader:", "    out = model(x.to(device))", *(f"    {line}" for line in lines))
    return "\n".join([before, around, *(f"    {line}" for line in body)])


METER = """class Meter:
    def __init__(self):
        self.sum = 0.0
    def add(self, value=1.0, other=None):
        self.sum += value
"""
COUNTED = [
    pytest.param(step("total += out.mean().item()"), True, id="item"),
    pytest.param(step("total += int(out.mean() > 0)"), True, id="int"),
    pytest.param(step("total = total + out.mean().cpu()"), True, id="cpu"),
    pytest.param(step("total += helper(out)"), False, id="an unseen call"),
    pytest.param(
        step("total += out.mean().item()", "with context():", "    print(total)"), False, id="shown in a block"
    ),
    pytest.param(step("total += out.mean().item()", "with context():", "    pass"), True, id="a block without it"),
    pytest.param(step("total += out.mean().item()", "if total > 3:", "    pass"), False, id="tested"),
    pytest.param(step("total += out.mean().item()", "for _ in range(3):", "    print(total)"), False, id="in a loop"),
    pytest.param(step("total += out.mean().item()", "for _ in range(3):", "    pass"), True, id="a loop without it"),
    pytest.param(step("total += out.mean().item() + total / 2"), False, id="added to itself"),
    pytest.param(step("total += out.mean().item()", "last = total"), False, id="kept"),
    pytest.param(step("total += out.mean().item()", "total = max(total, 3.0)"), True, id="bounded"),
    pytest.param(step("seen.append(out.mean().item())", before="seen = []"), True, id="appended"),
    pytest.param(step("seen.append(out.mean().item())", "seen.pop()", before="seen = []"), True, id="and taken out"),
    pytest.param(step("seen.append(out.cpu())", before="seen = []"), False, id="appended as it is"),
    pytest.param(step("total += out.mean().item()", "if out.max() > 3:", "    break"), False, id="decides"),
    pytest.param(step("if flag:", "    total += out.mean().item()"), False, id="once in a while"),
    pytest.param(step("total += out.mean().item()", "str(out)"), False, id="shown"),
    pytest.param(step("total += y.mean().item()"), False, id="on the host"),
    pytest.param(
        step("total += out.mean().item()", "best += out.max().item()", "print(best)", before="total = best = 0.0"),
        False,
        id="one of two is shown",
    ),
    pytest.param(step("v = out.mean().item()", "total += v"), True, id="under a name"),
    pytest.param(
        step("v = out.mean().item()", "seen.append(v)", before="seen = []"), True, id="under a name, in a list"
    ),
    pytest.param(step("v = out.mean().item()", "total = total + v"), True, id="under a name, in a sum"),
    pytest.param(step("v = out.mean().item()", "total += v", "print(v)"), False, id="a name that is shown"),
    pytest.param(step("v = out.mean().item()", "total += v", "if v > 3: pass"), False, id="a name that is tested"),
    pytest.param(step("v = out.mean().item()", "v = 3", "total += v"), False, id="a name for something else"),
    pytest.param(METER + step("meter.add(out.mean().item())", before="meter = Meter()"), True, id="by a meter"),
    pytest.param(METER + step("meter.add(value=out.mean().item())", before="meter = Meter()"), True, id="by keyword"),
    pytest.param(METER + step("meter.add(3, out.mean().item())", before="meter = Meter()"), False, id="not added"),
    pytest.param(METER + step("with meter: pass", before="meter = Meter()"), False, id="nothing given"),
]


@pytest.mark.parametrize(("lines", "found"), COUNTED)
def test_numbers_that_each_step_waits_for(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL905"] * found


def evaluation(call: str = "out = model(x.to(device))", mode: str = "model.eval()", after: str = "    pass") -> str:
    return f"def run(model):\n    {mode}\n    for x, y in loader:\n        {call}\n    {after}\nrun(model)"


GLOBAL = "def run():\n    model.eval()\n    for x, y in loader:\n        out = model(x.to(device))"
EVALUATED = [
    pytest.param(evaluation(), True, id="plain"),
    pytest.param(evaluation(mode="model.train(False)"), True, id="by train"),
    pytest.param(evaluation(mode="model.train()"), False, id="training mode"),
    pytest.param(evaluation(mode="model.train(flag)"), False, id="a mode that is not known"),
    pytest.param(evaluation(mode="model.eval() if flag else model.train()"), False, id="either mode"),
    pytest.param(evaluation(mode="model.eval().requires_grad_(False)"), False, id="frozen"),
    pytest.param(evaluation(after="return out"), False, id="handed out"),
    pytest.param(evaluation(after="return [out, 3]"), False, id="handed out in a list"),
    pytest.param(evaluation(after="return [p for p in given if p] + [out]"), False, id="handed out among others"),
    pytest.param(evaluation(after="return out.detach()"), True, id="handed out without a graph"),
    pytest.param(evaluation(after="return (3, [given])"), True, id="handed out something else"),
    pytest.param(evaluation(call="yield model(x.to(device))"), False, id="yielded"),
    pytest.param("@decorate\n" + evaluation(), False, id="decorated unseen"),
    pytest.param(evaluation().removesuffix("run(model)"), False, id="called by nobody"),
    pytest.param(evaluation().replace("\nrun(model)", "\nwith context():\n    run(model)"), False, id="in a context"),
    pytest.param(GLOBAL + "\nrun()", True, id="called by the script"),
    pytest.param(GLOBAL, False, id="called from elsewhere"),
    pytest.param("@decorate\n" + GLOBAL + "\nrun()", False, id="behind a decorator"),
    pytest.param(evaluation(call="x.requires_grad_(); out = model(x.to(device))"), False, id="gradients of the input"),
    pytest.param(evaluation(call="x.requires_grad_(False); out = model(x.to(device))"), True, id="none of the input"),
    pytest.param(evaluation(call="out = given(x)", mode="given.eval()"), False, id="a module that nobody trains"),
    pytest.param(
        "net = Net().to(device)\nopt = torch.optim.SGD(net.parameters())\nnet.eval()\n"
        "for x, y in loader:\n    out = net(x.to(device))",
        True,
        id="an imported class",
    ),
    pytest.param(
        "class Fixed(nn.Module):\n    @torch.no_grad()\n    def forward(self, x):\n        return x + 1\n"
        "fixed = Fixed().to(device)\nfixed.eval()\nfor x, y in loader:\n    out = fixed(x.to(device))",
        False,
        id="a module without a graph",
    ),
    pytest.param(
        "class Opaque(nn.Module):\n    def forward(self, x):\n        return helper(x)\n"
        "opaque = Opaque().to(device)\nopaque.eval()\nfor x, y in loader:\n    out = opaque(x.to(device))",
        False,
        id="a module that may have no parameters",
    ),
]


@pytest.mark.parametrize(("lines", "found"), EVALUATED)
def test_evaluations_that_build_graphs(lines: str, found: bool) -> None:
    assert [code for code in codes(lines) if code == "TDL908"] == ["TDL908"] * found


GATHERED = [
    pytest.param("seen.append(out)", "torch.cat(seen).cpu()", True, id="whole"),
    pytest.param("seen.append(out.sigmoid())", "torch.cat(seen).cpu()", True, id="of the same size"),
    pytest.param("seen.append(out.argmax(1))", "torch.cat(seen).cpu()", False, id="smaller"),
    pytest.param("seen.append(out.argmax(1))", "[s.cpu() for s in seen]", True, id="one by one"),
    pytest.param("seen.append(out.argmax(1))", "[s.tolist() for s in seen]", True, id="as lists"),
    pytest.param("seen.append(out)", "torch.cat(seen) + 1", False, id="never read"),
    pytest.param("seen.append(out.mean())", "torch.stack(seen).cpu()", False, id="numbers"),
    pytest.param("if flag:\n            seen.append(out)", "torch.cat(seen).cpu()", False, id="some"),
    pytest.param("seen.append(given)", "torch.cat(seen).cpu()", False, id="anything"),
    pytest.param("seen.append(given.to(device))", "torch.cat(seen).cpu()", False, id="something on the device"),
    pytest.param("seen.append(3)", "torch.cat(seen).cpu()", False, id="no tensors"),
    pytest.param("seen = []; seen.append(out)", "torch.cat(seen).cpu()", False, id="anew at each step"),
]


@pytest.mark.parametrize(("add", "after", "found"), GATHERED)
def test_outputs_that_are_gathered(add: str, after: str, found: bool) -> None:
    lines = step(*add.split("\n        "), before="seen = []") + f"\nfound = {after}"
    assert codes(lines) == ["TDL904"] * found


def test_outputs_of_a_module_that_is_not_seen() -> None:
    lines = "net = Net().to(device)\nnet.eval()\nseen = []\nwith torch.no_grad():\n    for x, y in loader:\n"
    lines += "        seen.append(net(x.to(device)))\n"
    assert codes(lines + "found = [s.detach().cpu() for s in seen]") == ["TDL904"]


MOVED = [
    pytest.param("torch.zeros(3).to(device)", True, id="to"),
    pytest.param("torch.zeros(3).view(1, 3).to(device)", True, id="through a method"),
    pytest.param("torch.zeros(3).to(given)", False, id="to what may be a type"),
    pytest.param("torch.zeros(3, device='cpu').to(device)", False, id="where it was said"),
    pytest.param("(torch.zeros(3) + 1).to(device)", False, id="computed with"),
    pytest.param("helper().to(device)", False, id="made unseen"),
    pytest.param("torch.zeros(3).to('cpu')", False, id="to the host"),
    pytest.param("torch.Tensor(3).to(device)", False, id="by a type"),
]


@pytest.mark.parametrize(("made", "found"), MOVED)
def test_tensors_that_are_moved_when_made(made: str, found: bool) -> None:
    assert codes(f"x = {made}") == ["TDL903"] * found


def loaded(options: str, moved: str = "x.to(device)", data: str = "data") -> str:
    return f"loader = DataLoader({data}, {options})\nfor x, y in loader:\n    out = {moved}"


LOADERS = [
    pytest.param(loaded("num_workers=2"), ["TDL907"], id="not pinned"),
    pytest.param(loaded("num_workers=2, **given"), [], id="options"),
    pytest.param(loaded("6, True, None, None, 2"), [], id="by position"),
    pytest.param(loaded("num_workers=2, pin_memory=given"), [], id="pinned by choice"),
    pytest.param(loaded("num_workers=2", "x * 2"), [], id="never moved"),
    pytest.param(loaded("num_workers=2", "x.to('cpu')"), [], id="moved to the host"),
    pytest.param(loaded("pin_memory=True"), ["TDL902"], id="waited for"),
    pytest.param(loaded("pin_memory=True", "x.to(device, non_blocking=True)"), [], id="not waited for"),
    pytest.param(loaded("pin_memory=True", "x.to(device, non_blocking=given)"), [], id="perhaps waited for"),
    pytest.param(loaded("pin_memory=True", "x.to(device, torch.float16, True)"), [], id="arguments by position"),
    pytest.param(loaded("pin_memory=True", "x.to(*given)"), [], id="arguments unseen"),
    pytest.param(loaded("pin_memory=True", "x.to('cpu')"), [], id="waited for on the host"),
    pytest.param(loaded("pin_memory=True", data="batches"), ["TDL902"], id="a data set that is not seen"),
    pytest.param(loaded("pin_memory=True, collate_fn=helper", data="batches"), [], id="which may be anywhere"),
    pytest.param(
        "placed = TensorDataset(torch.ones(6, 2, device=device), torch.ones(6))\n"
        + loaded("pin_memory=torch.cuda.is_available()", data="placed"),
        [],
        id="on the device already",
    ),
]


@pytest.mark.parametrize(("lines", "found"), LOADERS)
def test_loaders(lines: str, found: list[str]) -> None:
    assert codes(lines) == found


TIMED = [
    pytest.param("out = model(given)", True, id="a module"),
    pytest.param("out = torch.mm(model.weight, model.weight.T)", True, id="a product"),
    pytest.param("out = model.weight + 1", False, id="a sum"),
    pytest.param("pass", False, id="nothing"),
    pytest.param("out = model(given); helper()", False, id="an unseen call"),
    pytest.param("out = given @ given", False, id="anywhere"),
    pytest.param("for x, y in loader:\n    out = model(x)", False, id="batches"),
    pytest.param("y = torch.ones(2, 2, device=given); out = y @ y", False, id="where is not known"),
    pytest.param("for _ in range(9):\n    out = model(given)", True, id="again and again"),
]


@pytest.mark.parametrize(("work", "found"), TIMED)
def test_times(work: str, found: bool) -> None:
    assert codes(f"start = time.time()\n{work}\nseconds = time.time() - start") == ["TDL906"] * found


@pytest.mark.parametrize("difference", ["time.time() - given", "given - start", "start - 3", "other - time.time()"])
def test_differences_that_are_no_times(difference: str) -> None:
    lines = f"start = time.time()\nout = model(given)\nother = torch.Generator()\nx = {difference}"
    assert codes(lines) == []


def test_a_module_that_is_not_seen_is_timed() -> None:
    lines = "net = Net()\nnet.to(device).eval()\nstart = time.time()\nnet(given)\nprint(time.time() - start)"
    assert codes(lines) == ["TDL906"]
    assert codes(lines.replace(".to(device)", "")) == []


INDEXED = [
    pytest.param("for _ in range(3):\n    out = there[torch.arange(3)]", True, id="in a loop"),
    pytest.param("out = there[torch.arange(3)]", False, id="once"),
    pytest.param("for _ in range(3):\n    out = there[given]", False, id="by anything"),
    pytest.param("for _ in range(3):\n    out = given[torch.arange(3)]", False, id="out of anything"),
    pytest.param("for _ in range(3):\n    out = torch.ones(3)[torch.arange(3)]", False, id="on the host"),
    pytest.param("for _ in range(3):\n    out = there[torch.arange(3, device=device)]", False, id="there"),
    pytest.param("for _ in range(3):\n    out = there[given.to('cpu')]", False, id="by what may be no tensor"),
    pytest.param("for _ in range(3):\n    out = there[torch.arange(3, device=given)]", False, id="somewhere"),
    pytest.param("for _ in range(3):\n    out = given.to(device)[torch.arange(3)]", False, id="out of no tensor"),
    pytest.param(
        "class Own(nn.Module):\n    def __init__(self, w):\n        super().__init__()\n"
        "        self.w = w.cuda()[torch.arange(3)]\nOwn(torch.ones(3))",
        False,
        id="when it is built",
    ),
]


@pytest.mark.parametrize(("lines", "found"), INDEXED)
def test_indices_on_the_host(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL911"] * found


PRECISION = [
    pytest.param("torch.cuda.amp.autocast()", True, id="an old name"),
    pytest.param("torch.autocast('cuda')", True, id="for CUDA"),
    pytest.param("torch.autocast('cuda', enabled=flag)", False, id="decided"),
    pytest.param("torch.autocast('cuda', torch.float16, flag)", False, id="decided by position"),
    pytest.param("torch.autocast(*given)", False, id="unseen"),
    pytest.param("torch.autocast('cpu')", False, id="for the host"),
    pytest.param("torch.amp.GradScaler()", True, id="a scaler"),
    pytest.param("torch.amp.GradScaler('cpu')", False, id="a scaler for the host"),
    pytest.param("[torch.amp.GradScaler('cpu'), torch.cuda.amp.GradScaler()]", True, id="both names"),
    pytest.param(
        "torch.amp.GradScaler('cpu') if hasattr(torch.amp, 'GradScaler') else torch.cuda.amp.GradScaler()",
        False,
        id="one of both names",
    ),
]


@pytest.mark.parametrize(("made", "found"), PRECISION)
def test_mixed_precision(made: str, found: bool) -> None:
    assert codes(f"made = {made}") == ["TDL912"] * found


def test_a_file_that_needs_cuda_may_have_mixed_precision_for_it() -> None:
    found = analyse("import torch\nscaler = torch.amp.GradScaler()\n", options=Options(wants=lambda _: True))
    assert found == ()


SWITCHED = (
    "import argparse\nargs = argparse.ArgumentParser().parse_args()\nnet, x = nn.Linear(2, 2), torch.ones(3, 2)\n"
)
AVAILABLE = "if torch.cuda.is_available():\n    "
MIXED = [
    pytest.param("if args.cuda:\n    net.cuda()\n" + AVAILABLE + "x = x.cuda()\nnet(x)", True, id="a module"),
    pytest.param("if args.cuda:\n    net.cuda()\n" + AVAILABLE + "net(x.cuda())", True, id="only where there is one"),
    pytest.param("if args.cuda:\n    x = x.cuda()\n" + AVAILABLE + "net.cuda()\nnet(x)", True, id="its input"),
    pytest.param(
        "if args.cpu:\n    y = x\nelse:\n    y = x.cuda()\n" + AVAILABLE + "x = x.cuda()\nx + y", True, id="sum"
    ),
    pytest.param(
        "if args.cuda:\n    x = x.cuda()\n" + AVAILABLE + "net.cuda()\nif args.one:\n    net(x)", False, id="told"
    ),
    pytest.param("if args.cuda:\n    x = x.cuda()\ngiven(x)", False, id="a module that is not known"),
    pytest.param("torch.add(x.cuda(), given.to(device))", False, id="what may be no tensor"),
    pytest.param(
        "use = not args.off and torch.cuda.is_available()\nif not args.off:\n    if use:\n        x = x.cuda()\n"
        + AVAILABLE
        + "net.cuda()\nnet(x)",
        True,
        id="one of several",
    ),
    pytest.param(
        "s = torch.tensor(1.0)\nif args.cuda:\n    s = s.cuda()\n" + AVAILABLE + "x = x.cuda()\nx * s",
        False,
        id="0-dim",
    ),
    pytest.param(
        "if args.cuda:\n    x = x.cuda()\n" + AVAILABLE + "net.cuda()\nx.copy_(net.weight)", False, id="copied"
    ),
]


@pytest.mark.parametrize(("lines", "found"), MIXED)
def test_sides_under_different_conditions(lines: str, found: bool) -> None:
    assert codes(SWITCHED + lines) == ["TDL909"] * found


def test_advice_is_silent_in_tests_and_unless_it_is_wanted() -> None:
    assert codes("x = torch.zeros(3).to(device)", "tests/test_train.py") == []
    assert analyse(HEAD + "x = torch.zeros(3).to(device)\n") == ()
