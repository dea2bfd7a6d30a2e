"""The chain of reasons of a finding, step by step: what happened to the value, and where, back to its origin."""

from __future__ import annotations

import textwrap

import libcst as cst
import pytest

from torchdevlint import positions, traces
from torchdevlint.engine import all_rules, find, parse
from torchdevlint.interpreter.driver import interpret
from torchdevlint.knowledge import DEFAULT
from torchdevlint.lattice import HOST, Possibility
from torchdevlint.options import Options
from torchdevlint.rule import Finding
from torchdevlint.settle import Settled
from torchdevlint.why import FIRM, Role, Why

Step = tuple[Role, str, int]


def only_finding(source: str, code: str) -> tuple[cst.Module, Finding]:
    text = textwrap.dedent(source)
    module = parse(text)
    (settled,) = find(interpret(module, text, DEFAULT), Options(wants=lambda wanted: wanted == code))
    return module, settled.finding


def steps(module: cst.Module, why: Why | None) -> list[Step]:
    assert why is not None
    spans = positions.locate(module, {step.node for step in why.chain()})
    return [(step.role, step.text, spans[step.node].line) for step in why.chain()]


def partner(finding: Finding) -> Why | None:
    place = finding.parts["other_place"]
    assert isinstance(place, Possibility)
    return place.why


def test_a_tensor_that_went_there_and_back() -> None:
    module, finding = only_finding(
        """\
        import torch

        x = torch.ones(3)
        y = x.cuda()
        z = y.to("cpu").float()
        print(z + torch.zeros(3, device="cuda"))
        """,
        "TDL101",
    )
    assert steps(module, finding.why) == [
        (Role.MOVED_TO_HOST, "moved by `.to`", 5),
        (Role.MOVED, "moved by `.cuda`", 4),
        (Role.CREATED, "made by `torch.ones`", 3),
    ]
    assert steps(module, partner(finding)) == [(Role.CREATED, "made by `torch.zeros`", 6)]


def test_a_plain_attribute_that_stayed() -> None:
    module, finding = only_finding(
        """\
        import torch
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                mask = torch.ones(3)
                self.mask = mask

            def forward(self, x):
                return x * self.mask


        net = Net().cuda()
        batch = torch.ones(3)
        net(batch.cuda())
        """,
        "TDL105",
    )
    assert steps(module, finding.why) == [
        (Role.UNREGISTERED_TENSOR, "plain attribute `self.mask`", 9),
        (Role.CREATED, "made by `torch.ones`", 8),
    ]
    assert steps(module, partner(finding)) == [
        (Role.MOVED, "moved by `.cuda`", 17),
        (Role.CREATED, "made by `torch.ones`", 16),
    ]


def test_a_label_that_was_never_moved() -> None:
    module, finding = only_finding(
        """\
        import torch
        import torch.nn.functional as F


        def train(model, loader, device):
            model.to(device)
            model.train()
            for x, y in loader:
                x = x.to(device)
                loss = F.cross_entropy(model(x), y)
                loss.backward()
        """,
        "TDL103",
    )
    assert steps(module, finding.why) == [(Role.BATCH, "from `loader`", 8)]
    assert steps(module, partner(finding)) == [(Role.MOVED, "moved by `.to`", 6)]


def test_a_module_that_was_sent_to_the_host() -> None:
    module, finding = only_finding(
        """\
        import torch
        from torch import nn

        net = nn.Linear(3, 3)
        net.cuda()
        net(torch.ones(3).cuda())
        net.cpu()
        net(torch.ones(3).cuda())
        """,
        "TDL203",
    )
    assert steps(module, finding.why) == [
        (Role.MOVED_TO_HOST, "moved by `.cpu`", 7),
        (Role.MOVED, "moved by `.cuda`", 5),
        (Role.CREATED, "made by `nn.Linear`", 4),
    ]


# chains

FIRST = Why(Role.CREATED, cst.Name("a"), "made")
SECOND = Why(Role.MOVED, cst.Name("b"), "moved", FIRST)
THIRD = Why(Role.MOVED_TO_HOST, cst.Name("c"), "moved back", SECOND)


def test_the_last_step_comes_first() -> None:
    assert list(THIRD.chain()) == [THIRD, SECOND, FIRST]
    assert THIRD.root() is FIRST
    assert FIRST.root() is FIRST


def test_the_latest_step_of_a_role() -> None:
    assert THIRD.of(Role.MOVED, Role.CREATED) is SECOND
    assert THIRD.of(Role.MOVED_TO_HOST) is THIRD
    assert THIRD.of(Role.BATCH) is None


@pytest.mark.parametrize("role", Role)
def test_a_placement_is_meant_by_its_last_step(role: Role) -> None:
    assert Why(role, cst.Name("a"), "").firm == (role in FIRM)
    assert not Why(Role.MOVED, cst.Name("b"), "", Why(role, cst.Name("a"), "")).firm
    assert Why(role, cst.Name("a"), "", fallback="x is None#0").firm


def test_steps_are_told_apart_by_identity() -> None:
    assert Why(Role.CREATED, FIRST.node, "made") != FIRST


def test_where_operands_meet_is_the_last_step() -> None:
    module = parse("x = 1\ny = 2\n")
    here, there = module.body
    spans = positions.locate(module, {here, there})
    parts: dict[str, object] = {"odd": "`a`", "other": "`b`"}

    def told(fails: cst.CSTNode) -> list[tuple[str, int, bool]]:
        steps = traces.steps(Settled(all_rules()[0], Finding(here, parts, fails=fails)), spans)
        return [(step.text, step.span.line, step.fails) for step in steps]

    assert told(there) == [("`a` and `b` meet", 2, True)]
    assert told(here) == told(cst.Name("lost")) == []


@pytest.mark.parametrize(
    ("guards", "told"),
    [
        ({"use_cuda#3": True}, " where `use_cuda`"),
        ({"isinstance(…)?133": False}, " where `isinstance(…)` is false"),
        ({"x.shape[0] == 1?156": True}, " where `x.shape[0] == 1`"),
        ({"106 is cpu": False, "?12": True, "cuda": True}, ""),
    ],
)
def test_conditions_are_told_as_they_are_written(guards: dict[str, bool], told: str) -> None:
    module = parse("x = 1\n")
    (node,) = module.body
    place = Possibility(HOST, frozenset(guards.items()), Why(Role.CREATED, node, "made by `f`"))
    parts: dict[str, object] = {"operand": "`x`", "place": place}
    (step,) = traces.steps(Settled(all_rules()[0], Finding(node, parts)), positions.locate(module, {node}))
    assert step.text == f"made by `f`: `x` is on cpu{told}"


def test_a_place_that_is_not_in_the_file_is_no_step() -> None:
    module = parse("x = 1\ny = 2\n")
    here, there = module.body
    spans = positions.locate(module, {here, there})
    one = Settled(all_rules()[0], Finding(here, {}), (Finding(there, {}), Finding(cst.Name("lost"), {})))
    assert [(step.text, step.span.line) for step in traces.steps(one, spans)] == [("the same again", 2)]
