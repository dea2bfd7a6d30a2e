"""Rules where a fixture would say little: the pieces they share, and when they stay silent."""

from __future__ import annotations

import textwrap

import libcst as cst
import pytest

from torchdevlint.engine import analyse
from torchdevlint.facts import FileFacts
from torchdevlint.rule import BadRuleError, Finding, Rule, rule
from torchdevlint.settle import Settled, settle

HEAD = """
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.ones(8, 3), torch.ones(8, 1))
"""


def codes(source: str) -> list[str]:
    """Return the codes found in a script, but for those about portability."""
    found = analyse(HEAD + textwrap.dedent(source))
    return [d.code for d in found if d.code not in ("TDL501", "TDL502")]


# the declaration


def test_a_rule_is_named_by_its_module() -> None:
    def check(event: object, facts: FileFacts) -> object:
        raise AssertionError

    made = rule("torchdevlint.rules.tdl199_some_thing", on=int, message="m", fix="F", once=True)(check)  # type: ignore[arg-type]
    assert (made.code, made.name, made.on, made.once) == ("TDL199", "some-thing", (int,), True)


@pytest.mark.parametrize("stem", ["tdl1_short", "tdl101", "order", "tdl101_Upper"])
def test_a_bad_stem_is_refused(stem: str) -> None:
    with pytest.raises(BadRuleError, match=f"^rules.{stem} is no stem of a rule"):
        rule(f"rules.{stem}", on=int, message="m", fix="F")


# settling


def made(code: str, *supersedes: str, once: bool = False) -> Rule:
    return Rule(code, code.lower(), (), "m", "F", supersedes, once, True, lambda event, facts: iter(()))


GENERAL, SPECIAL = made("TDL197"), made("TDL198", "TDL197")
ONCE = made("TDL199", once=True)
FIRST, SECOND = cst.Name("first"), cst.Name("second")


def test_of_one_cause_the_most_specific_rule_speaks() -> None:
    general, special = Finding(FIRST, {}, "cause"), Finding(SECOND, {}, "cause")
    assert settle([(GENERAL, general), (SPECIAL, special)]) == [Settled(SPECIAL, special)]
    assert settle([(SPECIAL, special), (GENERAL, general)]) == [Settled(SPECIAL, special)]


def test_repeats_of_one_cause_are_counted() -> None:
    here, there = Finding(FIRST, {}, "cause"), Finding(SECOND, {}, "cause")
    assert settle([(GENERAL, here), (GENERAL, there), (GENERAL, here)]) == [Settled(GENERAL, here, (there,))]


def test_on_one_node_the_superseded_rule_is_silent() -> None:
    general, special = Finding(FIRST, {}, "one"), Finding(FIRST, {}, "other")
    assert settle([(GENERAL, general), (SPECIAL, special)]) == [Settled(SPECIAL, special)]


def test_once_a_file_whatever_the_cause() -> None:
    here, there = Finding(FIRST, {}, "one"), Finding(SECOND, {}, "other")
    assert settle([(ONCE, here), (ONCE, there)]) == [Settled(ONCE, here, (there,))]


def test_without_a_cause_the_node_is_one() -> None:
    here, there = Finding(FIRST, {}), Finding(SECOND, {})
    assert settle([(GENERAL, here), (GENERAL, there)]) == [Settled(GENERAL, here), Settled(GENERAL, there)]


def test_of_places_where_it_fails_the_first_is_told() -> None:
    first, second = Finding(FIRST, {}, "cause", here=True), Finding(SECOND, {}, "cause", here=True)
    blamed = Finding(SECOND, {}, "cause")
    assert settle([(GENERAL, first), (SPECIAL, second)]) == [Settled(GENERAL, first, (), (second,))]
    assert settle([(GENERAL, first), (SPECIAL, blamed)]) == [Settled(SPECIAL, blamed)]
    again = Finding(FIRST, {}, "cause", here=True)
    assert settle([(GENERAL, first), (SPECIAL, again)]) == [Settled(SPECIAL, again)]


# meetings


def test_some_operations_refuse_a_host_scalar() -> None:
    source = "y = torch.zeros(3).cuda()\nindex = torch.zeros(1, dtype=torch.long).cuda()\n"
    assert codes(source + "y.scatter_(0, index, torch.tensor(1.0))\n") == ["TDL101"]
    assert codes(source + "y.add_(torch.tensor(1.0))\n") == []


def test_the_culprit_may_be_either_side() -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scales = [nn.Parameter(torch.ones(3, device="cuda:1"))]

        def forward(self, x):
            return self.scales[0] * x

    print(Net()(torch.ones(3, device="cuda:0")))
    """
    assert codes(source) == ["TDL106"]
    assert codes(source.replace("self.scales[0] * x", "x * self.scales[0]")) == ["TDL106"]


def test_a_loader_that_is_not_prepared_yields_on_the_host() -> None:
    source = """
    from accelerate import Accelerator
    from elsewhere import unknown

    accelerator = Accelerator()
    train, test = DataLoader(unknown), DataLoader(unknown)
    net, train = accelerator.prepare(nn.Linear(3, 1), train)
    for x, _ in train:
        net(x)
    """
    assert codes(source) == []
    assert codes(source.replace("in train", "in test")) == ["TDL102"]


def test_a_move_in_another_function_is_no_evidence_of_where_a_batch_arrives() -> None:
    source = """
    from elsewhere import unknown

    def send(x, y):
        return x.cuda(), y

    net = nn.Linear(3, 1).cuda()
    for x, y in DataLoader(unknown):
        x, y = send(x, y)
        nn.functional.mse_loss(net(x), y)
    """
    assert codes(source) == []
    assert codes(source.replace("send(x, y)\n        nn", "x.cuda(), y\n        nn")) == ["TDL103"]


def test_a_model_of_which_the_inputs_are_not_known() -> None:
    source = """
    from torchvision.models.detection import fasterrcnn_resnet50_fpn

    model = fasterrcnn_resnet50_fpn().cuda()
    model(torch.ones(1, 3, 8, 8))
    """
    assert codes(source) == ["TDL102"]
    assert codes(source.replace("8))", "8).cuda())")) == []


def test_an_input_that_may_be_missing() -> None:
    source = """
    from elsewhere import build

    def run(given):
        net = build()
        net.eval()
        net.cuda()
        x = torch.ones(3) if given else None
        n = 1 if given else None
        return net(x, n)
    """
    assert codes(source) == ["TDL102"]
    assert codes(source.replace("torch.ones(3) if", "torch.ones(3).cuda() if")) == []


@pytest.mark.parametrize(
    ("method", "found"),
    [
        ("def size(self):\n        return self.layer(torch.zeros(3)).size(0)", []),
        ("def size(self):\n        return self.layer(torch.zeros(3)).size(0) // 2", []),
        ("def size(self):\n        return len(self.layer(torch.zeros(3)))", ["TDL104"]),
        ("size = lambda self: self.layer(torch.zeros(3)).size(0)", ["TDL104"]),
        ("def size(self):\n        self.layer(torch.zeros(3))\n        return", ["TDL104"]),
    ],
)
def test_a_method_that_gives_sizes_is_asked_before_the_module_moves(method: str, found: list[str]) -> None:
    init = "def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(3, 3)"
    assert codes(f"class Net(nn.Module):\n    {init}\n\n    {method}\n") == found


# host reads


def test_reading_where_the_module_is() -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            return self.layer(x).detach().numpy()
    """
    assert codes(source) == []  # of a program that knows the host only
    assert codes(source.replace("layer(x)", "layer(x.to(self.layer.weight.device))")) == ["TDL113"]


def test_a_place_that_no_module_is_moved_to_may_be_the_host() -> None:
    source = """
    def read(device, unknown):
        for x, _ in DataLoader(unknown):
            print(x.to(device).numpy())
    """
    assert codes(source) == []
    assert codes(source.replace("for x", "nn.Linear(3, 3).to(device)\n        for x")) == ["TDL113"]


# optimizers


def test_a_move_to_the_host_after_the_optimizer_was_built() -> None:
    source = """
    net = nn.Linear(3, 1).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.cpu()
    optimizer.step()
    """
    assert codes(source) == []


# accumulation


def test_what_may_carry_no_graph_may_be_added_up() -> None:
    source = """
    from elsewhere import score

    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    total = 0.0
    for x, y in DataLoader(data):
        net(x).sum().backward()
        optimizer.step()
        total += score(x, y)
    print(total)
    """
    assert codes(source) == []
    assert codes(source.replace("total += score(x, y)", "total += (net(x) - y).abs().sum()")) == ["TDL304"]


# modes


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("torch.no_grad()", []),
        ("torch.inference_mode()", []),
        ("torch.inference_mode(True)", []),
        ("torch.inference_mode(mode=False)", ["TDL304"]),
        ("torch.set_grad_enabled(False)", []),
        ("torch.set_grad_enabled(True)", ["TDL304"]),
    ],
)
def test_without_a_graph_nothing_is_kept(mode: str, found: list[str]) -> None:
    source = f"""
    net = nn.Linear(3, 1)
    total = 0.0
    with {mode}:
        for x, y in DataLoader(data):
            total += nn.functional.mse_loss(net(x), y)
    print(total)
    """
    assert codes(source) == found


# losses


def test_a_loss_that_cannot_be_seen_is_one_if_a_backward_pass_runs_on_it() -> None:
    source = """
    def train(criterion):
        net = nn.Linear(3, 1).cuda()
        for x, y in DataLoader(data):
            loss = criterion(net(x.cuda()), y)
            loss.backward()
    """
    assert codes(source) == ["TDL103"]
    assert codes(source.replace("loss.backward()", "print(loss)")) == []


def test_a_total_that_a_method_computes_by_itself() -> None:
    source = """
    class Probe:
        def __init__(self, net, x):
            self.net = nn.Linear(3, 1)
            self.x = torch.ones(3)
            self.total = 0.0

        def grow(self):
            self.total += self.net(self.x).sum()

    probe = Probe()
    for _ in range(3):
        probe.grow()
    """
    assert codes(source) == ["TDL304"]


def test_a_weight_that_is_one_of_several() -> None:
    source = """
    def train(balanced):
        weight = torch.ones(3) if balanced else None
        criterion = nn.CrossEntropyLoss(weight=weight)
        net = nn.Linear(3, 3).cuda()
        for x, y in DataLoader(data):
            criterion(net(x.cuda()), y.cuda()).backward()
    """
    assert codes(source) == ["TDL107"]


# checkpoints


def test_a_whole_module_written_from_the_host_is_read_back_to_it() -> None:
    source = """
    net = nn.Linear(3, 1)
    torch.save(net, "net.pt")
    torch.save(net)
    torch.save(net.cuda(), ("a", "b"))
    copy = torch.load("net.pt").cuda()
    """
    assert codes(source) == []
