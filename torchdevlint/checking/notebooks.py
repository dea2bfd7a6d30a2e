"""A Jupyter notebook as a program: its cells in their order, and where each line stands in a cell and in the file.

https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import codecs
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

from torchdevlint.checking import magics, saved_errors
from torchdevlint.checking.documents import LINES, NotEditable
from torchdevlint.checking.magics import Line
from torchdevlint.edits import Edit

SUFFIX = ".ipynb"
FORMAT = 4
_RAISES = "raises-exception"
"""The tag of a cell that is meant to fail: https://nbformat.readthedocs.io/en/latest/format_description.html#cell-metadata"""
_SPACE = re.compile(r"[ \t\r\n]*")
_WRITTEN = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
"""A character of a string in JSON, as it is written."""
_DECODER = json.JSONDecoder()


class BadNotebook(Exception):
    """A file that is no notebook, or none that is read; the text says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line of the program stands: in which cell and row of it, and in which line and columns of the file.

    Cells count from 1, all kinds of them; rows and lines too. ``shift`` is to be added to a column of the program for
    that in the cell; ``columns`` are those in the file of each column of the cell's row, from 0.
    """

    cell: int
    row: int
    shift: int
    line: int
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A cell that is no Python, so that it cannot have run: why, and its line and column in the program."""

    message: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class _Cell:
    """A code cell: its number, whether its source is a list, and where each string of it stands in the file.

    ``raises`` tells that it is meant to fail.
    """

    number: int
    strings: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]
    is_list: bool
    raises: bool

    @property
    def source(self) -> str:
        return "".join(self.texts)


@dataclass(frozen=True, slots=True)
class _Chart:
    """Where each character of a cell's source begins and ends in the file, and each row in the source, without its end.

    The last of the characters is the end of the source.
    """

    begins: list[int]
    ends: list[int]
    rows: list[tuple[int, int]]


@dataclass(frozen=True)
class Notebook:
    """A notebook: its text as it stands in the file, its code cells, and the lines by which it is known to fail."""

    text: str
    mark: bytes = b""
    cells: tuple[_Cell, ...] = ()
    failing: frozenset[str] = frozenset()

    @cached_property
    def _translated(self) -> tuple[list[tuple[_Cell, Line]], list[Refused]]:
        lines: list[tuple[_Cell, Line]] = []
        refused: list[Refused] = []
        for cell in self.cells:
            try:
                own = magics.translate(cell.source)
            except magics.NoPython as reason:
                refused.append(Refused(reason.message, len(lines) + reason.row, reason.column))
                own = [Line("", row) for row in range(1, len(LINES.findall(cell.source)) + 1)]
            lines.extend((cell, line) for line in own)
        return lines, refused

    @property
    def refused(self) -> list[Refused]:
        """The cells that are no Python; in the program they are blank."""
        return self._translated[1]

    def plain(self) -> str:
        """Return the cells as one program, which an analysis reads."""
        return "".join(f"{line.text}\n" for _, line in self._translated[0])

    def lines(self) -> list[str]:
        """Return the lines of the program with their ends."""
        return [f"{line.text}\n" for _, line in self._translated[0]]

    def given(self) -> str:
        """Return the text that a check of this file is given."""
        return self.text

    def is_python(self) -> bool:
        """Tell whether the program can be parsed, but for the cells that could not."""
        return magics.parsed([line for _, line in self._translated[0]]) is not None

    def sections(self) -> Iterator[tuple[str, str]]:
        """Yield the code cells, as a diff shows them: what follows the path, and the source."""
        for cell in self.cells:
            yield f":cell {cell.number}", cell.source

    def name_of(self, line: int, at: int) -> str:
        """Return what messages call a line of the program, wherever they are."""
        cell, own = self._translated[0][line - 1]
        return f"cell {cell.number}, line {own.row}"

    def raises(self, line: int) -> bool:
        """Tell whether a line of the program is meant to fail: its cell is, or failed up to there and was left so."""
        known = self._translated[0]
        cell = known[line - 1][0]
        above = takewhile(lambda one: one[0] is cell, reversed(known[:line]))
        return cell.raises or any(one.text.strip() in self.failing for _, one in above)

    def places(self, lines: Iterable[int]) -> Iterator[tuple[int, Place]]:
        """Yield lines of the program with their places, those that there are."""
        known = self._translated[0]
        for line in lines:
            if 0 < line <= len(known):
                cell, own = known[line - 1]
                chart = self._chart(cell)
                start, end = chart.rows[own.row - 1]
                found = [self._position(place) for place in chart.begins[start : end + 1]]
                yield line, Place(cell.number, own.row, own.shift, found[0][0], tuple(column for _, column in found))

    def edited(self, edits: Iterable[Edit]) -> Notebook:
        """Return the notebook after edits of the program that do not overlap; all else stays as it is written.

        Raises `NotEditable` for an edit of what stands in no cell.
        """
        text = self.text
        for edit in sorted(edits, key=lambda e: (e.span.line, e.span.column), reverse=True):
            cell, start = self._index(edit.span.line, edit.span.column)
            other, end = self._index(edit.span.end_line, edit.span.end_column)
            if other is not cell:
                raise NotEditable("a change would reach from one cell into another")
            chart = self._chart(cell)
            first = chart.ends[start - 1] if start == end and edit.span.column else chart.begins[start]
            last = chart.ends[end - 1] if end > start else first
            text = text[:first] + self._quoted(edit.text, cell) + text[last:]
        changed = _parse(text, self.mark)
        for old, new in zip(reversed(self.cells), reversed(changed.cells), strict=True):
            if "" not in old.texts:
                text = _without_empty(text, new)
        return _parse(text, self.mark)

    def encode(self) -> bytes:
        """Return the bytes of the file. Raises `NotEditable` for what cannot be encoded."""
        try:
            return self.mark + self.text.encode()
        except UnicodeError:
            raise NotEditable("its encoding, utf-8, lacks a character") from None

    def _index(self, line: int, column: int) -> tuple[_Cell, int]:
        """Return the cell of a position in the program, and which character of its source stands there."""
        cell, own = self._translated[0][line - 1]
        if own.added:
            raise NotEditable("a change would stand outside of the cells")
        start, end = self._chart(cell).rows[own.row - 1]
        return cell, min(start + own.shift + column, end)

    @cached_property
    def _charts(self) -> dict[int, _Chart]:
        return {}

    def _chart(self, cell: _Cell) -> _Chart:
        """Return where the characters of a cell stand; found once a cell."""
        known = self._charts.get(cell.number)
        if known is None:
            known = self._charts[cell.number] = _charted(cell, self.text)
        return known

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", self.text))]

    def _position(self, place: int) -> tuple[int, int]:
        """Return the line of the file, from 1, and the column, from 0, of a place in its text."""
        line = bisect_right(self._line_starts, place)
        return line, place - self._line_starts[line - 1]

    def _quoted(self, text: str, cell: _Cell) -> str:
        """Return a text as it is written into a cell: a list has a string a line, as its others are separated."""
        written = quoted(text, ascii_only=self.text.isascii())
        if not cell.is_list or len(cell.strings) < 2:
            return written
        between = self.text[cell.strings[0][1] : cell.strings[1][0]]
        return written.replace("\\n", f"\\n{between}")


def _without_empty(text: str, cell: _Cell) -> str:
    """Return the text of a notebook without the strings of a cell's list in which nothing is left."""
    kept = [text[begin - 1 : end + 1] for begin, end in cell.strings if begin < end]
    if not cell.is_list or not kept or len(kept) == len(cell.strings):
        return text
    (first, second), last = cell.strings[:2], cell.strings[-1]
    between = text[first[1] + 1 : second[0] - 1]
    return text[: first[0] - 1] + between.join(kept) + text[last[1] + 1 :]


def quoted(text: str, *, ascii_only: bool = False) -> str:
    """Return a text as it is written in JSON, between its quotes."""
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def is_notebook(path: str) -> bool:
    """Tell whether a path is that of a notebook."""
    return path.endswith(SUFFIX)


def decode(data: bytes) -> str:
    """Return the text of a notebook's bytes, its byte order mark left out. Raises `BadNotebook`."""
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeError:
        raise BadNotebook("it is not encoded as UTF-8") from None


def parse(text: str) -> Notebook:
    """Return the notebook that a text is; one whose language is another has no cells. Raises `BadNotebook`."""
    return _parse(text, b"")


def editable(data: bytes) -> Notebook:
    """Return the notebook that some bytes are. Raises `NotEditable` for what is none."""
    try:
        return _parse(decode(data), codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b"")
    except BadNotebook as reason:
        raise NotEditable(str(reason)) from None


def _parse(text: str, mark: bytes) -> Notebook:
    if not text.strip():
        return Notebook(text, mark)  # as editors make a new one
    try:
        start = _after_space(text, 0)
        whole, end = _value(text, start)
        end = _after_space(text, end)
        if end < len(text):
            raise json.JSONDecodeError("Extra data", text, end)
        if not isinstance(whole, Mapping):
            raise BadNotebook("it is JSON, but no notebook")
        version, cells = whole.get("nbformat"), whole.get("cells")
        if isinstance(version, int) and version < FORMAT:
            raise BadNotebook(f"it is of nbformat {version}, and notebooks are read from nbformat {FORMAT} on")
        if not isinstance(cells, list) or not isinstance(version, int):
            raise BadNotebook("it is JSON, but no notebook")
        found = tuple(_cells(text, dict(_members(text, start))["cells"])) if _speaks_python(whole) else ()
    except json.JSONDecodeError as error:
        raise BadNotebook(f"it is not JSON: {error}") from None
    except RecursionError:
        raise BadNotebook("it is nested too deeply") from None
    except ValueError:
        raise BadNotebook("it holds a number of too many digits") from None
    return replace(Notebook(text, mark), cells=found, failing=frozenset(saved_errors.failing_lines(cells)))


def _charted(cell: _Cell, text: str) -> _Chart:
    found = [place.span() for start, end in cell.strings for place in _WRITTEN.finditer(text, start, end)]
    last = cell.strings[-1][1]
    rows = []
    start = 0
    for row in LINES.findall(cell.source):
        rows.append((start, start + len(row.rstrip("\r\n"))))
        start += len(row)
    return _Chart([*(begin for begin, _ in found), last], [*(end for _, end in found), last], rows)


def _speaks_python(notebook: Mapping[str, Any]) -> bool:
    """Tell whether the language of a notebook is Python, as it is where nothing is said."""
    metadata = notebook.get("metadata")
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        named = metadata.get(part) if isinstance(metadata, Mapping) else None
        language = named.get(key) if isinstance(named, Mapping) else None
        if isinstance(language, str):
            return language.lower() in ("python", "ipython")
    return True


def _cells(text: str, place: int) -> Iterator[_Cell]:
    """Yield the code cells of a list of cells. Raises `BadNotebook` for a cell that is none."""
    for number, start in enumerate(_items(text, place), 1):
        cell, _ = _value(text, start)
        if not isinstance(cell, Mapping) or not isinstance(cell.get("cell_type"), str):
            raise BadNotebook(f"cell {number} of it is none")
        metadata = cell.get("metadata")
        vscode = metadata.get("vscode") if isinstance(metadata, Mapping) else None
        language = vscode.get("languageId", "python") if isinstance(vscode, Mapping) else "python"
        if cell["cell_type"] != "code" or language != "python":
            continue
        tags = metadata.get("tags") if isinstance(metadata, Mapping) else None
        raises = isinstance(tags, list) and _RAISES in tags
        source = cell.get("source")
        begin = dict(_members(text, start)).get("source", -1)
        if isinstance(source, str):
            _, end = _value(text, begin)
            yield _Cell(number, ((begin + 1, end - 1),), (source,), False, raises)
        elif isinstance(source, list) and all(isinstance(one, str) for one in source):
            strings = tuple((one + 1, _value(text, one)[1] - 1) for one in _items(text, begin))
            yield _Cell(number, strings, tuple(source), True, raises)
        else:
            raise BadNotebook(f"cell {number} of it has no source")


def _value(text: str, place: int) -> tuple[Any, int]:
    """Return the JSON value that begins at a place, and where it ends."""
    return _DECODER.raw_decode(text, place)


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    assert found is not None
    return found.end()


def _members(text: str, place: int) -> Iterator[tuple[str, int]]:
    """Yield the keys of an object of valid JSON with the places where their values begin."""
    place = _after_space(text, place + 1)
    while text[place] != "}":
        key, place = _value(text, place)
        place = _after_space(text, _after_space(text, place) + 1)
        yield key, place
        place = _after_item(text, place)


def _items(text: str, place: int) -> Iterator[int]:
    """Yield the places where the values of a list of valid JSON begin."""
    place = _after_space(text, place + 1)
    while text[place] != "]":
        yield place
        place = _after_item(text, place)


def _after_item(text: str, place: int) -> int:
    """Return where the next item begins, or the bracket that ends the collection."""
    place = _after_space(text, _value(text, place)[1])
    return _after_space(text, place + 1) if text[place] == "," else place
