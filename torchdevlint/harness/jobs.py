"""What goes to a process that runs one script, and what comes back: plain values, as JSON on a line."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

ProbeKind = Literal["move", "total", "name"]


@dataclass(frozen=True, slots=True)
class Probe:
    """What to measure, and where: the call or statement at a span of a file, lines from 1, columns from 0.

    ``move`` watches the object on which the call is made, ``total`` what the statement adds to, and ``name``
    every statement that adds to an expression with the text ``name``.
    """

    kind: ProbeKind
    file: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One run of one script; ``folder`` is where it runs, and ``root`` the file or folder that is its own code."""

    script: str
    root: str
    backend: str
    folder: str
    devices: int = 1
    asynchronous: bool = False
    optimizer: str | None = None
    replaced: bool = False
    probes: tuple[Probe, ...] = ()
    seconds: float = 20.0
    megabytes: int = 4096

    def dump(self) -> str:
        """Return the job on one line."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class Error:
    """An exception: the names of its type and of that type's bases, its message, and the innermost own line."""

    types: tuple[str, ...]
    message: str
    file: str = ""
    line: int = 0
    source: str = ""
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A watched move: device and dtype of the object before and after, and of the result."""

    before: tuple[str, str]
    after: tuple[str, str]
    result: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Cost:
    """How often a line of a file copied something (``kind`` tells from where to where), or waited for the device."""

    kind: str
    file: str
    line: int
    times: int


@dataclass(frozen=True, slots=True)
class Measures:
    """What the probes saw: moves, nodes of the graph and bytes on the device at each visit, and steps of optimizers.

    ``trained`` are the steps at which a watched module had gradients, ``updated`` those which changed it. ``costs``
    are what a simulated device tells of the whole run.
    """

    moves: tuple[Move, ...] = ()
    nodes: tuple[int, ...] = ()
    nbytes: tuple[int, ...] = ()
    trained: int = 0
    updated: int = 0
    costs: tuple[Cost, ...] = ()


Ending = Literal["ended", "raised", "too long", "too much memory", "died", "no device", "broken"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended and what was measured; ``note`` says more about an ending that is the script's no doing."""

    ending: Ending
    error: Error | None = None
    measures: Measures = Measures()
    output: str = ""
    torch: str = ""
    device: str = ""
    note: str = ""

    def dump(self) -> str:
        """Return the outcome on one line."""
        return json.dumps(asdict(self))


def load_job(line: str) -> Job:
    """Return the job that `Job.dump` wrote."""
    fields: dict[str, Any] = json.loads(line)
    fields["probes"] = tuple(Probe(**probe) for probe in fields["probes"])
    return Job(**fields)


def load_outcome(line: str) -> Outcome:
    """Return the outcome that `Outcome.dump` wrote."""
    fields: dict[str, Any] = json.loads(line)
    error, measures = fields["error"], fields["measures"]
    if error is not None:
        fields["error"] = Error(**{**error, "types": tuple(error["types"])})
    measures["moves"] = tuple(
        Move(*(tuple(move[name]) for name in ("before", "after", "result"))) for move in measures["moves"]
    )
    measures["costs"] = tuple(Cost(**cost) for cost in measures["costs"])
    for name in ("nodes", "nbytes"):
        measures[name] = tuple(measures[name])
    fields["measures"] = Measures(**measures)
    return Outcome(**fields)
