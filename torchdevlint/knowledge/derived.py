"""Rows derived from PyTorch itself, in a text of one line a row; each is made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from pathlib import Path
from typing import Any

from torchdevlint.knowledge.rows import (
    Combine,
    Follow,
    Like,
    Loss,
    Make,
    Mix,
    ModuleType,
    OptimizerType,
    Plain,
    RankRule,
    Row,
    Switch,
)

FILE = Path(__file__).with_name("derived.txt")
METHOD = "torch.Tensor."

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (Combine, Follow, Like, Loss, Make, ModuleType, OptimizerType, Plain)
}
_ENUMS: dict[str, type[Enum]] = {"rank": RankRule, "mix": Mix, "out_mix": Mix, "returns": RankRule}
_BUFFERS = ":buffers"
_CONSTANTS = {"True": True, "False": False, "None": None}


def line_of(name: str, row: Row) -> str:
    """Return the line of a row: the name, the kind, and what differs from the kind's defaults."""
    return " ".join([name, type(row).__name__, *_words(row, "")])


def _words(row: Any, before: str) -> Iterator[str]:
    for field in fields(row):
        value = getattr(row, field.name)
        if value != field.default or field.default is MISSING:
            yield f"{before}{field.name}={_text_of(value)}"
            if isinstance(value, Loss):
                yield from _words(value, f"{before}{field.name}.")


def _text_of(value: object) -> str:
    match value:
        case Enum():
            return value.name
        case tuple():
            return ",".join(map(_text_of, value)) + ("," if len(value) == 1 else "")
        case Loss():
            return Loss.__name__
        case Switch():
            return f"{'+' if value.on else '-'}{value.name}@{value.position}{_BUFFERS if value.buffers else ''}"
        case _:
            return str(value)


def row_of(words: str) -> Row:
    """Return the row of a line without its name; raises KeyError or TypeError for what is no row."""
    kind, *given = words.split(" ")
    values = {name: _value_of(name, text) for name, text in (pair.split("=", 1) for pair in given)}
    inner = {name: values.pop(name) for name in tuple(values) if "." in name}
    if "loss" in values:
        values["loss"] = Loss(**{name.partition(".")[2]: value for name, value in inner.items()})
    made: Row = _KINDS[kind](**values)
    return made


def _value_of(name: str, text: str) -> Any:
    if name in _ENUMS:
        return _ENUMS[name][text]
    if name == "switches":
        return tuple(map(_switch_of, text.removesuffix(",").split(",")))
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if "," in text:
        return tuple(text.removesuffix(",").split(","))
    return int(text) if text.lstrip("-").isdigit() else text


def _switch_of(text: str) -> Switch:
    name, _, place = text[1:].removesuffix(_BUFFERS).partition("@")
    return Switch(name, int(place), on=text[0] == "+", buffers=text.endswith(_BUFFERS))


class Rows(Mapping[str, Row]):
    """Rows by name: those written by hand, and beside them the derived ones, which are made when they are asked for."""

    __slots__ = ("_rows", "derived")

    def __init__(self, by_hand: Mapping[str, Row], derived: Mapping[str, str]) -> None:
        """Take the rows written by hand, and the lines of the others without their names."""
        self._rows: dict[str, Row | str] = {**derived, **by_hand}
        self.derived = frozenset(derived.keys() - by_hand.keys())

    def get(self, key: str, default: Any = None) -> Any:
        """Return the row of a name, or the default."""
        found = self._rows.get(key, default)
        if type(found) is str:
            found = self._rows[key] = row_of(found)
        return found

    def beside(self, rows: Mapping[str, Row]) -> Rows:
        """Return these rows and others, which speak first."""
        made = Rows({}, {})
        made._rows = {**self._rows, **rows}
        made.derived = self.derived - rows.keys()
        return made

    def __getitem__(self, key: str) -> Row:
        """Return the row of a name; raises KeyError."""
        if key not in self._rows:
            raise KeyError(key)
        found: Row = self.get(key)
        return found

    def __contains__(self, key: object) -> bool:
        """Tell whether there is a row of a name."""
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)


def read(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the lines of functions and those of methods of tensors, by name, of a file's text."""
    functions: dict[str, str] = {}
    methods: dict[str, str] = {}
    for line in text.splitlines()[1:]:
        name, _, words = line.partition(" ")
        if name.startswith(METHOD):
            methods[name[len(METHOD) :]] = words
        else:
            functions[name] = words
    return functions, methods


def release(text: str) -> str:
    """Return the release of PyTorch that a file's rows are of, which its first line names."""
    return text.partition("\n")[0].split(" ")[2].removesuffix(",")


FUNCTIONS, METHODS = read(FILE.read_text(encoding="utf-8"))
