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

VERSION = 1


class BadBaseline(Exception):
    """A file that is no baseline; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a baseline knows: by its fingerprint the code and path of each finding; ``folder`` is where it lies."""

    known: Mapping[str, str]
    folder: Path


def render(report: Report, path: Path) -> str:
    """Return the text of a baseline at a path: the fingerprints of all findings, which survive that lines move."""
    folder = path.resolve().parent
    told = {print_: _told(finding, outcome, folder) for (outcome, finding), print_ in _printed(report, folder)}
    ordered = sorted(told.items(), key=lambda item: (item[1], item[0]))
    return json.dumps({"version": VERSION, "findings": dict(ordered)}, indent=1, ensure_ascii=False) + "\n"


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
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("findings"), dict):
        raise BadBaseline(f"{path} is no baseline that this version has written")
    return Baseline(data["findings"], path.resolve().parent)


def without(report: Report, baseline: Baseline) -> tuple[Outcome, ...]:
    """Return the outcomes without the findings that a baseline knows; what could not be analysed is always told."""
    new = {
        (outcome.path, finding)
        for (outcome, finding), print_ in _printed(report, baseline.folder)
        if print_ not in baseline.known or finding.code == FAILURE
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


def _told(finding: Diagnostic, outcome: Outcome, folder: Path) -> str:
    return f"{finding.code} {_seen_from(folder, outcome.path)}"


def _seen_from(folder: Path, path: str) -> str:
    """Return a path as it is seen from a folder, with forward slashes."""
    whole = os.path.realpath(path)
    try:
        return Path(os.path.relpath(whole, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(whole).as_posix()
