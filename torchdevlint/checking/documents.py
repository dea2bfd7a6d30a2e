"""A source file to be edited: its encoding, byte order mark and line ends stay as they are."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from torchdevlint.edits import Edit

LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""The lines of a text with their ends, as Python counts them."""


class NotEditable(Exception):
    """A file that cannot be edited without losing something; the text says why."""


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a file with the line ends it has, and how it is written as bytes."""

    text: str
    encoding: str
    mark: bytes = b""

    @property
    def newline(self) -> str:
        """The line end of the first line, for lines that are added."""
        found = re.search(r"\r\n|\r|\n", self.text)
        return found[0] if found is not None else "\n"

    def lines(self) -> list[str]:
        """Return the lines with their ends, as they are counted in the source."""
        return LINES.findall(self.text)

    def edited(self, edits: Iterable[Edit]) -> Document:
        """Return the document after edits that do not overlap."""
        starts = [0]
        for line in self.lines():
            starts.append(starts[-1] + len(line))
        parts, done = [], 0
        for edit in sorted(edits, key=lambda e: (e.span.line, e.span.column)):
            begin = starts[edit.span.line - 1] + edit.span.column
            parts += [self.text[done:begin], edit.text.replace("\n", self.newline)]
            done = starts[edit.span.end_line - 1] + edit.span.end_column
        return Document("".join((*parts, self.text[done:])), self.encoding, self.mark)

    def plain(self) -> str:
        """Return the text as an analysis reads it, with one kind of line end."""
        return io.StringIO(self.text, newline=None).read()

    def given(self) -> str:
        """Return the text that a check of this file is given."""
        return self.plain()

    def is_python(self) -> bool:
        """Tell whether Python would run the text."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(self.plain(), "<fixed>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        return True

    def sections(self) -> Iterator[tuple[str, str]]:
        """Yield what a diff shows: what follows the path, and the text, with the line ends that it has."""
        yield "", self.text

    def encode(self) -> bytes:
        """Return the bytes of the file. Raises `NotEditable` for a character that its encoding does not have."""
        try:
            return self.mark + self.text.encode(self.encoding)
        except UnicodeError:
            raise NotEditable(f"its encoding, {self.encoding}, lacks a character") from None


def parse(data: bytes) -> Document:
    """Return the document that some bytes are. Raises `NotEditable` where they are not what they declare."""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        document = Document(data[len(mark) :].decode(encoding), encoding, mark)
    except (SyntaxError, UnicodeError, LookupError):
        raise NotEditable("it is not encoded as it declares") from None
    if document.encode() != data:
        raise NotEditable(f"its encoding, {document.encoding}, does not survive a change")
    return document
