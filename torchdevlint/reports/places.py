"""Where a finding is: for people, who count in the cells of a notebook, and in the file, as services show it."""

from __future__ import annotations

from torchdevlint.checking.outcomes import Outcome
from torchdevlint.engine import Diagnostic
from torchdevlint.positions import Span
from torchdevlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of a file, or of a cell: lines and columns count from 1, columns in code points, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None


def span_of(finding: Diagnostic) -> Span:
    """Return the stretch of source that a finding is about."""
    return Span(finding.line, finding.column, finding.end_line, finding.end_column)


def spot(outcome: Outcome, span: Span) -> Spot:
    """Return where people look for a stretch: in a file, or in a cell of a notebook."""
    first, last = outcome.place(span.line), outcome.place(span.end_line)
    if first is None or last is None:
        return Spot(span.line, span.column + 1, span.end_line, span.end_column + 1)
    begin, end = span.column + first.shift, span.end_column + last.shift
    return Spot(first.row, begin + 1, last.row, end + 1, first.cell)


def in_file(outcome: Outcome, span: Span) -> Spot:
    """Return where a stretch stands in the file itself, which for a notebook is JSON."""
    first, last = outcome.place(span.line), outcome.place(span.end_line)
    if first is None or last is None:
        return Spot(span.line, span.column + 1, span.end_line, span.end_column + 1)
    begin = first.columns[min(span.column + first.shift, len(first.columns) - 1)]
    end = last.columns[min(span.end_column + last.shift, len(last.columns) - 1)]
    return Spot(first.line, begin + 1, last.line, end + 1, first.cell)


def where(outcome: Outcome, span: Span) -> str:
    """Return the path, line and column of a stretch on one line, with the cell in a notebook."""
    found = spot(outcome, span)
    cell = f"cell {found.cell}:" if found.cell is not None else ""
    return f"{on_one_line(outcome.path)}:{cell}{found.line}:{found.column}"


def on_one_line(path: str) -> str:
    """Return a path with escapes for what would break a line, steer a terminal or cannot be written."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)
