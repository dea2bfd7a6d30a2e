"""What comments claim of values, and which of them are misspelt: `# tdl: x on cuda`."""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from contextlib import suppress

from torchdevlint import placed
from torchdevlint.records import dataclass

CODE = "TDL002"
"""The code of what says that a comment is misspelt."""
_HINT = re.compile(r"#[ \t]*[Tt][Dd][Ll]\b")
# It may stand behind another comment, as one that silences, but not behind code that is a comment.
_BEFORE = r"(?:#[^=()#]*)?#\s*"
_MEANT = re.compile(rf"{_BEFORE}(?P<mark>tdl(?:\s*:\s*|\s+))(?P<told>.*)", re.IGNORECASE)
_CLAIM = re.compile(r"(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)\s+on\s+(?P<place>[\w.]+(?::\d+)?)\s*(?:#.*)?\Z")
_HOST_ONLY = re.compile(r"cpu-only\s*(?:#.*)?\Z")
_FORM = "is no `# tdl: NAME on DEVICE`, and no `# tdl: cpu-only`"


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


def may_be_in(text: str) -> bool:
    """Tell whether there may be a comment in a text that claims something."""
    return _HINT.search(text) is not None


def claim(comment: str) -> Claim | None:
    """Return what a comment claims."""
    found = _CLAIM.match(_told(comment))
    return Claim(found["name"], found["place"]) if found is not None else None


def is_host_only(comment: str) -> bool:
    """Tell whether a comment claims that a file or a function runs without an accelerator."""
    return _HOST_ONLY.match(_told(comment)) is not None


def _told(comment: str) -> str:
    """Return what follows the mark, an empty text where there is none."""
    found = _MEANT.match(comment)
    return found["told"] if found is not None and ":" in found["mark"] else ""


def _is_meant(comment: str) -> bool:
    """Tell whether a comment is meant to claim something: it has our mark, or one like it and the rest is right."""
    found = _MEANT.match(comment)
    if found is None:
        return False
    mark = found["mark"].strip()
    is_right = _CLAIM.match(found["told"]) is not None or _HOST_ONLY.match(found["told"]) is not None
    return mark == "tdl:" or (is_right and (mark == "tdl" or ":" in mark))


def misspelt(text: str, is_device: Callable[[str], bool]) -> Iterator[Misspelt]:
    """Yield the comments that are meant as claims and are none, or that name what the file does not have."""
    found: list[placed.Comment] = []
    names: set[str] = set()
    with suppress(tokenize.TokenError, SyntaxError):
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        names.update(token.string for token in tokens if token.type == tokenize.NAME)
        found.extend(one for one in placed.comments(tokens) if _is_meant(one.token.string))
    for one in found:
        comment = one.token.string
        if is_host_only(comment):
            reason = one.unfit_for_all
        else:
            reason = _wrong(claim(comment), names, is_device) or one.unfit
        if reason is not None:
            line, column = one.token.start
            yield Misspelt(reason, line, column, one.token.end[1])


def _wrong(told: Claim | None, names: set[str], is_device: Callable[[str], bool]) -> str | None:
    if told is None:
        return _FORM
    wanted = [told.name] if is_device(told.place) else [told.name, told.place]
    for name in wanted:
        head = name.partition(".")[0]
        if head not in names:
            close = difflib.get_close_matches(head, sorted(names), n=1)
            return f"names `{head}`, which is not in the file" + (f": `{close[0]}`?" if close else "")
    return None
