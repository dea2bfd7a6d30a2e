"""The fixes of a text, pass by pass: those that fit, that help, and that bring nothing new into it."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from torchdevlint.checking.documents import NotEditable
from torchdevlint.checking.editing import Editable
from torchdevlint.checking.outcomes import Outcome, Task, check
from torchdevlint.edits import Edit, Repair, Safety
from torchdevlint.engine import Diagnostic
from torchdevlint.mending.fitting import usual_width, width_of
from torchdevlint.options import on_by_default
from torchdevlint.positions import Span

MAX_PASSES = 40
"""A fix may show the next place of the same fault; a file has more of them rarely."""


_KIND = len("TDL1")
"""How much of a code tells the kind of its rule."""

_Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FixTask:
    """One file to mend; with ``write`` the file is replaced, and with ``unsafe`` by unsafe fixes, too."""

    task: Task
    unsafe: bool = False
    write: bool = True


def has_fixes(job: FixTask, outcome: Outcome) -> bool:
    """Tell whether there are fixes that may be made."""
    return _chosen(outcome.findings, job.unsafe) != []


@dataclass(frozen=True, slots=True)
class Pass:
    """A document after some fixes more, and what those mended."""

    document: Editable
    mended: tuple[Diagnostic, ...]


def passes(job: FixTask, document: Editable, outcome: Outcome) -> Iterator[Pass]:
    """Yield a document after each pass of its fixes; ``outcome`` is what is found in it, by a task that is watched."""
    watching = watched(job.task)
    refused: set[tuple[Edit, ...]] = set()
    number = 0
    while number < MAX_PASSES:
        wanted = [
            one
            for one in outcome.findings
            if job.task.wants(one.code) and (one.repair is None or one.repair.edits not in refused)
        ]
        fixes = _chosen(wanted, job.unsafe)
        if not fixes:
            return
        crowded = {repair.edits for repair in _crowded(document, fixes, job.task.width)}
        if crowded:
            refused |= crowded
            continue
        done = _applied(watching, document, outcome, fixes)
        if done is None and len(fixes) > 1:
            fixes = fixes[:1]
            done = _applied(watching, document, outcome, fixes)
        if done is None:
            refused.add(fixes[0][1].edits)
            continue
        refused.clear()
        number += 1
        document, outcome = done
        yield Pass(document, tuple(d for d, _ in fixes))


@dataclass(frozen=True, slots=True)
class _Watched:
    """The codes that a fix must not bring into a file: those that are wanted, and those that are on by default."""

    wants: Callable[[str], bool]

    def __call__(self, code: str) -> bool:
        return self.wants(code) or on_by_default(code)


def watched(task: Task) -> Task:
    """Return a task that finds what a fix must not bring into a file, too."""
    return replace(task, wants=_Watched(task.wants))


def _applied(
    task: Task, document: Editable, outcome: Outcome, fixes: list[tuple[Diagnostic, Repair]]
) -> tuple[Editable, Outcome] | None:
    """Return a document after some fixes, and what is found in it; None where that does not fit or does not help."""
    try:
        changed = document.edited(edit for _, repair in fixes for edit in repair.edits)
    except NotEditable:
        return None
    if not _fits(document, changed, task.width) or not changed.is_python():
        return None
    after = check(replace(task, text=changed.given()))
    mended, lines = [finding for finding, _ in fixes], {edit.span.line for _, repair in fixes for edit in repair.edits}
    kinds = {finding.code for finding in mended}

    def weighed(found: Iterable[Diagnostic]) -> list[Diagnostic]:  # advice is no reason to leave an error
        return [one for one in found if on_by_default(one.code) or one.code in kinds]

    left, known = weighed(after.findings), weighed(outcome.findings)
    fewer = sum(d.places for d in left) <= sum(d.places for d in known) - len(fixes)
    texts = document.plain().split("\n"), changed.plain().split("\n")
    return (changed, after) if fewer or _goes_on(known, left, mended, lines, texts) else None


def _goes_on(
    before: list[Diagnostic],
    after: list[Diagnostic],
    mended: list[Diagnostic],
    lines: set[int],
    texts: tuple[list[str], list[str]],
) -> bool:
    """Tell whether all that are found anew are later places of what was mended, or faults that only now come to light.

    Where a tensor is first used in the wrong place, the program ends: it is the fix that lets it reach the next one.
    ``lines`` are those that were changed, ``texts`` what the document was before and is after that.
    """
    known: Counter[tuple[str, int]] = Counter()
    for one in before:
        if one not in mended:
            known[one.code, one.line] += one.places
    for one in after:
        if known[one.code, one.line] >= one.places:
            known[one.code, one.line] -= one.places
        elif not any(_is_later(one, first) or _is_beyond(one, first, lines, texts) for first in mended):
            return False
    return True


def _is_beyond(one: Diagnostic, first: Diagnostic, lines: set[int], texts: tuple[list[str], list[str]]) -> bool:
    """Tell whether a finding is of the kind of one that was mended, and none of its making.

    It is mended next in ``lines`` that were not changed, or is about another tensor, and a program fails by it where it
    failed before or after that in the same function, so that it went no further.
    """
    operand = _operand(one)
    if operand == () or one.code[:_KIND] != first.code[:_KIND]:
        return False
    if one.repair is not None and one.repair.safety is Safety.SAFE:
        return lines.isdisjoint(edit.span.line for edit in one.repair.edits)
    if operand == _operand(first) or _home(texts[1], _failing(one)) != _home(texts[0], _failing(first)):
        return False
    return _failing(one) >= _failing(first) and lines.isdisjoint(span.line for span, _ in operand)


def _home(lines: list[str], number: int) -> str:
    """Return how the function begins that a line is in, nothing for one at module level."""
    depth = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    for line in reversed(lines[: number - 1]):
        if line.strip() and len(line) - len(line.lstrip()) < depth:
            depth = len(line) - len(line.lstrip())
            if line.lstrip().startswith(("def ", "async def ")):
                return line
    return ""


def _failing(finding: Diagnostic) -> int:
    """Return the line in which a program fails by a finding."""
    return next((step.span.line for step in finding.trace if step.fails), finding.line)


def _is_later(one: Diagnostic, first: Diagnostic) -> bool:
    """Tell whether a finding stands below another, is of its kind, and is about the tensor that the other is about."""
    same = one.code[:_KIND] == first.code[:_KIND] and _operand(one) == _operand(first)
    return same and _operand(one) != () and (one.line, one.column) > (first.line, first.column)


def _operand(finding: Diagnostic) -> tuple[tuple[Span, str], ...]:
    """Return how the first operand of a finding got to its device."""
    last = next((number for number, step in enumerate(finding.trace) if step.device), -1)
    return tuple((step.span, step.device) for step in finding.trace[: last + 1])


def _chosen(findings: Iterable[Diagnostic], unsafe: bool) -> list[tuple[Diagnostic, Repair]]:
    """Return the findings to mend in one pass: none of their edits touches another's."""
    found: list[tuple[Diagnostic, Repair]] = []
    taken: list[tuple[_Place, _Place]] = []
    for finding in findings:
        repair = finding.repair
        if repair is None or (repair.safety is Safety.UNSAFE and not unsafe):
            continue
        places = [((s.line, s.column), (s.end_line, s.end_column)) for s in (edit.span for edit in repair.edits)]
        if any(_touches(place, taken) for place in places):
            continue
        for place in places:
            insort(taken, place)
        found.append((finding, repair))
    return found


def _crowded(document: Editable, fixes: list[tuple[Diagnostic, Repair]], width: int) -> Iterator[Repair]:
    """Yield the fixes of one kind that share a line in which not all of them fit: half of them would read as a slip."""
    lines: dict[tuple[str, int], list[Repair]] = defaultdict(list)
    for finding, repair in fixes:
        if all(edit.span.line == edit.span.end_line == repair.edits[0].span.line for edit in repair.edits):
            lines[finding.code, repair.edits[0].span.line].append(repair)
    for repairs in lines.values():
        if len(repairs) > 1:
            with suppress(NotEditable):
                changed = document.edited(edit for repair in repairs for edit in repair.edits)
                if not _fits(document, changed, width):
                    yield from repairs


def _touches(place: tuple[_Place, _Place], taken: list[tuple[_Place, _Place]]) -> bool:
    """Tell whether a stretch touches one of those that are taken, which are sorted and do not touch each other."""
    after = bisect_left(taken, place)
    return (after < len(taken) and taken[after][0] <= place[1]) or (after > 0 and taken[after - 1][1] >= place[0])


def _fits(before: Editable, after: Editable, width: int) -> bool:
    """Tell whether no line became longer than the file's lines may be, as by two fixes in it."""
    lines = before.plain().split("\n")
    known, allowed = set(lines), max(width, usual_width(lines))
    return all(width_of(line) <= allowed or line in known for line in after.plain().split("\n"))
