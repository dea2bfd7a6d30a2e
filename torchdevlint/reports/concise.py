"""One line a finding, as flake8 prints it."""

from __future__ import annotations

from torchdevlint.reports.places import span_of, where
from torchdevlint.reports.report import Report, fixable, is_fixable


def render(report: Report) -> str:
    """Return `path:line:column: code message`, a line each, `[*]` before what `--fix` mends.

    In a notebook it is `path:cell 3:line:column: ...`; columns count from 1.
    """
    lines = [
        f"{where(outcome, span_of(finding))}: {finding.code} {'[*] ' if is_fixable(finding) else ''}{finding.message}"
        for outcome, finding in report.findings()
    ]
    return "".join(f"{line}\n" for line in (*lines, fixable(report)) if line)
