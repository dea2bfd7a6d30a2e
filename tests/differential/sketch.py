"""A program while it is written: pages of lines, names that are taken, switches that decide what it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from .drawing import Dice


@dataclass(frozen=True, slots=True)
class Switch:
    """What a run can be told: an argument of the command line, or a constant that people edit."""

    kind: Literal["argument", "constant"]
    off: str
    on: str

    def __str__(self) -> str:
        return self.on


@dataclass(frozen=True, slots=True)
class Program:
    """A finished program, what decides its run, and which constructs stand in it."""

    text: str
    switches: tuple[Switch, ...]
    constructs: frozenset[str]


class Page:
    """Lines of one section, or of a function in it, with the depth at which the next one stands."""

    def __init__(self, lines: list[str] | None = None, depth: int = 0) -> None:
        self.lines = [] if lines is None else lines
        self.depth = depth

    def say(self, *lines: str) -> None:
        self.lines.extend("    " * self.depth + line if line else "" for line in lines)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Write a compound statement around what is said meanwhile."""
        self.say(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.say("pass")
        self.depth -= 1


@dataclass
class Sketch:
    """The program that is written: its sections, and what holds for all of it."""

    dice: Dice
    slip_rate: int
    width: int
    classes: int
    constants: Page = field(default_factory=Page)
    helpers: Page = field(default_factory=Page)
    networks: Page = field(default_factory=Page)
    data: Page = field(default_factory=Page)
    functions: Page = field(default_factory=Page)
    main: Page = field(default_factory=lambda: Page(depth=1))
    arguments: list[str] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    constructs: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    written: dict[str, str] = field(default_factory=dict)

    def slips(self) -> bool:
        """Tell whether a mistake is made here."""
        return self.dice.chance(self.slip_rate)

    def mark(self, *constructs: str) -> None:
        self.constructs.update(constructs)

    def fresh(self, *names: str) -> str:
        """Return a name that nothing has yet, one of those given or the first with a number."""
        free = [name for name in names if name not in self.taken]
        name = self.dice.one_of(*free) if free else f"{names[0]}{len(self.taken)}"
        self.taken.add(name)
        return name

    def once(self, key: str, name: str, lines: str) -> str:
        """Write a helper where it was not written yet, and return its name; `NAME` in the lines stands for it."""
        if key not in self.written:
            self.written[key] = self.fresh(name)
            self.helpers.say("", "", *lines.replace("NAME", self.written[key]).strip("\n").split("\n"))
        return self.written[key]

    def flag(self, name: str) -> str:
        """Add a flag of the command line, and return the expression that reads it in `main`."""
        if f'"--{name}"' not in "".join(self.arguments):
            self.arguments.append(f'parser.add_argument("--{name}", action="store_true")')
            self.switches.append(Switch("argument", "", f"--{name}"))
        return f"args.{name.replace('-', '_')}"
