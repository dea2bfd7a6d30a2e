"""GitLab's code quality report. https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format"""

from __future__ import annotations

import json

from torchdevlint.reports.report import Report, fingerprints, relative, severity_of
from torchdevlint.rule import Severity

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.ADVICE: "info"}


def render(report: Report) -> str:
    """Return a list with an object a finding; a fingerprint stays the same when lines move."""
    found = [
        {
            "description": f"{finding.code}: {finding.message}",
            "check_name": finding.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[severity_of(finding)],
            "location": {
                "path": relative(outcome.path, report.root),
                "positions": {
                    "begin": {"line": finding.line, "column": finding.column + 1},
                    "end": {"line": finding.end_line, "column": finding.end_column + 1},
                },
            },
        }
        for (outcome, finding), fingerprint in zip(report.findings(), fingerprints(report), strict=True)
    ]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
