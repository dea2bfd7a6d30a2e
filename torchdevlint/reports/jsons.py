"""Findings as JSON: one list, or one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from torchdevlint.edits import Repair
from torchdevlint.positions import Span
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
        span = Span(finding.line, finding.column, finding.end_line, finding.end_column)
        yield {
            "code": finding.code,
            "name": name_of(finding),
            "severity": severity_of(finding).value,
            "message": finding.message,
            "filename": outcome.path,
            **_place(span),
            "trace": [{"message": step.text, **_place(step.span)} for step in finding.trace],
            "help": rule.fix if rule is not None else None,
            "fix": _fix(finding.repair, rule.fix) if finding.repair is not None and rule is not None else None,
            "url": url_of(rule) if rule is not None else None,
            "fingerprint": fingerprint,
        }


def _fix(repair: Repair, title: str) -> dict[str, Any]:
    edits = [{"content": edit.text, **_place(edit.span)} for edit in repair.edits]
    return {"applicability": repair.safety.value, "message": title, "edits": edits}


def _place(span: Span) -> dict[str, dict[str, int]]:
    return {
        "location": {"row": span.line, "column": span.column + 1},
        "end_location": {"row": span.end_line, "column": span.end_column + 1},
    }
