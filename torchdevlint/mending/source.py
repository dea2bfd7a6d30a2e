"""A source text as fixes see it: its tree with places in code points, and what is written where."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from functools import cached_property

import libcst as cst

from torchdevlint.facts import FileFacts
from torchdevlint.lattice import Placement, Symbol, SymbolKind
from torchdevlint.mending.scopes import Scopes
from torchdevlint.positions import Span

Place = tuple[int, int]


class Source:
    """A file that is to be mended."""

    def __init__(self, text: str, spans: Mapping[cst.CSTNode, Span], facts: FileFacts) -> None:
        """Take a text that Python can parse, where nodes of it are, and what is known of it."""
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        self.scopes = Scopes(self.tree)
        self._spans = spans
        self._facts = facts
        self._at: dict[Span, list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr | ast.stmt):
                self._at.setdefault(self.span(node), []).append(node)

    # from nodes of the analysis to those of this tree

    def expression(self, node: object) -> ast.expr | None:
        """Return the expression that a node of the analysis is, None where it is none or its place is not known."""
        return next((one for one in self._found(node) if isinstance(one, ast.expr)), None)

    def call(self, node: object) -> ast.Call | None:
        """Return the call that a node of the analysis is, or whose name it is (`cuda` of `x.cuda()`)."""
        found = self.expression(node)
        if isinstance(found, ast.Call):
            return found
        span = self._spans.get(node) if isinstance(node, cst.CSTNode) else None
        if span is None or found is not None:
            return None
        for one in ast.walk(self.tree):
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
                end = self.span(one.func)
                if (end.end_line, end.end_column) == (span.end_line, span.end_column):
                    return one
        return None

    def statement(self, node: object) -> ast.stmt | None:
        """Return the statement that a node of the analysis is, or the innermost around it."""
        found = next(iter(self._found(node)), None)
        return self.scopes.statement(found) if found is not None else None

    def _found(self, node: object) -> list[ast.AST]:
        span = self._spans.get(node) if isinstance(node, cst.CSTNode) else None
        return self._at.get(span, []) if span is not None else []

    # what is written

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> Span:
        """Return the stretch of a node, without the parentheses around it."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._column(node.lineno, node.col_offset)
        return Span(node.lineno, start, node.end_lineno, self._column(node.end_lineno, node.end_col_offset))

    def _column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode())

    def text(self, span: Span) -> str:
        """Return what stands in a stretch."""
        lines = self.lines[span.line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column]
        lines[0] = lines[0][span.column :]
        return "\n".join(lines)

    def text_of(self, node: ast.expr) -> str:
        """Return what a node is written as."""
        return self.text(self.span(node))

    def between(self, start: Place, end: Place) -> str:
        """Return what stands between two places."""
        return self.text(Span(*start, *end))

    def gap(self, first: ast.expr, second: ast.expr) -> str:
        """Return what stands between two expressions."""
        one, other = self.span(first), self.span(second)
        return self.between((one.end_line, one.end_column), (other.line, other.column))

    def indent(self, line: int) -> str:
        """Return what a line begins with."""
        text = self.lines[line - 1]
        return text[: len(text) - len(text.lstrip())]

    @cached_property
    def _quotes(self) -> Counter[str]:
        texts = (n for n in ast.walk(self.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
        found = (self.text_of(node)[:1] for node in texts)
        return Counter(mark for mark in found if mark in ("'", '"'))

    def quoted(self, text: str, like: ast.expr | None = None) -> str:
        """Return a text as a literal, in the quotes of another one or those that the file has most."""
        if like is not None and (mark := self.text_of(like)[:1]) in "'\"'":
            return f"{mark}{text}{mark}"
        mark = "'" if self._quotes["'"] > self._quotes['"'] else '"'
        return f"{mark}{text}{mark}"

    # devices

    @cached_property
    def devices(self) -> tuple[ast.expr, ...]:
        """The names and attributes in the file that stand for a device of any type, where they are given as one."""
        given = [node for node, place in self._facts.places.items() if self._may_be_any(place)]
        found = (self.expression(node) for node in given)
        return tuple(one for one in found if one is not None and is_plain(one))

    def _may_be_any(self, placement: Placement) -> bool:
        """Tell whether a placement is a place to which modules or batches are sent, or one that is chosen."""
        return all(
            isinstance(p.device, Symbol)
            and p.device.kind in (SymbolKind.PLACE, SymbolKind.DEVICE_OF)
            and (p.device.expansion is not None or self._facts.can_be_accelerator(p.device))
            for p in placement
        )

    @cached_property
    def copied(self) -> tuple[ast.expr, ...]:
        """The expressions whose tensors are copied into something."""
        return tuple(one for node in self._facts.copied if (one := self.expression(node)) is not None)

    def takes_device(self, node: object) -> bool:
        """Tell whether a node of the analysis is a call of a factory that can be told a device."""
        return node in self._facts.factories

    @cached_property
    def fed(self) -> tuple[ast.expr, ...]:
        """The names that a layer takes as its input, in the order of the source."""
        found = (self.expression(node) for node in self._facts.fed)
        return tuple(sorted((one for one in found if isinstance(one, ast.Name)), key=lambda one: one.lineno))

    def device_at(self, node: ast.AST) -> str | None:
        """Return the device variable of the script that can be used at a node; None where there is none, or several."""
        usable = {
            (distance, ast.unparse(one))
            for one in self.devices
            if (distance := self.scopes.reach(one, node)) is not None
        }
        nearest = min((distance for distance, _ in usable), default=0)
        texts = [text for distance, text in usable if distance == nearest]
        return texts[0] if len(texts) == 1 else None


def is_plain(node: ast.AST | None) -> bool:
    """Tell whether an expression is a name or an attribute of one, so that it can be written twice."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
