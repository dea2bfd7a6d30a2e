"""Every fixture gets exactly the findings that stand in it: its line, its code, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from expectations import mismatches, parse
from one_fault import doubled

from torchdevlint.engine import analyse
from torchdevlint.options import Options, on_by_default

FIXTURES = Path(__file__).parents[1] / "fixtures"
PATHS = sorted(FIXTURES.rglob("*.py"))
CASES = sorted({FIXTURES.joinpath(*path.relative_to(FIXTURES).parts[:2]) for path in PATHS})


def name(path: Path) -> str:
    return path.relative_to(FIXTURES).as_posix()


def kind(case: Path) -> str:
    """Return the kind of a case: `bad`, `good` or `fixed`, or `project`, in which there are files of all kinds."""
    return case.name.removesuffix(".py").split("_")[0]


def sources(case: Path) -> list[Path]:
    return [case] if case.is_file() else sorted(case.rglob("*.py"))


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_findings_are_those_that_stand_in_the_fixture(path: Path) -> None:
    text = path.read_text("utf-8")
    own = path.relative_to(FIXTURES).parts[0][:6].upper()  # advice is off, but for that of the fixture
    found = analyse(text, options=Options(name(path), lambda code: on_by_default(code) or code == own))
    assert mismatches(parse(text), found) == []


@pytest.mark.parametrize("case", CASES, ids=name)
def test_what_is_expected_is_what_the_name_of_the_case_says(case: Path) -> None:
    codes = {expectation.code for path in sources(case) for expectation in parse(path.read_text("utf-8"))}
    if kind(case) in ("bad", "project"):
        assert case.parent.name[:6].upper() in codes
    else:
        assert kind(case) in ("good", "fixed")
        assert codes == set()


def test_one_fault_is_one_finding_in_every_bad_fixture() -> None:
    told = {name(path): list(doubled(path.read_text("utf-8"))) for path in PATHS if kind(path) == "bad"}
    assert {path: pairs for path, pairs in told.items() if pairs} == {}


def test_advice_is_no_other_way_to_tell_of_a_fault() -> None:
    text = (FIXTURES / "tdl102_input_not_moved" / "bad_needs_lightning_fabric.py").read_text("utf-8")
    everything = Options(wants=lambda _: True)
    assert [pair.codes for pair in doubled(text, everything)] == [("TDL102", "TDL905")]
    assert list(doubled(text)) == []
