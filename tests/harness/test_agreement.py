"""The linter agrees with PyTorch about operators, modules and optimizers: a part of them, the same each time."""

from __future__ import annotations

from typing import Any

import pytest
from agreement_missed import MISSED
from simulated import run

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

import agreement  # noqa: E402 -- they import PyTorch
import script_text  # noqa: E402
from agreement import Agreement, Compared, Script, Verdict  # noqa: E402

pytestmark = pytest.mark.needs_torch

PART = 120


def compare(**arguments: Any) -> Agreement:
    """Compare in a child, in which the comparison installs the simulator itself."""
    outcome: Agreement = run(agreement.compare, machine=None, seconds=300, **arguments)
    return outcome


def texts(compared: list[Compared]) -> list[str]:
    return [f"{each.script.text}{each.error}{each.findings}" for each in compared]


def test_a_part_of_the_operators_agrees() -> None:
    outcome = compare(sample=PART, seed=1)
    totals = outcome.totals()
    assert texts(outcome.of(Verdict.FALSE_ALARM)) == []
    assert texts(outcome.of(Verdict.OTHER)) == []
    assert outcome.unlisted() == {}
    assert totals[Verdict.FOUND] > 1000
    assert totals[Verdict.CLEAN] > 1000


def test_one_operator_in_all_its_forms() -> None:
    outcome = compare(names=["sub"])
    forms = {each.script.form.partition(" ")[0] for each in outcome.compared}
    assert forms == {"function", "keywords", "out", "method", "in", "operator"}
    assert outcome.agrees()


def test_reasons_are_given() -> None:
    assert all(most > 0 and reason for most, reason in MISSED.values())


def test_disagreement_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    false = Compared(Script("sin", "function", "all on the device", "…\n"), Verdict.FALSE_ALARM, "", ("TDL101 …",))
    missed = Compared(Script("cos", "function", "a on the host", "…\n"), Verdict.MISSED, "RuntimeError: …", ())
    outcome = Agreement([false, missed])
    assert not Agreement([false]).agrees()
    assert not Agreement([missed]).agrees()
    assert outcome.unlisted() == {"cos": 1}
    agreement.show(outcome)
    agreement.show_scripts(outcome.compared)
    shown = capsys.readouterr().out
    assert "false alarms: 1 in 1" in shown
    assert "missed: 1 in 1" in shown
    assert "# cos, function, a on the host: device error, no finding" in shown
    assert agreement.as_json(outcome)["totals"] == {"false_alarm": 1, "missed": 1}


def test_tensors_are_written_as_calls() -> None:
    given = torch.tensor([[0.5, float("inf")]], dtype=torch.float64)
    operands: list[script_text.Operand] = []
    assert (
        script_text.spell((given, [1, None], slice(1, 2)), operands, literal=True)
        == "(a, [1, None], slice(1, 2, None))"
    )
    line = operands[0].line(on_device=True)
    assert line == 'a = torch.tensor([[0.5, float("inf")]], dtype=torch.float64, device="cuda")'
    assert operands[0].line(on_device=False, scalar=True) == "a = torch.tensor(0.5, dtype=torch.float64)"
    with pytest.raises(script_text.Unspeakable):
        script_text.spell(object(), operands, literal=False)
