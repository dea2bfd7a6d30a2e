"""List the statements in which two codes tell of one value, for one fault is one finding: one_fault.py PATH ..."""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import libcst as cst

from torchdevlint import gate, knowledge, positions
from torchdevlint.engine import find, parse
from torchdevlint.interpreter.driver import interpret
from torchdevlint.interpreter.run import unresolved
from torchdevlint.lattice import Possibility
from torchdevlint.options import NotAnalysed, Options
from torchdevlint.recursion import deep_recursion
from torchdevlint.rule import Finding
from torchdevlint.settle import Settled


@dataclass(frozen=True, slots=True)
class Doubled:
    """Two codes that tell of one value in one statement: the line of the statement, and both findings' own."""

    statement: int
    codes: tuple[str, str]
    lines: tuple[int, int]


def doubled(text: str, options: Options = Options()) -> Iterator[Doubled]:  # noqa: B008 (frozen)
    """Yield the pairs of findings of a source text that have other codes, but a statement and an origin in common.

    Raises `NotAnalysed` and `SyntaxError` for a text that cannot be read.
    """
    if not gate.may_find(text):
        return
    module = parse(text)
    with deep_recursion():
        interpretation = interpret(module, text, knowledge.DEFAULT, unresolved, importable=not options.is_test_file)
    told = find(interpretation, options)
    findings = [(one.rule.code, finding) for one in told for finding in places(one)]
    spans = positions.locate(module, {finding.node for _, finding in findings})
    starts = statements(text)
    at = [(spans[f.node].line, spans[f.node].column) for _, f in findings]
    for (i, (code, one)), (j, (other, two)) in combinations(enumerate(findings), 2):
        statement = starts.get(at[i][0], at[i][0])
        if code != other and statement == starts.get(at[j][0], at[j][0]) and origins(one) & origins(two):
            yield Doubled(statement, (code, other), (at[i][0], at[j][0]))


def places(one: Settled) -> tuple[Finding, ...]:
    """Return a settled finding and the others that it stands for."""
    return (one.finding, *one.others)


def origins(finding: Finding) -> set[cst.CSTNode]:
    """Return the nodes where the values of a finding began: of the finding, and of each operand in its message."""
    parts = finding.origin if isinstance(finding.origin, tuple) else (finding.origin,)
    began = {part for part in parts if isinstance(part, cst.CSTNode)}
    whys = [part.why for part in finding.parts.values() if isinstance(part, Possibility)]
    return began | {why.root().node for why in (*whys, finding.why) if why is not None} | {finding.node}


def statements(text: str) -> dict[int, int]:
    """Map each line of a source text to the first line of the innermost statement on it; bodies are their own."""
    lines: dict[int, int] = {}
    for node in ast.walk(ast.parse(text)):  # the inner ones come later
        if isinstance(node, ast.stmt):
            lines.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.lineno))
    return lines


def sources(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the Python files of files and directories, in order."""
    for path in paths:
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def main() -> int:
    """Print the pairs of the named files; the exit status is 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files or directories of Python sources")
    read = pairs = 0
    for path in sources(parser.parse_args().paths):
        try:
            text = path.read_text(encoding="utf-8")
            found = list(doubled(text, Options(filename=str(path))))
        except (NotAnalysed, SyntaxError, UnicodeDecodeError, ValueError):
            continue
        read += 1
        pairs += len(found)
        for one in found:
            codes = " and ".join(f"{code} (line {line})" for code, line in zip(one.codes, one.lines, strict=True))
            print(f"{path}:{one.statement}: {codes}")
    print(f"{pairs} pairs in {read} files")
    return int(pairs > 0)


if __name__ == "__main__":
    sys.exit(main())
