"""What comes of one file: its findings, those that are silenced, and the lines that a report shows."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

from torchdevlint import gate
from torchdevlint.checking import comments, notebooks, sources
from torchdevlint.checking.notebooks import BadNotebook, Notebook, Place
from torchdevlint.checking.sources import Refusal
from torchdevlint.engine import Diagnostic, analyse
from torchdevlint.options import FAILURE, WIDTH, NotAnalysed, Options
from torchdevlint.project import Project

_Found = TypeVar("_Found")

_MAY_BE_UNUSED = "# noqa"
_SILENT = "noqa"
"""What every comment that silences has in it, in capitals or not."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings of one file, by position, and the source lines that they and their traces stand in.

    ``silenced`` are those that a comment in the file silences. In a notebook lines are those of its cells as one
    program, and ``places`` tells where each of them stands.
    """

    path: str
    findings: tuple[Diagnostic, ...] = ()
    silenced: tuple[Diagnostic, ...] = ()
    lines: tuple[tuple[int, str], ...] = ()
    places: tuple[tuple[int, Place], ...] = ()

    def line(self, number: int) -> str:
        """Return a line of the source, without its end."""
        return _looked_up(self.lines, number) or ""

    def place(self, number: int) -> Place | None:
        """Return where a line of a notebook's program stands, or None in a file that is no notebook."""
        return _looked_up(self.places, number)


def _looked_up(ordered: Sequence[tuple[int, _Found]], number: int) -> _Found | None:
    """Return what stands beside a number, of pairs in the order of their numbers."""
    index = bisect_left(ordered, number, key=itemgetter(0))
    return ordered[index][1] if index < len(ordered) and ordered[index][0] == number else None


@dataclass(frozen=True, slots=True)
class Task:
    """One file to check: its text where it is not to be read, the codes wanted in it, and whether comments count.

    With ``unused``, comments that silence nothing are found too. ``project`` is what no file of the project shows.
    Up to ``width`` characters a line may have that a fix makes longer, and up to those that three lines of it have.
    ``refusal`` is why Python would not decode the bytes that the text was made of.
    """

    path: str
    wants: Callable[[str], bool]
    text: str | None = None
    noqa: bool = True
    unused: bool = False
    project: Project = Project()  # noqa: RUF009 (frozen)
    width: int = WIDTH
    refusal: Refusal | None = None


def check(task: Task) -> Outcome:
    """Return what comes of one file. Whatever goes wrong with it is a finding, never an exception."""
    try:
        text, notebook, refusal = _read(task)
    except OSError as error:
        return Outcome(task.path, (_failure(f"not read: {error.strerror or error}"),))
    except BadNotebook as reason:
        return Outcome(task.path, (_failure(f"not analysed: {reason}"),))
    # whatever is selected: in a file that is not analysed nothing of it can be found
    found = tuple(d for d in _findings(text, task, notebook) if d.code == FAILURE or task.wants(d.code))
    if refusal is not None:  # a file that cannot be decoded cannot be mended
        refused = _failure(f"syntax error: {refusal.reason}", refusal.line)
        found = (refused, *(replace(one, repair=None) for one in found if one.code != FAILURE))
    if not found and not (task.unused and _MAY_BE_UNUSED in text):
        return Outcome(task.path)
    lines = sources.lines_of(text)
    silenced: tuple[Diagnostic, ...] = ()
    if task.noqa and _SILENT in text.lower():  # few files have one, and to find where it counts takes flake8's tokens
        silence = sources.silence(lines)
        whole = silence.whole_file  # flake8 reads the whole file to tell
        quiet = [whole or silence.silences(d.line, d.code) for d in found]
        silenced = tuple(d for d, is_quiet in zip(found, quiet, strict=True) if is_quiet)
        found = tuple(d for d, is_quiet in zip(found, quiet, strict=True) if not is_quiet)
    if task.unused:
        found = tuple(sorted((*found, *comments.unused(text, silenced)), key=lambda d: (d.line, d.column, d.code)))
    wanted = _shown(found)
    shown = tuple((n, lines[n - 1].rstrip("\n")) for n in wanted if 0 < n <= len(lines))
    places = tuple(notebook.places(wanted)) if notebook is not None else ()
    return Outcome(task.path, found, silenced, shown, places)


def decoded(path: str, data: bytes) -> tuple[str, Refusal | None]:
    """Return the text that a file's bytes are, and why Python refuses it, if it does. Raises `BadNotebook`."""
    return (notebooks.decode(data), None) if notebooks.is_notebook(path) else sources.decoded(data)


def _read(task: Task) -> tuple[str, Notebook | None, Refusal | None]:
    """Return the program of a file, the notebook that it is, and why Python refuses its bytes.

    Raises `OSError` and `BadNotebook`.
    """
    if not notebooks.is_notebook(task.path):
        text, refusal = sources.read(task.path) if task.text is None else (task.text, task.refusal)
        return text, None, refusal
    text = notebooks.decode(Path(task.path).read_bytes()) if task.text is None else task.text
    notebook = notebooks.parse(text)
    return notebook.plain(), notebook, None


def _findings(text: str, task: Task, notebook: Notebook | None) -> tuple[Diagnostic, ...]:
    if notebook is None:
        return _analysed(text, Options(task.path, task.wants, details=True, project=task.project, width=task.width))
    # a cell that is no Python does not run, and the others do
    refused = [_failure(f"syntax error: {one.message}", one.line, one.column) for one in notebook.refused]
    options = Options(task.path, task.wants, True, notebook.name_of, True, task.project, task.width, notebook.raises)
    return tuple(sorted((*refused, *_analysed(text, options)), key=lambda d: (d.line, d.column, d.code)))


def _analysed(text: str, options: Options) -> tuple[Diagnostic, ...]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python says of the file's literals is not ours to say
            may_find = gate.may_find(text)
            if may_find:
                gate.check_size(text)  # before the parser, which takes seconds for a line of that length
            ast.parse(text)
        if not may_find:
            return ()
        return analyse(text, options=options)
    except SyntaxError as error:
        return (_failure(f"syntax error: {error.msg}", error.lineno or 1, max((error.offset or 1) - 1, 0)),)
    except NotAnalysed as reason:
        return (_failure(f"not analysed: {reason}"),)
    except (RecursionError, MemoryError):
        return (_failure("not analysed: nested too deeply"),)
    except ValueError as error:  # a null byte
        return (_failure(f"syntax error: {error}"),)
    except Exception as error:  # noqa: BLE001 (one file does not end the run for all others)
        return (_failure(f"internal error: {type(error).__name__}: {error}"),)


def _failure(reason: str, line: int = 1, column: int = 0) -> Diagnostic:
    return Diagnostic(FAILURE, " ".join(reason.split()), line, column, line, column)


def _shown(found: tuple[Diagnostic, ...]) -> list[int]:
    """Return the lines that a report with sources needs."""
    spans = [s.span for d in found for s in d.trace]
    spans += [e.span for d in found if d.repair is not None for e in d.repair.edits]
    lines = {line for span in spans for line in (span.line, span.end_line)}
    return sorted(lines.union(*(range(d.line, d.end_line + 1) for d in found)))
