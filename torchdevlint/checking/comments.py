"""`# noqa` comments: those that are to be added, and those that silence nothing."""

from __future__ import annotations

import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress

from torchdevlint.checking.editing import Editable
from torchdevlint.checking.sources import Silence, lines_of, silence
from torchdevlint.edits import Edit
from torchdevlint.engine import Diagnostic
from torchdevlint.positions import Span

UNUSED = "TDL001"
"""The code of a comment that silences nothing; told only where it is asked for."""
_PREFIX = "TDL"
_NOQA = re.compile(r"# noqa:\s?(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]+[0-9]+", re.IGNORECASE)


def unused(text: str, silenced: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield a finding for each comment that names codes of ours which silence nothing on its line."""
    quiet = tuple(silenced)
    lines = lines_of(text)
    comments = silence(lines)
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            found = _NOQA.search(token.string) if token.type == tokenize.COMMENT else None
            if found is None:
                continue
            line, start = token.start
            codes = [code.upper() for code in _CODE.findall(found["codes"]) if code.upper().startswith(_PREFIX)]
            idle = [
                code
                for code in codes
                if not any(_reaches(comments, line, d) and d.code.startswith(code) for d in quiet)
            ]
            if idle:
                message = f"`# noqa` comment silences nothing: {', '.join(idle)}"
                begin = start + found.start()
                yield Diagnostic(UNUSED, message, line, begin, line, begin + len(found[0]))


def _reaches(comments: Silence, line: int, finding: Diagnostic) -> bool:
    """Tell whether a comment on a line is one that counts for a finding."""
    return comments.last_line(finding.line) == comments.last_line(line)


def added(document: Editable, findings: Iterable[Diagnostic], reason: str = "") -> Editable:
    """Return a document in which comments silence the findings, each at the end of its line."""
    text = document.plain()
    comments = silence(lines_of(text))
    by_line: dict[int, dict[str, None]] = defaultdict(dict)
    for finding in findings:
        by_line[comments.last_line(finding.line)][finding.code] = None
    lines = document.lines()
    return document.edited(_comment(lines[line - 1], line, tuple(codes), reason) for line, codes in by_line.items())


def _comment(source: str, line: int, codes: tuple[str, ...], reason: str) -> Edit:
    """Return the edit that adds codes to the comment of a line, or a comment to a line without one."""
    found = _NOQA.search(source)
    if found is not None:
        return Edit(Span(line, found.end(), line, found.end()), f",{','.join(codes)}")
    end = len(source.rstrip())
    told = f" {reason}" if reason else ""
    return Edit(Span(line, end, line, end), f"  # noqa: {','.join(codes)}{told}")
