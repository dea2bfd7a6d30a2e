"""A source text as fixes see it: its tree with places in code points, and what is written where."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar, cast

import libcst as cst

from torchdevlint import transfers
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import Concrete, Placement, Symbol, SymbolKind, is_accelerator
from torchdevlint.mending.index import Index
from torchdevlint.mending.scopes import Scope, Scopes
from torchdevlint.positions import Span, lines_of

Place = tuple[int, int]
_Made = TypeVar("_Made")

MAX_ASKED = 20
"""How many names of one function are asked whether their device is known at a place."""


class Source:
    """A file that is to be mended."""

    def __init__(self, text: str, spans: Mapping[cst.CSTNode, Span], facts: FileFacts) -> None:
        """Take a text that Python can parse, where nodes of it are, and what is known of it."""
        self.lines = lines_of(text)
        self.tree = ast.parse(text)
        self.scopes = Scopes(self.tree)
        self.index = Index(self.tree, self.scopes)
        self._spans = spans
        self._facts = facts
        self._made: dict[object, object] = {}
        self._at: dict[Span, list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr | ast.stmt):
                self._at.setdefault(self.span(node), []).append(node)

    def cached(self, make: Callable[[Source], _Made]) -> _Made:
        """Return what a function makes of this source, which it does once."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("_Made", self._made[make])

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
        offset = len(self.lines[span.end_line - 1][: span.end_column].encode())
        return self.index.call_of_method(span.end_line, offset)

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
        if like is not None and (mark := self.text_of(like)[:1]) in ("'", '"'):
            return f"{mark}{text}{mark}"
        mark = "'" if self._quotes["'"] > self._quotes['"'] else '"'
        return f"{mark}{text}{mark}"

    # devices

    @cached_property
    def devices(self) -> dict[ast.expr, str]:
        """The names and attributes in the file that stand for a device of any type, where they are given as one."""
        given = [node for node, place in self._facts.places.items() if self._may_be_any(place)]
        found = (self.expression(node) for node in given)
        return {one: ast.unparse(one) for one in found if one is not None and is_plain(one)}

    def names_another(self, text: str, literal: object) -> bool:
        """Tell whether a device variable may be an accelerator of another number than a literal names."""
        meant = transfers.parse(literal)
        if meant is None or meant.index is None:
            return False
        places = (place for node, place in self._facts.places.items() if self._is_written(node, text))
        return any((device.index or 0) != meant.index for place in places for device in _accelerators(place))

    def _is_written(self, node: cst.CSTNode, text: str) -> bool:
        found = self.expression(node)
        return found is not None and self.devices.get(found) == text

    def is_device(self, node: ast.expr) -> bool:
        """Tell whether an expression that is given as a device is one, and no tensor whose device is meant."""
        return node in self._given

    @cached_property
    def _given(self) -> frozenset[ast.expr]:
        return frozenset(one for node in self._facts.places if (one := self.expression(node)) is not None)

    def _may_be_any(self, placement: Placement) -> bool:
        """Tell whether a placement is a place to which modules or batches are sent, or one that is chosen."""
        return not _names_accelerator(placement) and all(
            isinstance(p.device, Symbol)
            and p.device.kind in (SymbolKind.PLACE, SymbolKind.DEVICE_OF)
            and (p.device.expansion is not None or self._facts.can_be_accelerator(p.device))
            for p in placement
        )

    @cached_property
    def restored(self) -> frozenset[ast.expr]:
        """The expressions that an optimizer takes as its state."""
        return frozenset(one for node in self._facts.restored if (one := self.expression(node)) is not None)

    @cached_property
    def copied(self) -> frozenset[ast.expr]:
        """The expressions whose tensors are copied into something."""
        return frozenset(one for node in self._facts.copied if (one := self.expression(node)) is not None)

    def takes_device(self, node: object) -> bool:
        """Tell whether a node of the analysis is a call of a factory that can be told a device."""
        return node in self._facts.factories

    @cached_property
    def _met(self) -> dict[ast.expr, Placement]:
        """Where the inputs of layers are."""
        found = ((self.expression(node), placement) for node, placement in self._facts.fed.items())
        return {one: placement for one, placement in found if one is not None}

    @cached_property
    def _fed(self) -> dict[Scope, dict[str, ast.Name]]:
        found: dict[Scope, dict[str, ast.Name]] = {}
        names = (one for one in self._met if isinstance(one, ast.Name))
        for one in sorted(names, key=lambda name: (name.lineno, name.col_offset)):
            found.setdefault(self.scopes.around(one)[0], {}).setdefault(one.id, one)
        return found

    def fed_beside(self, node: ast.AST) -> list[ast.Name]:
        """Return the names that layers take as their inputs in the function around a node, each once."""
        return list(self._fed.get(self.scopes.around(node)[0], {}).values())[:MAX_ASKED]

    def is_literal(self, fed: ast.Name) -> bool:
        """Tell whether an input of a layer, which its function was not handed, is on an accelerator by its name."""
        bound = self.scopes.bindings(self.scopes.around(fed)[0]).get(fed.id, [])
        return any(bound) and _names_accelerator(self._met[fed])


def is_plain(node: ast.AST | None) -> bool:
    """Tell whether an expression is a name or an attribute of one, so that it can be written twice."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def root_of(node: ast.expr) -> ast.Name:
    """Return the name that a plain expression begins with."""
    return next(one for one in ast.walk(node) if isinstance(one, ast.Name))


def _accelerators(placement: Placement) -> Iterator[Concrete]:
    """Yield the accelerators that a placement names."""
    for one in placement:
        match one.device:
            case Concrete() as device if is_accelerator(device):
                yield device
            case Symbol(expansion=expansion) if expansion is not None:
                yield from _accelerators(expansion)
            case _:
                pass


def _names_accelerator(placement: Placement) -> bool:
    """Tell whether a placement is on accelerators of a type that is written down, in whatever world."""
    devices = [p.device for p in placement]
    return devices != [] and all(
        _names_accelerator(one.expansion or frozenset()) if isinstance(one, Symbol) else is_accelerator(one)
        for one in devices
    )
