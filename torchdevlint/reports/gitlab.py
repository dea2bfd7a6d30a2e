"""GitLab's code quality report. https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format"""

from __future__ import annotations

import json

from torchdevlint.reports.places import in_file, span_of
from torchdevlint.reports.report import Report, fingerprints, relative, severity_of
from torchdevlint.rule import Severity

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.ADVICE: "info"}


def render(report: Report) -> str:
    """Return a list with an object a finding; a fingerprint stays the same when lines move."""
    found = [
        {
            "description": f"{finding.code}: {finding.message}" + (f" (in cell {place.cell})" if place.cell else ""),
            "check_name": finding.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[severity_of(finding)],
            "location": {
                "path": relative(outcome.path, report.root),
                "positions": {
                    "begin": {"line": place.line, "column": place.column},
                    "end": {"line": place.end_line, "column": place.end_column},
                },
            },
        }
        for (outcome, finding), fingerprint in zip(report.findings(), fingerprints(report), strict=True)
        for place in [in_file(outcome, span_of(finding))]
    ]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
