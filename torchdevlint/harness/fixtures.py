"""Finds the fixtures, what they declare, and the places where their rule reports something."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from torchdevlint.engine import Diagnostic, analyse
from torchdevlint.harness.declarations import BadDeclaration, Declaration, Exemption, parse
from torchdevlint.options import NotAnalysed, Options, on_by_default
from torchdevlint.rule import STEM

_FIXTURE = re.compile(r"(?:bad|good|fixed|project)(?:_\w+)?\Z")
_PARTNER = re.compile(r"\bline (\d+)")


class BadFixture(Exception):
    """A fixture cannot be found or read; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Case:
    """A script to run: its rule's code, the fixture (a file or folder) it is, or is part of, and what it declares."""

    rule: str
    root: Path
    script: Path
    declarations: tuple[Declaration | Exemption, ...]

    @property
    def name(self) -> str:
        """The script's path from the folder of its rule."""
        return self.script.relative_to(self.root.parents[1]).as_posix()


@dataclass(frozen=True, slots=True)
class Report:
    """A finding of the case's rule, with the lines of its statement and those that its message names."""

    file: Path
    finding: Diagnostic
    statement: range
    partners: tuple[range, ...]


def find(paths: Iterable[Path]) -> Iterator[Case]:
    """Yield the cases that the paths hold, in order: a fixture's file or folder, or a folder of them at any depth.

    A fixture that declares nothing is a case without declarations. Raises `BadFixture` for a path that is not there
    and for a declaration that cannot be read.
    """
    for path in paths:
        if not path.exists():
            raise BadFixture(f"{path}: there is no such file or folder")
        found = [*_cases(path.absolute())]
        if not found:
            raise BadFixture(f"{path}: there is no fixture (bad*, good*, fixed*, project*)")
        yield from found


def _cases(path: Path) -> Iterator[Case]:
    if _FIXTURE.match(path.stem) and (path.suffix == ".py" or path.is_dir()):
        yield from _case(path)
    elif path.is_dir():
        for child in sorted(path.iterdir()):
            yield from _cases(child)


def _case(root: Path) -> Iterator[Case]:
    """Yield the scripts of a fixture that declare something; if none does, the fixture itself."""
    declared = [
        (script, _declarations(script)) for script in ([root] if root.is_file() else sorted(root.rglob("*.py")))
    ]
    scripts = [(script, found) for script, found in declared if found] or [(root, ())]
    for script, found in scripts:
        yield Case(_rule(root), root, script, found)


def _declarations(script: Path) -> tuple[Declaration | Exemption, ...]:
    try:
        return parse(script.read_text("utf-8"))
    except BadDeclaration as error:
        raise BadFixture(f"{script}: {error}") from error
    except (OSError, UnicodeError) as error:
        raise BadFixture(f"{script}: cannot be read: {error}") from error


def _rule(root: Path) -> str:
    """Return the code of the rule whose folder a fixture is in, or nothing."""
    return root.parent.name[:6].upper() if STEM.match(root.parent.name) else ""


@cache
def reports(case: Case) -> tuple[Report, ...]:
    """Return what the case's rule (any rule, where it has none) reports in the files of the fixture."""
    files = [case.root] if case.root.is_file() else sorted(case.root.rglob("*.py"))
    return tuple(report for file in files for report in _reports(case, file))


def _reports(case: Case, file: Path) -> Iterator[Report]:
    text = file.read_text("utf-8")
    tree = ast.parse(text)
    try:
        name = file.relative_to(case.root.parent).as_posix()
        findings = analyse(text, options=Options(name, lambda code: on_by_default(code) or code == case.rule))
    except NotAnalysed as reason:
        raise BadFixture(f"{file}: not analysed: {reason}") from reason
    for finding in findings:
        if finding.code.startswith(case.rule):
            named = (statement(tree, line) for line in partners(finding.message))
            yield Report(file, finding, statement(tree, finding.line), tuple(named))


def partners(message: str) -> list[int]:
    """Return the lines that a finding's message names."""
    return [int(line) for line in _PARTNER.findall(message)]


def statement(tree: ast.Module, line: int) -> range:
    """Return the lines of the innermost statement on a line; of a compound one, those of its head."""
    found = range(line, line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            lines = _own_lines(node)
            # walked from the outside in, so that the last one is the innermost
            if line in lines:
                found = lines
    return found


def _own_lines(node: ast.stmt) -> range:
    body: list[ast.stmt] = getattr(node, "body", [])
    if body:
        return range(node.lineno, max(body[0].lineno, node.lineno + 1))
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
