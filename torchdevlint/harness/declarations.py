"""What a fixture declares about its own run: `# runtime: sim raises RuntimeError "same device"`.

Declarations are comment lines above the first statement, before or after the docstring. Each names a backend,
what is predicted there, and settings of the run.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Backend(Enum):
    """Where a script runs."""

    CPU = "cpu"
    SIM = "sim"
    CUDA = "cuda"


class BadDeclaration(Exception):
    """A declaration that cannot be read; the text is one sentence and tells the line."""


@dataclass(frozen=True, slots=True)
class Raises:
    """An exception of one of these types, by whose message a pattern is found.

    It comes from the reported statement or from its partner, or from a line that holds the text ``at``.
    """

    types: tuple[str, ...]
    pattern: str = ""
    at: str | None = None


@dataclass(frozen=True, slots=True)
class RunsClean:
    """The script ends without an exception."""


@dataclass(frozen=True, slots=True)
class GrowsGraph:
    """What the reported statement accumulates holds more nodes of the graph each time."""


@dataclass(frozen=True, slots=True)
class BoundsGraph:
    """What is accumulated under a name does not hold more and more nodes of the graph."""

    name: str


Kept = Literal["host", "accelerator", "dtype"]
KEPT: tuple[Kept, ...] = ("host", "accelerator", "dtype")


@dataclass(frozen=True, slots=True)
class Stays:
    """The reported move changes nothing of the tensor it is called on."""

    kept: Kept


@dataclass(frozen=True, slots=True)
class NeverUpdates:
    """No step of an optimizer changes a parameter of what the reported statement moves or puts into a module."""


@dataclass(frozen=True, slots=True)
class Races:
    """The output depends on whether copies have arrived."""


@dataclass(frozen=True, slots=True)
class BuildsGraph:
    """What the reported statement assigns has a graph each time."""


@dataclass(frozen=True, slots=True)
class GrowsMemory:
    """More memory of the device is in use each time that the reported statement has run."""


CostKind = Literal["syncs", "copies"]
COSTS: tuple[CostKind, ...] = ("syncs", "copies")


@dataclass(frozen=True, slots=True)
class Costs:
    """The reported statement makes the host wait for the device, or copies to it, at least so many ``times``.

    With ``most`` the whole script does so at most so many times.
    """

    kind: CostKind
    times: int
    most: bool = False


@dataclass(frozen=True, slots=True)
class Warns:
    """The reported statement warns, by a message in which a pattern is found."""

    type: str
    pattern: str


Prediction = (
    Raises
    | RunsClean
    | GrowsGraph
    | BoundsGraph
    | BuildsGraph
    | GrowsMemory
    | Stays
    | NeverUpdates
    | Races
    | Costs
    | Warns
)


@dataclass(frozen=True, slots=True)
class Setting:
    """How the run is set up.

    ``devices`` are the accelerators there are, ``optimizer`` the class of `torch.optim` that stands in for all
    others, and ``after`` the backend on which the script ran before, in the same folder. With ``replaced``, a module
    that moves gets new parameters, as on XLA. ``needs`` are the packages without which nothing is run.
    """

    devices: int = 1
    optimizer: str | None = None
    after: Backend | None = None
    replaced: bool = False
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """One prediction about one backend, as it stands in the script (``text``)."""

    backend: Backend
    prediction: Prediction
    setting: Setting
    text: str


@dataclass(frozen=True, slots=True)
class Exemption:
    """The script is run nowhere, for a reason."""

    reason: str


_LINE = re.compile(r"#\s*runtime:\s*(?P<text>.*?)\s*$")
_OPTION = re.compile(r"(?P<name>devices|optimizer|after|parameters|needs)=(?P<value>\w+(?:,\w+)*)\Z")
_TYPES = re.compile(r"[A-Za-z_]\w*(?:\|[A-Za-z_]\w*)*\Z")


def parse(text: str) -> tuple[Declaration | Exemption, ...]:
    """Return the declarations of a source text, in its order.

    Raises `BadDeclaration` for a line that begins as one and goes on differently, for one that stands below the
    first statement, for one that is there twice, and for a text that is no Python.
    """
    found: list[Declaration | Exemption] = []
    first, docstring = _header(text)
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.match(line.strip())
        if match is None or number in docstring:
            continue
        if number >= first:
            raise BadDeclaration(f"line {number}: a declaration stands above the first statement")
        try:
            one = _declaration(match["text"])
        except ValueError as error:
            raise BadDeclaration(f"line {number}: {error}") from error
        if one in found:
            raise BadDeclaration(f"line {number}: `{match['text']}` is declared twice")
        found.append(one)
    return tuple(found)


def _header(text: str) -> tuple[int, range]:
    """Return the line of the first statement, and the lines of the docstring."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadDeclaration(f"the script is no valid Python: {error}") from error
    docstring = range(0)
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        docstring = range(body[0].lineno, (body[0].end_lineno or body[0].lineno) + 1)
        body = body[1:]
    return (body[0].lineno if body else len(text.splitlines()) + 1), docstring


def _declaration(text: str) -> Declaration | Exemption:
    words = iter(shlex.split(text))
    place = next(words, "")
    if place == "none":
        reason = " ".join(words)
        if not reason:
            raise ValueError("`none` needs a reason")
        return Exemption(reason)
    backend = _backend(place)
    prediction, rest = _prediction(next(words, ""), list(words))
    return Declaration(backend, prediction, _setting(rest), text)


def _backend(word: str) -> Backend:
    try:
        return Backend(word)
    except ValueError:
        raise ValueError(f"`{word}` is no backend: cpu, sim, cuda or none") from None


def _prediction(verb: str, words: list[str]) -> tuple[Prediction, list[str]]:
    """Return what is predicted, and the words that are left."""
    match [verb, *words]:
        case ["ok", *rest]:
            return RunsClean(), rest
        case ["races", *rest]:
            return Races(), rest
        case ["never", "updates", *rest]:
            return NeverUpdates(), rest
        case ["grows", "graph", *rest]:
            return GrowsGraph(), rest
        case ["grows", "memory", *rest]:
            return GrowsMemory(), rest
        case ["builds", "graph", *rest]:
            return BuildsGraph(), rest
        case ["bounds", "graph", name, *rest] if not _OPTION.match(name):
            return BoundsGraph(name), rest
        case ["stays", kept, *rest] if kept in KEPT:
            return Stays(KEPT[KEPT.index(kept)]), rest
        case [kind, "at", "most", times, *rest] if kind in COSTS and times.isdecimal():
            return Costs(COSTS[COSTS.index(kind)], int(times), most=True), rest
        case [kind, times, *rest] if kind in COSTS and times.isdecimal():
            return Costs(COSTS[COSTS.index(kind)], int(times)), rest
        case ["warns", type_, pattern, *rest] if _TYPES.match(type_):
            return Warns(type_, _compiled(pattern)), rest
        case ["raises", types, *rest] if _TYPES.match(types):
            return _raises(tuple(types.split("|")), rest)
        case _:
            raise ValueError(f"`{' '.join([verb, *words])}` is no prediction")


def _raises(types: tuple[str, ...], words: list[str]) -> tuple[Raises, list[str]]:
    pattern = ""
    if words and words[0] != "at" and not _OPTION.match(words[0]):
        pattern, *words = words
    _compiled(pattern)
    match words:
        case ["at", at, *rest]:
            return Raises(types, pattern, at), rest
        case _:
            return Raises(types, pattern), words


def _compiled(pattern: str) -> str:
    """Return a pattern that is a regular expression; raises `ValueError` for any other."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"`{pattern}` is no regular expression: {error}") from error
    return pattern


def _setting(words: list[str]) -> Setting:
    given = dict(_options(words))
    devices = given.get("devices", "1")
    if not (devices.isdecimal() and 1 <= int(devices) <= 8):
        raise ValueError(f"`devices={devices}` is no number of devices from 1 to 8")
    after = _backend(given["after"]) if "after" in given else None
    if given.get("parameters", "replaced") != "replaced":
        raise ValueError(f"`parameters={given['parameters']}` is not `parameters=replaced`")
    needs = tuple(given["needs"].split(",")) if "needs" in given else ()
    return Setting(int(devices), given.get("optimizer"), after, "parameters" in given, needs)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        match = _OPTION.match(word)
        if match is None:
            raise ValueError(f"`{word}` is no setting: devices=, optimizer=, parameters=, after= or needs=")
        yield match["name"], match["value"]
