"""Findings as JSON: one list, or one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from torchdevlint.checking.outcomes import Outcome
from torchdevlint.edits import Repair
from torchdevlint.positions import Span
from torchdevlint.reports.places import span_of, spot
from torchdevlint.reports.report import Report, fingerprints, name_of, rules, severity_of, url_of


def render(report: Report) -> str:
    """Return a list with an object a finding; lines and columns count from 1, columns in code points."""
    return json.dumps(list(_objects(report)), indent=2, ensure_ascii=False) + "\n"


def render_lines(report: Report) -> str:
    """Return the same objects, a line each."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in _objects(report))


def _objects(report: Report) -> Iterator[dict[str, Any]]:
    known = rules()
    for (outcome, finding), fingerprint in zip(report.findings(), fingerprints(report), strict=True):
        rule = known.get(finding.code)
        yield {
            "code": finding.code,
            "name": name_of(finding),
            "severity": severity_of(finding).value,
            "message": finding.message,
            "filename": outcome.path,
            **_place(outcome, span_of(finding)),
            "trace": [{"message": step.text, **_place(outcome, step.span)} for step in finding.trace],
            "help": rule.fix if rule is not None else None,
            "fix": _fix(outcome, finding.repair, rule.fix) if finding.repair is not None and rule is not None else None,
            "url": url_of(rule) if rule is not None else None,
            "fingerprint": fingerprint,
        }


def _fix(outcome: Outcome, repair: Repair, title: str) -> dict[str, Any]:
    edits = [{"content": edit.text, **_place(outcome, edit.span)} for edit in repair.edits]
    return {"applicability": repair.safety.value, "message": title, "edits": edits}


def _place(outcome: Outcome, span: Span) -> dict[str, dict[str, int] | int | None]:
    """Return where a stretch is; rows are those of the cell where there is one."""
    found = spot(outcome, span)
    return {
        "cell": found.cell,
        "location": {"row": found.line, "column": found.column},
        "end_location": {"row": found.end_line, "column": found.end_column},
    }
