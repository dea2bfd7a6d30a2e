"""Rules: one file each, discovered by their stem, subscribed to the types of events they judge."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from types import ModuleType
from typing import Any

import libcst as cst

from torchdevlint.events import Event
from torchdevlint.facts import FileFacts
from torchdevlint.options import on_by_default
from torchdevlint.records import dataclass, field
from torchdevlint.why import Why

STEM = re.compile(r"tdl(\d{3})_([a-z0-9_]+)\Z")


class Severity(Enum):
    """How bad a finding is, the worst first."""

    ERROR = "error"
    """Raises, or is silently wrong, in PyTorch as it is."""

    WARNING = "warning"
    """Fails or leaks on some machine, or in some mode, that the script is meant for."""

    ADVICE = "advice"
    """Works, and could work better."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a rule: where, the arguments of its message, and what it is about.

    ``origin`` is the node that caused it (the creation, the move left out): of findings with one origin one
    and ``subject`` is kept. ``parts`` may hold texts, nodes (rendered as "line N") and possibilities ("cpu (line N)").
    ``about`` are the nodes, beside those, that its fix needs to know, and ``fails`` is where the program fails. One
    that is ``here`` does not stand at what is to blame: a later one of its origin repeats it, whatever its rule.
    """

    node: cst.CSTNode
    parts: dict[str, object]
    origin: object = None
    why: Why | None = None
    about: tuple[cst.CSTNode, ...] = ()
    subject: str = ""
    here: bool = False
    fails: cst.CSTNode | None = None


Check = Callable[[Any, FileFacts], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code and name come from its module's stem."""

    code: str
    name: str
    on: tuple[type, ...]
    message: str
    fix: str
    supersedes: tuple[str, ...]
    once: bool
    in_tests: bool
    check: Check = field(compare=False)
    severity: Severity = Severity.ERROR
    doc: str = ""

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.doc.partition("\n")[0]


class BadRuleError(Exception):
    """A rule's module has a stem that is no identity."""


def rule(
    module: str,
    *,
    on: type | tuple[type, ...],
    message: str,
    fix: str,
    supersedes: tuple[str, ...] = (),
    once: bool = False,
    in_tests: bool = True,
    severity: Severity = Severity.ERROR,
) -> Callable[[Check], Rule]:
    """Declare a rule: ``on`` are the events it judges, ``supersedes`` the codes it speaks instead of.

    ``once`` tells that one finding with a count is enough for a file; ``in_tests`` is False for a rule that is
    silent in the tests of a project: their machine and their files are known. Whatever is off by default is advice.
    The rule's documentation is the docstring of its module. Raises `BadRuleError` for a bad stem.
    """
    match = STEM.match(module.rpartition(".")[2])
    if match is None:
        raise BadRuleError(f"{module} is no stem of a rule (tdlNNN_short_name)")
    code, name = f"TDL{match[1]}", match[2].replace("_", "-")

    def declare(check: Check) -> Rule:
        kinds = on if isinstance(on, tuple) else (on,)
        how_bad = severity if on_by_default(code) else Severity.ADVICE
        doc = sys.modules[module].__doc__ or "" if module in sys.modules else ""
        return Rule(code, name, kinds, message, fix, supersedes, once, in_tests, check, how_bad, doc)

    return declare


def stems(package: ModuleType) -> dict[str, str]:
    """Return the stems of the rules of a package by their codes, in the order of the codes; no rule is imported."""
    found = sorted(info.name for info in pkgutil.iter_modules(package.__path__) if STEM.match(info.name))
    return {stem[:6].upper(): stem for stem in found}


def discover(package: ModuleType, wants: Callable[[str], bool] = lambda _: True) -> tuple[Rule, ...]:
    """Return the rules of a package whose codes are wanted, in the order of their codes; no others are imported."""
    wanted = [stem for code, stem in stems(package).items() if wants(code)]
    return tuple(importlib.import_module(f"{package.__name__}.{stem}").check for stem in wanted)


def judge(rules: tuple[Rule, ...], events: tuple[Event, ...], facts: FileFacts) -> list[tuple[Rule, Finding]]:
    """Give every event to the rules that subscribed to its type; return what they find."""
    by_type: dict[type, list[Rule]] = {}
    for rule_ in rules:
        for kind in rule_.on:
            by_type.setdefault(kind, []).append(rule_)
    found: list[tuple[Rule, Finding]] = []
    for event in events:
        for rule_ in by_type.get(type(event), ()):
            found.extend((rule_, finding) for finding in rule_.check(event, facts))
    return found
