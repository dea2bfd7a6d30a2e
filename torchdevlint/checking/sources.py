"""The text of a source file, read as flake8 reads it, and the comments in it that silence findings."""

from __future__ import annotations

import codecs
import io
import tokenize
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flake8.processor import FileProcessor
from flake8.violation import Violation

_PLAIN = Namespace(
    hang_closing=False, indent_size=4, max_line_length=79, max_doc_length=None, verbose=0, disable_noqa=False
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why Python does not even decode a file, and the line that it stops at."""

    reason: str
    line: int = 1


def read(path: str) -> tuple[str, Refusal | None]:
    """Return the text of a file as `decoded` does. Raises `OSError`."""
    return decoded(Path(path).read_bytes())


def decoded(data: bytes) -> tuple[str, Refusal | None]:
    """Return the text that a file's bytes are, decoded as it declares.

    Where that cannot be done, the reason is told, and the text is what flake8 makes of it, so that a wrong declaration
    is no reason to find nothing.
    """
    refusal = None
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        refusal = Refusal(str(error), data.count(b"\n", 0, error.start) + 1)
    except (SyntaxError, UnicodeError, LookupError) as error:
        refusal = Refusal(str(error))
    if refusal is not None:
        text = data.removeprefix(codecs.BOM_UTF8).decode("latin-1")
    return io.StringIO(text.removeprefix("\ufeff"), newline=None).read(), refusal


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
