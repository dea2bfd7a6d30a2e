"""Workflow commands of GitHub Actions, which show findings beside the lines of a pull request.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from torchdevlint.reports.places import in_file, span_of, where
from torchdevlint.reports.report import Report, name_of, relative, severity_of
from torchdevlint.rule import Severity

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}


def render(report: Report) -> str:
    """Return a command a finding."""
    return "".join(
        f"::{_LEVELS[severity_of(finding)]} "
        f"title={_property(f'torchdevlint ({finding.code} {name_of(finding)})')},"
        f"file={_property(relative(outcome.path, report.root))},"
        f"line={place.line},col={place.column},endLine={place.end_line},endColumn={place.end_column}"
        f"::{_data(f'{where(outcome, span_of(finding))}: {finding.code} {finding.message}')}\n"
        for outcome, finding in report.findings()
        for place in [in_file(outcome, span_of(finding))]
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
