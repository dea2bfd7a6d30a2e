"""Which codes are wanted: in the whole run, and in files that match a pattern."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from torchdevlint.checking.paths import below
from torchdevlint.selection import Selection


class UnknownCode(Exception):
    """A selector that is the beginning of no code; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The codes wanted in one file; picklable, so that it can be sent to another process."""

    selection: Selection
    ignored_here: tuple[str, ...] = ()

    def __call__(self, code: str) -> bool:
        """Tell whether findings with a code are wanted."""
        return self.selection.wants(code) and not code.startswith(self.ignored_here or ("-",))


@dataclass(frozen=True, slots=True)
class PerFile:
    """What is ignored in the files that match a pattern, which is relative to the folder of the configuration."""

    pattern: str
    codes: tuple[str, ...]

    def matches(self, path: str, root: Path) -> bool:
        """Tell whether a file is meant."""
        return GitIgnoreSpec.from_lines([self.pattern]).match_file(below(path, os.fspath(root)) or path)


def selection(select: tuple[str, ...] | None, extend_select: tuple[str, ...], ignore: tuple[str, ...]) -> Selection:
    """Return what selectors choose: of those that fit a code the longest wins, and ignoring wins between equals."""
    return Selection(
        chosen=(*(select or ()), *extend_select),
        ignored=ignore,
        chosen_by_default=() if select is not None else ("TDL",),
    )


def wanted_in(path: str, chosen: Selection, per_file: Iterable[PerFile], root: Path) -> Wanted:
    """Return the codes that are wanted in a file."""
    return Wanted(chosen, tuple(code for one in per_file if one.matches(path, root) for code in one.codes))


def parse(selectors: Iterable[str], codes: Iterable[str], where: str) -> tuple[str, ...]:
    """Return selectors, separated by commas or spaces or given one by one, in capitals.

    Raises `UnknownCode` for one that is the beginning of no code.
    """
    known = tuple(codes)
    found = [part.upper() for text in selectors for part in text.replace(",", " ").split()]
    for one in found:
        if not any(code.startswith(one) for code in known):
            close = difflib.get_close_matches(one, known, n=1, cutoff=0.7)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UnknownCode(f"{where}: there is no code {one}{hint}")
    if not found:
        raise UnknownCode(f"{where} names no code")
    return tuple(found)
