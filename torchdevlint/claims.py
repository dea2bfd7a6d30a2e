"""What comments claim of values, and which of them are misspelt: `# tdl: x on cuda`."""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from contextlib import suppress

from torchdevlint.records import dataclass

CODE = "TDL002"
"""The code of what says that a comment is misspelt."""
MARK = "tdl:"
"""A text without it claims nothing."""
_BEGINNING = re.compile(r"#\s*tdl:")
_CLAIM = re.compile(r"#\s*tdl:\s*(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)\s+on\s+(?P<place>[\w.]+(?::\d+)?)\s*(?:#.*)?\Z")
_HOST_ONLY = re.compile(r"#\s*tdl:\s*cpu-only\s*(?:#.*)?\Z")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that what has a name is on a device, by the device's name or that of a variable."""

    name: str
    place: str


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A comment that claims nothing though it was meant to: why, its line from 1, and its columns from 0."""

    reason: str
    line: int
    column: int
    end: int


def claim(comment: str) -> Claim | None:
    """Return what a comment claims."""
    found = _CLAIM.match(comment)
    return Claim(found["name"], found["place"]) if found is not None else None


def is_host_only(comment: str) -> bool:
    """Tell whether a comment claims that a file or a function runs without an accelerator."""
    return _HOST_ONLY.match(comment) is not None


def misspelt(text: str, is_device: Callable[[str], bool]) -> Iterator[Misspelt]:
    """Yield the comments that are meant as claims and are none, or that name what the file does not have."""
    comments = []
    names: set[str] = set()
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                names.add(token.string)
            elif token.type == tokenize.COMMENT and _BEGINNING.match(token.string) and not is_host_only(token.string):
                comments.append(token)
    for token in comments:
        reason = _wrong(claim(token.string), names, is_device)
        if reason is not None:
            line, column = token.start
            yield Misspelt(reason, line, column, token.end[1])


def _wrong(told: Claim | None, names: set[str], is_device: Callable[[str], bool]) -> str | None:
    if told is None:
        return "is no `# tdl: NAME on DEVICE`, and no `# tdl: cpu-only`"
    wanted = [told.name] if is_device(told.place) else [told.name, told.place]
    for name in wanted:
        head = name.partition(".")[0]
        if head not in names:
            close = difflib.get_close_matches(head, sorted(names), n=1)
            return f"names `{head}`, which is not in the file" + (f": `{close[0]}`?" if close else "")
    return None
