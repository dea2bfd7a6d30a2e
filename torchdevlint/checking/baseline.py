"""A baseline: the findings that a project had when it began, so that only new ones are told.

Paths in it are relative to its own folder, so that it means the same wherever the command runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from torchdevlint.checking.outcomes import Outcome, Task
from torchdevlint.engine import Diagnostic
from torchdevlint.options import FAILURE
from torchdevlint.reports.report import Report, fingerprints

VERSION = 2  # 1 had the number of places among what makes a finding known


class BadBaseline(Exception):
    """A file that is no baseline; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a baseline knows: by its fingerprint the code and path of each finding; ``folder`` is where it lies.

    ``places`` tells of findings that stood for several places for how many.
    """

    known: Mapping[str, str]
    folder: Path
    places: Mapping[str, int]


def render(report: Report, path: Path) -> str:
    """Return the text of a baseline at a path: the fingerprints of all findings, which survive that lines move."""
    folder = path.resolve().parent
    printed = sorted(_printed(report, folder), key=lambda item: (_told(item[0][0], item[0][1], folder), item[1]))
    whole = {
        "version": VERSION,
        "findings": {print_: _told(outcome, finding, folder) for (outcome, finding), print_ in printed},
        "places": {print_: finding.places for (_, finding), print_ in printed if finding.places > 1},
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def load(path: Path) -> Baseline:
    """Return the baseline in a file. Raises `BadBaseline`."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadBaseline(f"the baseline {path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise BadBaseline(f"the baseline {path} is not JSON") from None
    except RecursionError:
        raise BadBaseline(f"the baseline {path} is nested too deeply") from None
    match data:
        case {"version": 2, "findings": dict() as known, "places": dict() as places}:
            counts = {print_: number for print_, number in places.items() if isinstance(number, int)}
            return Baseline(known, path.resolve().parent, counts)
        case _:
            raise BadBaseline(f"{path} is no baseline that this version has written")


def without(report: Report, baseline: Baseline) -> tuple[Outcome, ...]:
    """Return the outcomes without the findings that a baseline knows; what could not be analysed is always told.

    So is a finding that stands for more places than it did.
    """
    new = {
        (outcome.path, finding)
        for (outcome, finding), print_ in _printed(report, baseline.folder)
        if print_ not in baseline.known or finding.code == FAILURE or finding.places > baseline.places.get(print_, 1)
    }
    return tuple(
        replace(one, findings=tuple(d for d in one.findings if (one.path, d) in new)) for one in report.outcomes
    )


def gone(report: Report, baseline: Baseline, tasks: Iterable[Task]) -> list[str]:
    """Return the code and path of what a baseline knows and these tasks did not find, though they looked for it."""
    found = {print_ for _, print_ in _printed(report, baseline.folder)}
    looked = {_seen_from(baseline.folder, task.path): task for task in tasks}
    missing = []
    for print_, told in baseline.known.items():
        code, _, path = str(told).partition(" ")
        task = looked.get(path)
        was_sought = task.wants(code) if task is not None else not (baseline.folder / path).exists()
        if print_ not in found and was_sought:
            missing.append(str(told))
    return missing


def _printed(report: Report, folder: Path) -> Iterator[tuple[tuple[Outcome, Diagnostic], str]]:
    return zip(report.findings(), fingerprints(report, lambda path: _seen_from(folder, path)), strict=True)


def _told(outcome: Outcome, finding: Diagnostic, folder: Path) -> str:
    return f"{finding.code} {_seen_from(folder, outcome.path)}"


def _seen_from(folder: Path, path: str) -> str:
    """Return a path as it is seen from a folder, with forward slashes."""
    whole = os.path.realpath(path)
    try:
        return Path(os.path.relpath(whole, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(whole).as_posix()
