"""What the interpreter follows, seen through findings: totals, guards and calls that leave no value to reveal."""

from __future__ import annotations

import textwrap

import libcst as cst
import pytest

from torchdevlint.engine import analyse, find
from torchdevlint.interpreter.driver import interpret
from torchdevlint.knowledge import DEFAULT
from torchdevlint.options import Options

TRAINING = """\
import torch
from torch import nn
from elsewhere import loader, plot, running

model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
total = 0
for x, y in loader:
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def found(source: str) -> list[tuple[str, int]]:
    return [(diagnostic.code, diagnostic.line) for diagnostic in analyse(source)]


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        pytest.param("    losses.append(loss)\n", ["TDL304"], id="a list that outlives the loop"),
        pytest.param("    losses += [loss]\n", ["TDL304"], id="a list that is added to"),
        pytest.param("    losses.append(loss)\nplot(losses)\n", [], id="a list that unseen code is given"),
        pytest.param("    losses.append(loss.item())\n", [], id="numbers"),
        pytest.param("    made = []\n    made.append(loss)\n", [], id="a list of the same pass"),
        pytest.param("    made = list()\n    made.append(loss)\n", [], id="a list of the same pass, by its name"),
        pytest.param("    total = total + loss\n", ["TDL304"], id="a sum"),
        pytest.param("    total = loss + total\n", ["TDL304"], id="a sum the other way round"),
        pytest.param("    total += loss\n", ["TDL304"], id="a sum in place"),
        pytest.param("    running: object = 0\n    running += loss\n", [], id="a sum of the same pass"),
    ],
)
def test_what_gathers_in_a_loop(lines: str, codes: list[str]) -> None:
    assert [code for code, _ in found(TRAINING + lines)] == codes


def test_a_sum_names_what_was_added() -> None:
    module = cst.parse_module(TRAINING + "    total = loss + total\n")
    (settled,) = find(interpret(module, module.code, DEFAULT), Options())
    assert settled.finding.parts["text"] == "loss"


@pytest.mark.parametrize(
    "outside",
    ["break", "continue", "return torch.ones(3).cuda()", "yield torch.ones(3).cuda()", "await torch.ones(3)"],
)
def test_statements_outside_of_what_they_belong_to(outside: str) -> None:
    # Python refuses these, libcst does not
    source = f"import torch\n{outside}\nx = torch.ones(3, device='cuda') + torch.ones(3)\n"
    module = cst.parse_module(source)
    interpret(module, source, DEFAULT)


def test_a_step_is_no_guard_and_a_flag_is_one() -> None:
    source = textwrap.dedent(
        """\
        import torch

        print(torch.cuda.is_available())
        def run(step, flag):
            if step % 2 == 0:
                one = torch.ones(3).cuda()
            if step > 5:
                two = torch.ones(3).cuda()
            if flag:
                three = torch.ones(3).cuda()
        """
    )
    (finding,) = analyse(source)
    assert finding.line == 6
    assert finding.message.endswith("and 1 more")  # the one under `step > 5`, not the one under the flag


def test_an_import_of_a_compiled_extension_is_a_guard() -> None:
    source = "import torch\nfrom kernels import sum_cuda\nx = torch.ones(3).cuda()\n"
    assert found(source) == []


NEVER_MOVED = """\
import torch
from torch import nn
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.scale = torch.linspace(0, 1, 4)
    def forward(self, x):
        return self.layer(x) * self.scale
def main():
    model = nn.Sequential(*[Scaled() for _ in range(2)])
    x = torch.randn(3, 4)
    if torch.cuda.is_available():
        x.cuda()
    model(x)
main()
"""


def test_a_move_that_is_thrown_away_brings_nothing_to_an_accelerator() -> None:
    assert [one.code for one in analyse(NEVER_MOVED)] == ["TDL201"]
    kept = NEVER_MOVED.replace("x.cuda()", "model, x = model.cuda(), x.cuda()")
    assert [one.code for one in analyse(kept)] == ["TDL105"]


USED_UP = """\
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def moved(tensors):
    for tensor in tensors:
        yield tensor.to(device)
net = nn.Linear(2, 2)
batches = moved([torch.ones(2), torch.ones(2)])
for batch in batches:
    print(batch)
for batch in batches:
    net(batch)
"""


def test_a_generator_is_used_up_by_a_loop() -> None:
    assert analyse(USED_UP) == ()
    first = USED_UP.replace("print(batch)", "net(batch)")
    assert [(one.code, one.line) for one in analyse(first)] == [("TDL102", 10)]
    again = USED_UP.replace("    print(batch)", "    break")
    assert analyse(again) == ()


SPENT = """\
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def moved(tensors):
    for tensor in tensors:
        yield tensor.to(device)
net = nn.Linear(2, 2)
batches = moved([torch.ones(2), torch.ones(2)])
for batch in batches:
    print(batch)
x = torch.ones(2, device=device)
for batch in batches:
    net(x)
net.to(device)
"""


def test_a_loop_over_what_is_used_up_does_not_run() -> None:
    assert analyse(SPENT) == ()
    for way_out in ("    if batch.sum() > 9:\n        break\n", "    if batch.sum() > 9:\n        raise ValueError\n"):
        left = SPENT.replace("    print(batch)\n", way_out)
        assert [one.code for one in analyse(left)] == ["TDL102"]
    endless = SPENT.replace("batches = moved([torch.ones(2), torch.ones(2)])", "batches = range(3)")
    assert [one.code for one in analyse(endless)] == ["TDL102"]
    handed_on = SPENT.replace("for batch in batches:\n    print(batch)\n", HANDED_ON)
    assert [one.code for one in analyse(handed_on)] == ["TDL102"]
    perhaps = SPENT.replace(
        "for batch in batches:\n    print", "if len(device.type) > 4:\n  for batch in batches:\n    print"
    )
    assert [one.code for one in analyse(perhaps)] == ["TDL102"]


HANDED_ON = """\
def again(items):
    for item in items:
        yield item
for batch in again(batches):
    break
"""


PUT_AT = """\
import torch
x = torch.zeros(5, 5, device="cuda")
i = torch.tensor([2])
x.index_put_((i,), torch.ones(1, 5, device="cuda"))
x.index_put_((i.cuda(), None), torch.tensor(1.0), accumulate=True)
y = torch.index_put(x, indices=(i,), values=torch.ones(1, 5, device="cuda"))
print((x + y).sum())
def unseen(a, b):
    a.index_put_((b,), torch.ones(2))
    x.index_put_(b, a)
"""


def test_values_are_put_where_indices_say() -> None:
    assert device_findings(PUT_AT) == []
    values = PUT_AT.replace('torch.ones(1, 5, device="cuda"))\nx', "torch.ones(1, 5))\nx")
    assert device_findings(values) == [("TDL101", 4)]
    host = PUT_AT.replace('(5, 5, device="cuda")', "(5, 5)")
    assert device_findings(host) == [("TDL101", 4)]  # with the two others, of one cause
    number = 'import torch\nx = torch.zeros(5)\nx[torch.tensor([1])] = torch.tensor(2.0, device="cuda")\n'
    assert device_findings(number) == []
    assert device_findings(number.replace("2.0,", "[2.0],")) == [("TDL101", 3)]
    result = PUT_AT.replace("x + y", "y + torch.ones(5, 5)")
    assert device_findings(result) == [("TDL101", 7)]


def device_findings(source: str) -> list[tuple[str, int]]:
    return [(one.code, one.line) for one in analyse(source) if one.code[3] == "1"]


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        pytest.param("from common import *", [2], id="brought by the star"),
        pytest.param("import mine as torch\nfrom common import *", [], id="bound before to something else"),
        pytest.param("from common import layers", [], id="not bound at all"),
    ],
)
def test_a_star_may_bring_torch(head: str, lines: list[int]) -> None:
    assert [line for _, line in found(f"{head}\ntorch.cuda.set_device(0)\n")] == lines
