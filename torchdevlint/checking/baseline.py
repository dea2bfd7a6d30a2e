"""A baseline: the findings that a project had when it began, so that only new ones are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from torchdevlint.checking.outcomes import FAILURE, Outcome
from torchdevlint.engine import Diagnostic
from torchdevlint.reports.report import Report, fingerprints

VERSION = 1


class BadBaseline(Exception):
    """A file that is no baseline; the text is a sentence."""


def render(report: Report) -> str:
    """Return the text of a baseline: the fingerprints of all findings, which survive that lines move."""
    told = sorted(
        {print_: f"{finding.code} {outcome.path}" for (outcome, finding), print_ in _printed(report)}.items(),
        key=lambda item: (item[1], item[0]),
    )
    return json.dumps({"version": VERSION, "findings": dict(told)}, indent=1, ensure_ascii=False) + "\n"


def load(path: Path) -> frozenset[str]:
    """Return the fingerprints in a baseline. Raises `BadBaseline`."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadBaseline(f"the baseline {path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise BadBaseline(f"the baseline {path} is not JSON") from None
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("findings"), dict):
        raise BadBaseline(f"{path} is no baseline that this version has written")
    return frozenset(data["findings"])


def without(report: Report, known: frozenset[str]) -> tuple[Outcome, ...]:
    """Return the outcomes without the findings that a baseline knows; what could not be analysed is always told."""
    new = {
        (outcome.path, finding)
        for (outcome, finding), print_ in _printed(report)
        if print_ not in known or finding.code == FAILURE
    }
    return tuple(
        replace(one, findings=tuple(d for d in one.findings if (one.path, d) in new)) for one in report.outcomes
    )


def _printed(report: Report) -> Iterator[tuple[tuple[Outcome, Diagnostic], str]]:
    return zip(report.findings(), fingerprints(report), strict=True)
