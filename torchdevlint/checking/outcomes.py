"""What comes of one file: its findings, those that are silenced, and the lines that a report shows."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

from torchdevlint import gate
from torchdevlint.checking import comments, sources
from torchdevlint.engine import Diagnostic, analyse
from torchdevlint.options import NotAnalysed, Options

FAILURE = "TDL000"
"""The code of what says that a file could not be analysed."""
_MAY_BE_UNUSED = "# noqa"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings of one file, by position, and the source lines that they and their traces stand in.

    ``silenced`` are those that a comment in the file silences.
    """

    path: str
    findings: tuple[Diagnostic, ...] = ()
    silenced: tuple[Diagnostic, ...] = ()
    lines: tuple[tuple[int, str], ...] = ()

    def line(self, number: int) -> str:
        """Return a line of the source, without its end."""
        return dict(self.lines).get(number, "")


@dataclass(frozen=True, slots=True)
class Task:
    """One file to check: its text where it is not to be read, the codes wanted in it, and whether comments count.

    With ``unused``, comments that silence nothing are found too.
    """

    path: str
    wants: Callable[[str], bool]
    text: str | None = None
    noqa: bool = True
    unused: bool = False


def check(task: Task) -> Outcome:
    """Return what comes of one file. Whatever goes wrong with it is a finding, never an exception."""
    try:
        text = sources.read(task.path) if task.text is None else task.text
    except OSError as error:
        return Outcome(task.path, (_failure(f"not read: {error.strerror or error}"),))
    # whatever is selected: in a file that is not analysed nothing of it can be found
    found = tuple(d for d in _findings(text, task) if d.code == FAILURE or task.wants(d.code))
    if not found and not (task.unused and _MAY_BE_UNUSED in text):
        return Outcome(task.path)
    lines = sources.lines_of(text)
    silenced: tuple[Diagnostic, ...] = ()
    if task.noqa:
        silence = sources.silence(lines)
        whole = silence.whole_file  # flake8 reads the whole file to tell
        quiet = [whole or silence.silences(d.line, d.code) for d in found]
        silenced = tuple(d for d, is_quiet in zip(found, quiet, strict=True) if is_quiet)
        found = tuple(d for d, is_quiet in zip(found, quiet, strict=True) if not is_quiet)
    if task.unused:
        found = tuple(sorted((*found, *comments.unused(text, silenced)), key=lambda d: (d.line, d.column, d.code)))
    return Outcome(task.path, found, silenced, _shown(found, lines))


def _findings(text: str, task: Task) -> tuple[Diagnostic, ...]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python says of the file's literals is not ours to say
            ast.parse(text)
        if not gate.may_find(text):
            return ()
        return analyse(text, options=Options(filename=task.path, wants=task.wants, details=True))
    except SyntaxError as error:
        column = max((error.offset or 1) - 1, 0)
        return (replace(_failure(f"syntax error: {error.msg}"), line=error.lineno or 1, column=column),)
    except NotAnalysed as reason:
        return (_failure(f"not analysed: {reason}"),)
    except (RecursionError, MemoryError):
        return (_failure("not analysed: nested too deeply"),)
    except ValueError as error:  # a null byte
        return (_failure(f"syntax error: {error}"),)
    except Exception as error:  # noqa: BLE001 (one file does not end the run for all others)
        return (_failure(f"internal error: {type(error).__name__}: {error}"),)


def _failure(reason: str) -> Diagnostic:
    return Diagnostic(FAILURE, " ".join(reason.split()), 1, 0, 1, 0)


def _shown(found: tuple[Diagnostic, ...], lines: list[str]) -> tuple[tuple[int, str], ...]:
    """Return the lines that a report with sources needs."""
    wanted = {line for d in found for line in (*range(d.line, d.end_line + 1), *(s.span.line for s in d.trace))}
    return tuple((n, lines[n - 1].rstrip("\n")) for n in sorted(wanted) if 0 < n <= len(lines))
