"""What `check` does to files: fixes, and comments that silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from torchdevlint.checking import comments, documents, editing
from torchdevlint.checking.fixing import Mended
from torchdevlint.checking.outcomes import Outcome
from torchdevlint.cli import telling
from torchdevlint.cli.telling import count, say
from torchdevlint.options import FAILURE
from torchdevlint.reports.places import span_of, where
from torchdevlint.reports.report import name_of


def add_noqa(found: Sequence[Outcome], reason: str) -> int:
    """Silence all findings by comments; the exit status is 1 where a file could not be edited."""
    done = failed = 0
    for outcome in found:
        findings = [d for d in outcome.findings if d.code not in (FAILURE, comments.UNUSED)]
        failures = tell_failures(outcome)
        failed += failures
        if not findings:
            continue
        path = Path(outcome.path)
        try:
            original = editing.load(path)
            editing.save(path, comments.added(original, findings, reason), original)
            done += len(findings)
        except (OSError, documents.NotEditable) as error:
            failed += 1
            if not failures:
                say(f"torchdevlint: {path} is left as it is: {error}")
    say(f"{count(done, 'finding')} silenced")
    return int(failed > 0)


def tell_failures(outcome: Outcome) -> int:
    """Say why a file cannot be worked on, and return how many reasons there are."""
    reasons = [d for d in outcome.findings if d.code == FAILURE]
    for reason in reasons:
        say(f"torchdevlint: {where(outcome, span_of(reason))} is left as it is: {reason.message}")
    return len(reasons)


def tell_fixes(done: Sequence[Mended], *, diff: bool, show: bool, to: Path | None) -> None:
    """Tell what was mended: as a diff on standard output or in a file, or by file and rule on standard error."""
    for one in done:
        if one.problem is not None:
            say(f"torchdevlint: {one.outcome.path} is left as it is: {one.problem}")
    mended = sum(len(one.mended) for one in done)
    if diff:
        telling.write("".join(one.diff() for one in done), to)
        say(f"{count(mended, 'finding')} would be fixed")
        return
    if show:
        for one in done:
            counts = Counter((d.code, name_of(d)) for d in one.mended)
            for (code, name), number in sorted(counts.items()):
                say(f"{one.outcome.path}: {number} of {code} ({name})")
    say(f"{count(mended, 'finding')} fixed")
