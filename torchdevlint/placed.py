"""Where comments stand: behind a statement or above it, or where no statement is that they could be about."""

from __future__ import annotations

import tokenize
from collections.abc import Iterable, Iterator

from torchdevlint.records import dataclass

_SPACE = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
_BLOCKS = frozenset({"async", "class", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with"})
_GOING_ON = frozenset({"elif", "else", "except", "finally"})


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, and why it tells nothing where it stands, the end of a sentence; None where it does.

    ``unfit`` is that for what is told of a value, ``unfit_for_all`` for what is told of a whole file or function.
    """

    token: tokenize.TokenInfo
    unfit: str | None = None
    unfit_for_all: str | None = None


def comments(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[Comment]:
    """Yield the comments among the tokens of a file, each with what is to be said of its place."""
    above: list[tokenize.TokenInfo] = []
    line: list[tokenize.TokenInfo] = []  # of the logical line, as far as it goes
    depth, is_head = 0, True
    for token in tokens:
        if token.type == tokenize.COMMENT:
            if line:
                yield Comment(token, _unfit_beside(line, depth), _unfit_for_function(line, depth))
            else:
                above.append(token)
        elif token.type == tokenize.NEWLINE:
            line = []
        elif token.type not in _SPACE:
            yield from (_above(one, token, is_head) for one in above)
            above, is_head = [], False
            line.append(token)
            depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))


def _unfit_beside(line: list[tokenize.TokenInfo], depth: int) -> str | None:
    first, last = line[0].string, line[-1].string
    if depth:
        return "stands in brackets, where it tells nothing"
    if first == "@" or (first in _BLOCKS and last != ":"):
        return "stands where it tells nothing: it is for the line of a statement, or above it"
    return "stands on the line of a class, where it tells nothing" if first == "class" else None


def _unfit_for_function(line: list[tokenize.TokenInfo], depth: int) -> str | None:
    is_function = line[0].string in ("def", "async") and "def" in [one.string for one in line[:2]]
    return None if is_function and line[-1].string == ":" and not depth else _FOR_ALL


def _above(comment: tokenize.TokenInfo, token: tokenize.TokenInfo, is_head: bool) -> Comment:
    if token.type == tokenize.ENDMARKER or comment.start[1] > token.start[1]:
        unfit: str | None = "stands above no statement, where it tells nothing"
    else:
        unfit = f"stands above `{token.string}`, where it tells nothing" if token.string in _GOING_ON else None
    return Comment(comment, unfit, None if is_head else _FOR_ALL)


_FOR_ALL = "stands where it tells nothing: it is for the head of a file, or the line of a `def`"
