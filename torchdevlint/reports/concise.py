"""One line a finding, as flake8 prints it."""

from __future__ import annotations

from torchdevlint.reports.places import span_of, where
from torchdevlint.reports.report import Report


def render(report: Report) -> str:
    """Return `path:line:column: code message`, a line each; in a notebook `path:cell 3:line:column: …`."""
    return "".join(
        f"{where(outcome, span_of(finding))}: {finding.code} {finding.message}\n"
        for outcome, finding in report.findings()
    )
