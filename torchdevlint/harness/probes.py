"""Puts measurements into a script's syntax tree while it is compiled: its text, lines and behaviour stay the same.

Tracing would do too, but it is slow, is in the way of coverage and debuggers, and knows lines, not calls.
"""

from __future__ import annotations

import ast
import builtins
import copy
import importlib.machinery
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType

from torchdevlint.harness.jobs import Probe
from torchdevlint.harness.meters import Meters

# names in `builtins`, so that they are found in every module
MOVE = "__torchdevlint_move__"
PUT = "__torchdevlint_put__"
TOTAL = "__torchdevlint_total__"
_ADDING = frozenset({"append", "appendleft", "extend", "insert", "add", "update"})


def install(probes: Sequence[Probe], meters: Meters) -> None:
    """Make what the probes call known to every module, and compile own modules that are imported with probes."""
    setattr(builtins, MOVE, meters.move)
    setattr(builtins, PUT, meters.put)
    setattr(builtins, TOTAL, meters.total)
    for folder in sorted({str(Path(probe.file).parent) for probe in probes}):
        _import_with_probes(folder, probes)


def compile_script(file: str, probes: Sequence[Probe]) -> CodeType:
    """Return the code of a file with the probes that are meant for it; raises what reading and compiling raise."""
    return compile_text(Path(file).read_bytes(), file, probes)


def compile_text(text: bytes | str, file: str, probes: Sequence[Probe]) -> CodeType:
    """Return the code of a text with the probes that are meant for its file."""
    tree = ast.parse(text, file)
    meant = [probe for probe in probes if probe.file == file]
    if meant:
        lines = (text if isinstance(text, str) else text.decode("utf-8", "replace")).splitlines()
        tree = ast.fix_missing_locations(_Insertion(meant, lines).visit(tree))
    return compile(tree, file, "exec", dont_inherit=True)


def _import_with_probes(folder: str, probes: Sequence[Probe]) -> None:
    class Loader(importlib.machinery.SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            # straight from the source: a cached file has no probes, and must not be written with any
            file = self.get_filename(fullname)
            return compile_text(self.get_data(file), file, probes)

    finder = importlib.machinery.FileFinder(folder, (Loader, importlib.machinery.SOURCE_SUFFIXES))
    sys.path_importer_cache[folder] = finder


class _Insertion(ast.NodeTransformer):
    """Puts calls of probes into a tree."""

    def __init__(self, probes: Sequence[Probe], lines: list[str]) -> None:
        self._moves = {_span(probe) for probe in probes if probe.kind == "move"}
        self._totals = [probe for probe in probes if probe.kind == "total"]
        self._names = {ast.unparse(ast.parse(probe.name, mode="eval")) for probe in probes if probe.kind == "name"}
        self._lines = lines

    def visit_Call(self, node: ast.Call) -> ast.AST:
        wanted = isinstance(node.func, ast.Attribute) and self._place(node) in self._moves
        self.generic_visit(node)
        if wanted and isinstance(node.func, ast.Attribute):
            arguments: list[ast.expr] = [node.func.value, ast.Constant(node.func.attr)]
            node.func = ast.copy_location(ast.Call(ast.Name(MOVE, ast.Load()), arguments, []), node.func)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        return self._followed(node, node.target)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        return self._followed(node, node.targets[0])

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.AST]:
        match node.value:
            case ast.Call(func=ast.Attribute(value=total, attr=name)) if name in _ADDING:
                return self._followed(node, total)
            case _:
                return self.generic_visit(node)

    def _followed(self, statement: ast.stmt, target: ast.expr) -> ast.AST | list[ast.AST]:
        """Return a statement, followed by a look at what it adds to or puts in where a probe asks for it."""
        lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        wanted = ast.unparse(target) in self._names or any(probe.line in lines for probe in self._totals)
        put = self._place(statement) in self._moves
        self.generic_visit(statement)
        if not wanted and not put:
            return statement
        value = copy.deepcopy(target)
        for part in ast.walk(value):
            if isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.Starred | ast.Tuple | ast.List):
                part.ctx = ast.Load()
        call = ast.Call(ast.Name(PUT if put else TOTAL, ast.Load()), [value], [])
        return [statement, ast.copy_location(ast.Expr(call), statement)]

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return node.lineno, self._column(node.lineno, node.col_offset), end_line, self._column(end_line, end_column)

    def _column(self, line: int, offset: int) -> int:
        """Return a column in code points, as findings have it, for ast's, which counts bytes."""
        return len(self._lines[line - 1].encode()[:offset].decode("utf-8", "replace"))


def _span(probe: Probe) -> tuple[int, int, int, int]:
    return probe.line, probe.column, probe.end_line, probe.end_column
