"""One line a finding, as flake8 prints it."""

from __future__ import annotations

from torchdevlint.reports.report import Report


def render(report: Report) -> str:
    """Return `path:line:column: code message`, a line each; columns count from 1."""
    return "".join(
        f"{outcome.path}:{finding.line}:{finding.column + 1}: {finding.code} {finding.message}\n"
        for outcome, finding in report.findings()
    )
