"""Programs and what the linter says of them: which are found, missed, or complained of for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median

from torchdevlint.engine import Diagnostic, all_rules, analyse
from torchdevlint.harness import declarations
from torchdevlint.harness.declarations import Backend, Declaration, Raises, Stays
from torchdevlint.options import Options, on_by_default

from .programs import CONSTRUCTS, moves
from .running import Run, run_all
from .sketch import Program

FIXTURES = Path(__file__).parents[2] / "fixtures"


RAISING, CLEAN, MEDIAN_LINES, RAREST, FOUND = 0.3, 0.3, 25, 0.03, 0.85
"""The mix: shares of programs that raise and that run clean with two moves, lines, the share of the rarest construct;
and the share of the raising programs of which the linter tells."""


@cache
def confirmable() -> frozenset[str]:
    """Return the codes on by default whose findings a run on a GPU as it is confirms, by an error.

    A rule is left out that has other proof (a move that moves nothing may hurt nobody).
    """
    raising, staying = set(), set()
    for path in FIXTURES.glob("*/bad*.py"):
        code = path.parent.name[:6].upper()
        for one in declarations.parse(path.read_text()):
            match one:
                case Declaration(backend=Backend.SIM, prediction=Raises(), setting=setting) if (
                    setting.optimizer is None
                ):
                    raising.add(code)
                case Declaration(prediction=Stays()):
                    staying.add(code)
                case _:
                    pass
    return frozenset(filter(on_by_default, raising - staying))


@cache
def telling() -> frozenset[str]:
    """Return the codes whose findings tell of an error: the confirmable ones, and those that speak instead of them."""
    others = {rule.code for rule in all_rules() if confirmable().intersection(rule.supersedes)}
    return confirmable() | frozenset(filter(on_by_default, others))


@dataclass(frozen=True, slots=True)
class Compared:
    """A program, what its runs ended in, and what the linter says of it."""

    program: Program
    runs: tuple[Run, ...]
    said: tuple[Diagnostic, ...]

    @property
    def raises(self) -> bool:
        return any(run.ending == "device" for run in self.runs)

    @property
    def broken(self) -> bool:
        """Whether a run ended in an error that has nothing to do with devices: the grammar is wrong."""
        return any(run.ending == "other" for run in self.runs)

    @property
    def false_alarm(self) -> bool:
        return not self.raises and not self.broken and any(one.code in confirmable() for one in self.said)

    @property
    def missed(self) -> bool:
        return self.raises and not self.said

    def show(self) -> str:
        """Return the program, its runs and its findings, for a reader."""
        told = [f"  {run.trial}: {run.ending} {run.told}" for run in self.runs if run.ending != "clean"]
        said = [f"  {one.line}: {one.code} {one.message}" for one in self.said]
        return "\n".join([self.program.text, "runs:", *(told or ["  all clean"]), "says:", *(said or ["  nothing"])])


def lint(program: Program) -> tuple[Diagnostic, ...]:
    return analyse(program.text, options=Options("train.py", wants=telling().__contains__))


def compare(programs: Sequence[Program]) -> Iterator[Compared]:
    """Yield each program with what it does and what is said of it."""
    for program, runs in zip(programs, run_all(programs), strict=True):
        yield Compared(program, tuple(runs), lint(program))


@dataclass
class Tally:
    """What a number of compared programs come to."""

    programs: int = 0
    raised: int = 0
    found: int = 0
    clean: int = 0
    clean_with_moves: int = 0
    runs: int = 0
    lengths: list[int] = field(default_factory=list)
    constructs: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    false_alarms: list[tuple[str, str]] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)

    def add(self, one: Compared, name: str = "") -> None:
        self.programs += 1
        self.runs += len(one.runs)
        self.lengths.append(sum(bool(line.strip()) for line in one.program.text.splitlines()))
        self.constructs.update(one.program.constructs)
        if one.broken:
            self.broken.append((name, one.show()))
        elif one.raises:
            self.raised += 1
            self.found += bool(one.said)
            self.codes.update({diagnostic.code for diagnostic in one.said})
        else:
            self.clean += 1
            self.clean_with_moves += moves(one.program) >= 2
        if one.false_alarm:
            self.false_alarms.append((name, one.show()))
        if one.missed:
            self.missed.append((name, one.show()))

    def merge(self, other: Tally) -> None:
        for name in ("programs", "raised", "found", "clean", "clean_with_moves", "runs"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("lengths", "false_alarms", "missed", "broken"):
            getattr(self, name).extend(getattr(other, name))
        self.constructs.update(other.constructs)
        self.codes.update(other.codes)

    def departures(self) -> list[str]:
        """Return what is not as it has to be: the mix of the programs, and how many of those that raise are found."""
        n = max(self.programs, 1)
        rare = [name for name in CONSTRUCTS if self.constructs[name] < RAREST * n]
        told = [
            (self.raised < RAISING * n, "too few programs raise"),
            (self.clean_with_moves < CLEAN * n, "too few programs with two moves or more run clean"),
            (median(self.lengths or [0]) < MEDIAN_LINES, "the median program is too short"),
            (bool(rare), f"too rare: {', '.join(rare)}"),
            (self.found < FOUND * self.raised, "too few of the programs that raise are found"),
        ]
        return [sentence for holds, sentence in told if holds]

    def report(self) -> str:
        """Return the figures and the histogram of constructs."""
        n = max(self.programs, 1)
        rows = [
            ("programs", self.programs, ""),
            ("runs", self.runs, ""),
            ("raise a device error", self.raised, f"{self.raised / n:.1%}"),
            ("  of these found", self.found, f"{self.found / max(self.raised, 1):.1%}"),
            ("run clean", self.clean, f"{self.clean / n:.1%}"),
            ("  with two moves or more", self.clean_with_moves, f"{self.clean_with_moves / n:.1%}"),
            ("false alarms", len(self.false_alarms), ""),
            ("broken programs", len(self.broken), ""),
            ("lines of the median", int(median(self.lengths or [0])), ""),
            *((f"  {code}", count, "") for code, count in sorted(self.codes.items())),
            *(
                (f"  {name}", count, f"{count / n:.1%}")
                for name, count in sorted(self.constructs.items(), key=lambda c: -c[1])
            ),
        ]
        return "\n".join(f"{name:32} {count:>8} {share:>7}" for name, count, share in rows)
