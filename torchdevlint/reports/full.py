"""The form for people: the rule, the lines with the place marked, and how each operand got to its device."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from torchdevlint.checking.outcomes import Outcome
from torchdevlint.engine import Diagnostic
from torchdevlint.reports.places import span_of, where
from torchdevlint.reports.report import Report, fixable, is_fixable, name_of, rules, severity_of
from torchdevlint.rule import Severity

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.ADVICE: "bold cyan"}
_PLURALS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.ADVICE: "pieces of advice"}
_TAB = "    "
MAX_SHOWN = 6
"""How many lines of a statement are shown; the middle of a longer one is left out."""


def render(report: Report) -> str:
    """Return a block a finding and a summary, with colours where the report asks for them."""
    out = io.StringIO()
    console = Console(
        file=out,
        force_terminal=report.colour,
        no_color=not report.colour,
        highlight=False,
        soft_wrap=True,
        width=10_000,
    )
    for outcome, finding in report.findings():
        for line in _block(outcome, finding):
            console.print(line)
        console.print()
    console.print(_summary(report))
    if fixable(report):
        console.print(Text(fixable(report)))
    return out.getvalue()


def _block(outcome: Outcome, finding: Diagnostic) -> Iterator[Text]:
    severity = severity_of(finding)
    label = partial(_label, outcome, finding)
    width = max(len(label(line)) for line in (finding.end_line, finding.line, *(s.span.line for s in finding.trace)))
    yield Text.assemble(
        (finding.code, _STYLES[severity]), f" {name_of(finding)} ", (f"[{severity.value}]", _STYLES[severity]),
        (" [*]" if is_fixable(finding) else "", "cyan"), f" {finding.message}",
    )  # fmt: skip
    yield Text.assemble((f"{'':{width}}--> ", "blue"), where(outcome, span_of(finding)))
    yield from _marked(outcome, finding, label, width)
    for step in finding.trace:
        yield _margin(f"{'':{width}} | ", Text())
        yield _margin(f"{label(step.span.line):>{width}} | ", Text(_plain(outcome.line(step.span.line))))
        yield _margin(f"{'':{width}} | ", Text(f"{_indent(outcome.line(step.span.line))}^ {step.text}", "dim"))
    rule = rules().get(finding.code)
    if rule is not None:
        yield _margin(f"{'':{width}} = ", Text.assemble(("help", "bold"), f": {rule.fix}"))


def _label(outcome: Outcome, finding: Diagnostic, line: int) -> str:
    """Return the number of a line; in a notebook it is that in its cell, and another cell is named."""
    here, place = outcome.place(finding.line), outcome.place(line)
    if here is None or place is None:
        return str(line)
    return f"{place.row}" if place.cell == here.cell else f"cell {place.cell}:{place.row}"


def _marked(outcome: Outcome, finding: Diagnostic, label: Callable[[int], str], width: int) -> Iterator[Text]:
    """Yield the lines of a finding, the place in them underlined."""
    numbers = range(finding.line, max(finding.end_line, finding.line) + 1)
    for number in numbers:
        if len(numbers) > MAX_SHOWN and MAX_SHOWN // 2 <= number - finding.line < len(numbers) - MAX_SHOWN // 2:
            if number - finding.line == MAX_SHOWN // 2:
                yield _margin(f"{'':{width}} | ", Text("…", "dim"))
            continue
        source = outcome.line(number)
        if not source:
            continue
        start = finding.column if number == finding.line else len(source) - len(source.lstrip())
        end = finding.end_column if number == finding.end_line else len(source.rstrip())
        marks = "^" * max(cell_len(_plain(source[start:end])), 1)
        yield _margin(f"{label(number):>{width}} | ", Text(_plain(source)))
        yield _margin(
            f"{'':{width}} | ", Text(" " * cell_len(_plain(source[:start])) + marks, _STYLES[severity_of(finding)])
        )


def _margin(margin: str, text: Text) -> Text:
    made = Text.assemble((margin, "blue"), text)
    made.rstrip()
    return made


def _plain(source: str) -> str:
    """Return a line as a terminal may show it: tabs as spaces, and nothing that steers the terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in source.replace("\t", _TAB))


def _indent(source: str) -> str:
    return " " * cell_len(_plain(source[: len(source) - len(source.lstrip())]))


def _summary(report: Report) -> Text:
    counts = Counter(severity_of(finding) for _, finding in report.findings())
    if not counts:
        return Text("No device bugs found.", "green")
    told = ", ".join(f"{counts[s]} {s.value if counts[s] == 1 else _PLURALS[s]}" for s in Severity if counts[s])
    files = sum(1 for outcome in report.outcomes if outcome.findings)
    return Text(f"Found {told} in {files} {'file' if files == 1 else 'files'}.", "bold")
