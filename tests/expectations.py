"""Expected findings as they stand in a script: `# error: [TDL103]`, `# error: 14 [TDL103] "substring"`.

A comment may hold several, separated by commas, and a line may hold several comments. The column counts
from 1, as flake8 shows it; column and substring are checked where they are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from torchdevlint.engine import Diagnostic

_ONE = r'(?:\d+\s+)?\[TDL\d{3}\](?:\s*"[^"]*")?'
_EXPECTATION = re.compile(
    # a comment of nothing but expectations begins, or the next one of the same comment follows
    rf"(?:#\s*error:\s*(?={_ONE}(?:\s*,\s*{_ONE})*\s*(?:#|$))|(?<=[\]\"]),\s*(?={_ONE}\s*(?:[,#]|$)))"
    r'(?:(?P<column>\d+)\s+)?\[(?P<code>TDL\d{3})\](?:\s*"(?P<substring>[^"]*)")?\s*'
)
_MARK = re.compile(r"#\s*error\b")


class BadExpectationError(Exception):
    """A comment looks like an expectation and cannot be read as one."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expected finding; ``column`` (from 1) and ``substring`` are None where anything will do."""

    line: int
    code: str
    column: int | None = None
    substring: str | None = None

    def fits(self, found: Diagnostic) -> bool:
        """Tell whether a finding is the expected one."""
        return (
            (self.line, self.code) == (found.line, found.code)
            and self.column in (None, found.column + 1)
            and (self.substring is None or self.substring in found.message)
        )


def parse(text: str) -> tuple[Expectation, ...]:
    """Return the expectations that stand in a source text, by line.

    Raises `BadExpectationError` for a comment that begins as one and goes on differently.
    """
    found: list[Expectation] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not _MARK.search(line):
            continue
        matches = list(_EXPECTATION.finditer(line))
        comments = sum(1 for match in matches if match[0].startswith("#"))
        if comments != len(_MARK.findall(line)):
            raise BadExpectationError(f"line {number}: {line.strip()}")
        found.extend(
            Expectation(number, match["code"], int(match["column"]) if match["column"] else None, match["substring"])
            for match in matches
        )
    return tuple(found)


def mismatches(expected: Iterable[Expectation], found: Iterable[Diagnostic]) -> list[str]:
    """Return what differs, one text each: false alarms, missed alarms, and what was found elsewhere or otherwise."""
    left = list(found)
    missed = []
    # the demanding ones choose first, so that one that takes anything leaves them their own
    for one in sorted(expected, key=lambda e: (e.column is None) + (e.substring is None)):
        fitting = next((diagnostic for diagnostic in left if one.fits(diagnostic)), None)
        if fitting is None:
            missed.append(one)
        else:
            left.remove(fitting)
    return [
        *(f"missed alarm: line {e.line} {e.code} {e.column or ''} {e.substring or ''}".rstrip() for e in missed),
        *(f"false alarm: line {d.line}, column {d.column + 1}: {d.code} {d.message}" for d in left),
    ]
