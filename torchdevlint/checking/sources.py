"""The text of a source file, read as flake8 reads it, and the comments in it that silence findings."""

from __future__ import annotations

import io
import tokenize
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

from flake8.processor import FileProcessor
from flake8.violation import Violation

_PLAIN = Namespace(
    hang_closing=False, indent_size=4, max_line_length=79, max_doc_length=None, verbose=0, disable_noqa=False
)


def read(path: str) -> str:
    """Return the text of a file, decoded as it declares. Raises `OSError`."""
    try:
        with tokenize.open(path) as source:
            return source.read().removeprefix("\ufeff")
    except (SyntaxError, UnicodeError, LookupError):
        # flake8 does the same, so that a wrong declaration is no reason to find nothing
        with open(path, encoding="latin-1") as source:  # noqa: PTH123 (a path may be a text)
            return source.read()


def decode(data: bytes) -> str:
    """Return the text of what came through standard input."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError):
        text = data.decode("latin-1")
    return io.StringIO(text.removeprefix("\ufeff"), newline=None).read()


@dataclass(frozen=True, slots=True)
class Silence:
    """The `# noqa` comments of a file, as flake8 itself reads them."""

    processor: FileProcessor

    @property
    def whole_file(self) -> bool:
        """Whether the file asks to be left alone."""
        return bool(self.processor.should_ignore_file())

    def silences(self, line: int, code: str) -> bool:
        """Tell whether a comment silences a code that is reported at a line."""
        text = self.processor.noqa_line_for(line)
        return text is not None and Violation(code, "", line, 1, "", text).is_inline_ignored(disable_noqa=False)

    def last_line(self, line: int) -> int:
        """Return the last of the lines that a comment for a line may stand on: strings and backslashes join lines."""
        text: str | None = self.processor.noqa_line_for(line)
        if text is None:
            return line
        first = line
        while first > 1 and self.processor.noqa_line_for(first - 1) is text:
            first -= 1
        return first + max(text.count("\n") - (1 if text.endswith("\n") else 0), 0)


def silence(lines: Sequence[str]) -> Silence:
    """Return what the comments of a file silence."""
    return Silence(FileProcessor("-", _PLAIN, lines=list(lines)))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends, split where Python splits them."""
    return io.StringIO(text).readlines()
