"""What the command says while it works and in the end: progress, a report, a sentence."""

from __future__ import annotations

import io
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from torchdevlint.checking.writing import replace_bytes
from torchdevlint.cli.failure import Failure
from torchdevlint.reports import FORMATS, Report
from torchdevlint.reports.report import name_of

FOR_PEOPLE = ("full", "concise")
PATIENCE = 1.0
"""Seconds after which a terminal is told how far the work is."""


@contextmanager
def progress(total: int) -> Iterator[Callable[[int], object]]:
    """Show how far the work is, on a terminal and where it takes time."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    # no thread of its own: processes may be forked while it shows
    bar = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
    task = bar.add_task("checking", total=total)
    began = time.monotonic()

    def advance(done: int) -> None:
        bar.advance(task, done)
        if time.monotonic() - began > PATIENCE:
            bar.start()
            bar.refresh()

    try:
        yield advance
    finally:
        bar.stop()


def report(made: Report, form: str | None, *, statistics: bool, to: Path | None) -> None:
    """Write a report, to standard output or, whole or not at all, to a file. Raises `Failure`."""
    name = form or ("full" if made.colour else "concise")
    write(counted(made) if statistics else FORMATS[name](made), to, for_people=statistics or name in FOR_PEOPLE)


def write(text: str, to: Path | None, *, for_people: bool = True) -> None:
    """Write a text to standard output, or in place of a file as UTF-8. Raises `Failure` where it cannot be written."""
    if to is None:
        show(text, for_people=for_people)
        return
    try:
        replace_bytes(to, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise Failure(f"{to} cannot be written: {error.strerror or error}") from None


def show(text: str, *, for_people: bool = True) -> None:
    """Write a text to standard output: for people as it is encoded, with escapes for what that lacks, else as UTF-8.

    Raises `Failure` where it cannot be written, and BrokenPipeError where nobody reads it any more.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        if for_people:
            sys.stdout.reconfigure(errors="backslashreplace")
        else:
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        print(text, end="", flush=True)  # noqa: T201 (it stands where there is no standard output, too)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure(f"standard output cannot be written: {error.strerror or error}") from None


def hand_over(data: bytes) -> None:
    """Write bytes to standard output as they are, line ends included."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()


def counted(made: Report) -> str:
    """Return the number of findings of each rule, the most frequent first."""
    counts = Counter((finding.code, name_of(finding)) for _, finding in made.findings())
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    width = max((len(str(count)) for count in counts.values()), default=1)
    return "".join(f"{count:{width}}\t{code}\t{name}\n" for (code, name), count in ordered)


def say(text: str) -> None:
    """Say a sentence on standard error."""
    print(text, file=sys.stderr)  # noqa: T201


def count(number: int, what: str) -> str:
    """Return a number of things, in the singular where it is one."""
    return f"{number} {what}{'' if number == 1 else 's'}"
