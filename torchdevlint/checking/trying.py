"""A fix is told of only where `--fix` makes it: those that a check finds are tried, and nothing is written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from torchdevlint.checking import editing, outcomes, passes
from torchdevlint.checking.documents import Document, NotEditable
from torchdevlint.checking.editing import Editable
from torchdevlint.checking.notebooks import BadNotebook, is_notebook
from torchdevlint.checking.outcomes import Outcome, Task
from torchdevlint.checking.passes import FixTask
from torchdevlint.edits import Safety
from torchdevlint.engine import Diagnostic, all_rules
from torchdevlint.options import on_by_default

_MORE = re.compile(r", and \d+ more|\d+")


def check(task: Task, data: bytes | None = None) -> Outcome:
    """Return what comes of one file, with those of its fixes that can be made. ``data`` is what the file holds."""
    if task.text is None:
        try:  # once, because what is tried has to be what was found: the file may be another one by then
            data = Path(task.path).read_bytes() if data is None else data
            text, refusal = outcomes.decoded(task.path, data)
        except (OSError, BadNotebook):
            return outcomes.check(task)
        task = replace(task, text=text, refusal=refusal)
    outcome = outcomes.check(task)
    found = {one.repair.safety for one in outcome.findings if one.repair is not None}
    if not found:
        return outcome
    try:
        document = _document(task, task.text or "", data)
    except NotEditable:
        return keeping(outcome, set())
    narrow = not all(task.wants(rule.code) for rule in all_rules() if on_by_default(rule.code))
    watching = replace(passes.watched(task), text=document.given())
    before = outcomes.check(watching) if narrow else outcome
    made: set[int] = set()
    for safety in Safety:
        if safety in found:
            wanted = [n for n, one in enumerate(outcome.findings) if one.repair and one.repair.safety is safety]
            job = FixTask(task, unsafe=safety is Safety.UNSAFE, write=False)
            made |= _made(job, document, before, {n: outcome.findings[n] for n in wanted})
    return keeping(outcome, made)


def _document(task: Task, text: str, data: bytes | None) -> Editable:
    if data is None:
        return editing.parse(task.path, text.encode()) if is_notebook(task.path) else Document(text, "utf-8")
    return editing.parse(task.path, data)


def keeping(outcome: Outcome, made: set[int]) -> Outcome:
    """Return an outcome in which only those findings have a fix that have one of some numbers."""
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
