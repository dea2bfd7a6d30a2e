"""The proof: every fixture does what it declares, on the CPU and on the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdevlint.harness.declarations import Backend, Declaration
from torchdevlint.harness.fixtures import Case, find, reports
from torchdevlint.harness.verdicts import Verdict, is_about_a_finding
from torchdevlint.harness.verification import verify

FIXTURES = Path(__file__).parents[2] / "fixtures"
# the accelerator of another maker, libraries and networks: what is not there is not proven, and is told so
FEWEST_CONFIRMED = 540
# scripts of projects with a mistake that do not come to it
HARMLESS = {
    "tdl302_optimizer_order/project/finetune.py",
    "tdl304_graph_accumulation/project/train.py",
    "tdl401_load_without_map_location/project/evaluate.py",
}
CASES = list(find([FIXTURES]))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_script_declares_a_failure_where_its_rule_reports_one(case: Case) -> None:
    declared = [one for one in case.declarations if isinstance(one, Declaration)]
    assert case.declarations
    fails = any(is_about_a_finding(one.prediction) for one in declared)
    assert not declared or fails == (bool(reports(case)) and case.name not in HARMLESS)


@pytest.mark.needs_torch
def test_every_fixture_does_what_it_declares() -> None:
    rows = verify([FIXTURES], [Backend.CPU, Backend.SIM])
    ran = [row for row in rows if row.torch]
    wrong = [row for row in ran if row.seen.verdict not in (Verdict.CONFIRMED, Verdict.SKIPPED)]
    assert [f"{row.fixture} {row.backend} {row.predicted}: {row.seen.note}" for row in wrong] == []
    assert sum(row.seen.verdict is Verdict.CONFIRMED for row in rows) >= FEWEST_CONFIRMED
