"""The commands `rule` and `rules`: every rule can be read about."""

from __future__ import annotations

import json

import pytest

from torchdevlint.cli.main import main
from torchdevlint.engine import all_rules
from torchdevlint.facts import FileFacts
from torchdevlint.reports.others import OTHERS


@pytest.mark.parametrize("name", ["TDL103", "tdl103", "label-not-moved", "Label-Not-Moved"])
def test_a_rule_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", name]) == 0
    told = capsys.readouterr().out
    assert told.startswith("# label-not-moved (TDL103)\n")
    for part in ("Severity: error, on by default", "## What it does", "## Use instead", "## Fix"):
        assert part in told


def test_all_rules_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--all"]) == 0
    told = capsys.readouterr().out
    assert told.count("## What it does") == len(all_rules())


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "TDL302", "--output-format", "json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert (one["code"], one["name"], one["severity"], one["default"]) == ("TDL302", "optimizer-order", "warning", True)
    assert main(["rule", "--all", "--output-format", "json"]) == 0
    every = json.loads(capsys.readouterr().out)
    assert one in every
    assert main(["rules", "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == every


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told] == [rule.code for rule in all_rules()]


@pytest.mark.parametrize(
    ("name", "told"),
    [("TDL130", "there is no rule TDL130; did you mean TDL"), ("label-not-move", "did you mean label-not-moved?")],
)
def test_a_rule_that_there_is_not(name: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", name]) == 2
    assert told in capsys.readouterr().err


def test_nothing_close(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "xyz"]) == 2
    assert capsys.readouterr().err == "torchdevlint: there is no rule xyz\n"


@pytest.mark.parametrize(("named", "code"), [("tdl000", "TDL000"), ("unused-noqa", "TDL001")])
def test_what_no_rule_tells_is_explained(capsys: pytest.CaptureFixture[str], named: str, code: str) -> None:
    assert main(["rule", named]) == 0
    assert f"({code})\n" in capsys.readouterr().out
    assert main(["rule", named, "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["code"] == code
    [only] = [one for one in OTHERS.values() if one.code == code]
    assert list(only.check(None, FileFacts())) == []
