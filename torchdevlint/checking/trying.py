"""A fix is told of only where `--fix` makes it: those that a check finds are tried, and nothing is written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from torchdevlint.checking import editing, outcomes, passes
from torchdevlint.checking.documents import Document, NotEditable
from torchdevlint.checking.editing import Editable
from torchdevlint.checking.notebooks import is_notebook
from torchdevlint.checking.outcomes import Outcome, Task
from torchdevlint.checking.passes import FixTask
from torchdevlint.edits import Safety
from torchdevlint.engine import Diagnostic, all_rules
from torchdevlint.options import on_by_default

_MORE = re.compile(r", and \d+ more|\d+")


def check(task: Task, data: bytes | None = None) -> Outcome:
    """Return what comes of one file, with those of its fixes that can be made. ``data`` is what the file holds."""
    return tried(task, outcomes.check(task), data)


def tried(task: Task, outcome: Outcome, data: bytes | None = None) -> Outcome:
    """Return an outcome of that task with those of its fixes that can be made."""
    found = {one.repair.safety for one in outcome.findings if one.repair is not None}
    if not found:
        return outcome
    try:
        document = _document(task, data)
    except (OSError, NotEditable):
        return _with(outcome, set())
    narrow = not all(task.wants(rule.code) for rule in all_rules() if on_by_default(rule.code))
    watching = replace(passes.watched(task), text=document.given())
    before = outcomes.check(watching) if narrow else outcome
    made: set[int] = set()
    for safety in Safety:
        if safety in found:
            wanted = [n for n, one in enumerate(outcome.findings) if one.repair and one.repair.safety is safety]
            job = FixTask(task, unsafe=safety is Safety.UNSAFE, write=False)
            made |= _made(job, document, before, {n: outcome.findings[n] for n in wanted})
    return _with(outcome, made)


def _document(task: Task, data: bytes | None) -> Editable:
    if data is not None:
        return editing.parse(task.path, data)
    if task.text is None:
        return editing.load(Path(task.path))
    return editing.parse(task.path, task.text.encode()) if is_notebook(task.path) else Document(task.text, "utf-8")


def _with(outcome: Outcome, made: set[int]) -> Outcome:
    """Return an outcome in which only some findings have a fix."""
    kept = (one if number in made else replace(one, repair=None) for number, one in enumerate(outcome.findings))
    return replace(outcome, findings=tuple(kept))


def _made(job: FixTask, document: Editable, before: Outcome, wanted: dict[int, Diagnostic]) -> set[int]:
    """Return the numbers of those findings that are mended; by a later pass they may stand in another line."""
    left = dict(wanted)
    for done in passes.passes(job, document, before):
        for mended in done.mended:
            same = (n for n, one in left.items() if one == mended)
            alike = (n for n, one in left.items() if _text(one) == _text(mended))
            left.pop(next(same, next(alike, -1)), None)
        if not left:
            break
    return wanted.keys() - left.keys()


def _text(finding: Diagnostic) -> str:
    """Return what a finding says, without the numbers in it."""
    return f"{finding.code} {_MORE.sub('', finding.message)}"
