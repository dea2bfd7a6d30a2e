"""The table, the JSON and the evidence say what was seen, in a stable order."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from torchdevlint.harness import tables
from torchdevlint.harness.verdicts import Seen, Verdict
from torchdevlint.harness.verification import Row

ROWS = [
    Row("TDL304", "tdl304_x/bad.py", "cpu", "grows graph", Seen(Verdict.CONFIRMED, "from 1 to 9"), "2.13.0", "CPU"),
    Row("TDL101", "tdl101_x/good_p/train.py", "sim", "ok", Seen(Verdict.REFUTED, "E: no"), "2.13.0", "1 simulated"),
    Row("TDL101", "tdl101_x/good.py", "none", "", Seen(Verdict.SKIPPED, "needs é")),
]

TABLE = """\
rule    fixture          backend  predicted    seen
TDL304  bad.py           cpu      grows graph  confirmed: from 1 to 9
TDL101  good_p/train.py  sim      ok           refuted: E: no
TDL101  good.py          none                  skipped: needs é

rule    backend  confirmed  refuted  unproven  skipped  undeclared
TDL101  none     0          0        0         1        0
TDL101  sim      0          1        0         0        0
TDL304  cpu      1          0        0         0        0

1 confirmed, 1 refuted, 0 unproven, 1 skipped, 0 undeclared
"""


def test_table() -> None:
    assert tables.as_text(ROWS) == TABLE


def test_json() -> None:
    assert json.loads(tables.as_json(ROWS))[2] == {
        "rule": "TDL101",
        "fixture": "tdl101_x/good.py",
        "backend": "none",
        "predicted": "",
        "seen": "skipped",
        "note": "needs é",
        "torch": "",
        "device": "",
    }


def test_evidence_is_what_was_tried_and_its_order_is_stable() -> None:
    text = tables.as_evidence(ROWS, "", ["cpu", "sim"])
    assert [one["fixture"] for one in json.loads(text)] == ["tdl101_x/good_p/train.py", "tdl304_x/bad.py"]
    assert tables.as_evidence(ROWS[::-1], text, ["cpu", "sim"]) == text


def test_evidence_of_other_backends_is_kept() -> None:
    gpu = Row("TDL101", "tdl101_x/bad.py", "cuda", "ok", Seen(Verdict.CONFIRMED, ""), "2.13.0", "H200")
    earlier = tables.as_evidence([gpu, ROWS[1]], "", ["cuda", "sim"])
    found = json.loads(tables.as_evidence(ROWS[:1], earlier, ["cpu", "sim"]))
    assert [one["backend"] for one in found] == ["cuda", "cpu"]


def test_evidence_of_packages_that_are_missing_here_is_kept() -> None:
    seen = Row(
        "TDL102", "tdl102_x/good.py", "sim", "ok needs=ignite", Seen(Verdict.CONFIRMED, ""), "2.13.0", "1 simulated"
    )
    gone = replace(seen, fixture="tdl102_x/good_gone.py")
    untried = replace(seen, seen=Seen(Verdict.UNPROVEN, "needs ignite"), torch="", device="")
    earlier = tables.as_evidence([seen, gone], "", ["sim"])
    assert tables.as_evidence([untried], earlier, ["sim"]) == tables.as_evidence([seen], "", ["sim"])


@pytest.mark.parametrize("earlier", ["{", "{}", "[1]", '[{"rule": 1}]'])
def test_what_is_no_evidence_is_not_overwritten(earlier: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|no list"):
        tables.as_evidence(ROWS, earlier, ["cpu"])
