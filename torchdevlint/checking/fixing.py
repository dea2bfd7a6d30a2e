"""Mends files: fixes are applied pass by pass, and a file is replaced whole or left as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path

from torchdevlint.checking import editing, trying
from torchdevlint.checking.documents import Document, NotEditable
from torchdevlint.checking.editing import Editable
from torchdevlint.checking.outcomes import Outcome, check
from torchdevlint.checking.passes import FixTask, has_fixes, passes, watched
from torchdevlint.checking.sources import lines_of
from torchdevlint.engine import Diagnostic

__all__ = ["FixTask", "Mended", "mend", "mended"]


@dataclass(frozen=True, slots=True)
class Mended:
    """One file after its fixes: what was mended, what is left, and how the text changed.

    ``problem`` tells why a file that could be mended was left as it is.
    """

    outcome: Outcome
    mended: tuple[Diagnostic, ...] = ()
    original: Editable = Document("", "utf-8")  # noqa: RUF009 (frozen)
    document: Editable = Document("", "utf-8")  # noqa: RUF009 (frozen)
    problem: str | None = None

    @property
    def after(self) -> str:
        """The text of the file after the fixes."""
        return self.document.given()

    def diff(self) -> str:
        """Return the change as a unified diff."""
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for (part, before), (_, after) in zip(self.original.sections(), self.document.sections(), strict=True)
            for line in unified_diff(lines_of(before), lines_of(after), self._named(part), self._named(part))
        )

    def _named(self, part: str) -> str:
        name = f"{self.outcome.path}{part}"
        return f"{name}\t" if " " in name and not part else name  # else `patch` takes what is before the space


def mend(job: FixTask) -> Mended:
    """Apply the fixes of one file. Whatever goes wrong is told in the result, and the file is then as it was."""
    outcome = check(job.task)
    if not has_fixes(job, outcome):
        return Mended(outcome if all(one.repair is None for one in outcome.findings) else trying.check(job.task))
    path = Path(job.task.path)
    try:
        original = editing.load(path)
        done = mended(job, original)
        if done.mended and job.write:
            editing.save(path, done.document, original)
    except (OSError, NotEditable) as error:
        told = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        return Mended(trying.keeping(outcome, set()), problem=told)
    return done


def mended(job: FixTask, original: Editable) -> Mended:
    """Apply fixes until there are no more; a change after which the text is no Python is not made."""
    document = original
    outcome = check(replace(watched(job.task), text=document.given()))
    mended: list[Diagnostic] = []
    for done in passes(job, document, outcome):
        document = done.document
        mended += done.mended
    return Mended(trying.check(replace(job.task, text=document.given())), tuple(mended), original, document)
