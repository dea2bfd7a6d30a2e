"""What a simulation tells of a run: copies by kind, synchronisations, and peak memory, each by line of the source."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchdevlint.harness.simulator import Simulation

_SYNCHRONISATION = "synchronisation"


@dataclass(frozen=True, slots=True)
class Traffic:
    """How often something happened on a line of a file, and how many bytes it moved or held."""

    kind: str
    file: str
    line: int
    times: int
    nbytes: int


def traffic(simulation: Simulation) -> list[Traffic]:
    """Return what happened in a simulation, the greatest of each kind first."""
    times: Counter[tuple[str, str, int]] = Counter()
    sizes: Counter[tuple[str, str, int]] = Counter()
    for one in simulation.transfers:
        key = (one.kind, one.file, one.line)
        times[key] += 1
        sizes[key] += one.nbytes
    found = [Traffic(*key, times[key], sizes[key]) for key in times]
    found += [Traffic("peak memory", file, line, 1, size) for (file, line), size in simulation.peak_by_line().items()]
    return sorted(found, key=lambda one: (one.kind, -one.nbytes, -one.times, one.file, one.line))


def as_text(found: list[Traffic]) -> str:
    """Return a table; ends in a line break."""
    if not found:
        return "no copies, no synchronisations\n"
    heads = ("kind", "times", "bytes", "where")
    lines = [heads, *((one.kind, str(one.times), _size(one), f"{_short(one.file)}:{one.line}") for one in found)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join("  ".join(map(str.ljust, line, widths)).rstrip() + "\n" for line in lines)


def as_json(found: list[Traffic]) -> str:
    """Return a JSON list on one line."""
    names = ("kind", "file", "line", "times", "bytes")
    values = ((one.kind, one.file, one.line, one.times, one.nbytes) for one in found)
    return json.dumps([dict(zip(names, value, strict=True)) for value in values], ensure_ascii=False) + "\n"


def _size(one: Traffic) -> str:
    return "" if one.kind == _SYNCHRONISATION else str(one.nbytes)


def _short(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
