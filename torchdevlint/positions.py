"""Where nodes stand in the source, found only for the nodes that are reported.

libcst's `PositionProvider` records every node and costs more than the parse. This runs libcst's own
code generator, notes how many tokens precede each wanted node, and stops at the last of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

import libcst as cst
from libcst._nodes.internal import CodegenState

from torchdevlint.records import dataclass
from torchdevlint.recursion import deep_recursion

_NEWLINE = re.compile(r"\r\n?|\n")
_NOT_WANTED = nullcontext()


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source: lines from 1, columns from 0 in code points, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


def lines_of(text: str) -> list[str]:
    """Return the lines of a source text without their ends, split where Python's parser splits them."""
    return _NEWLINE.split(text)


def locate(module: cst.Module, nodes: Iterable[cst.CSTNode]) -> dict[cst.CSTNode, Span]:
    """Map each of `nodes` to its span, without the whitespace, comments and parentheses it owns.

    The spans are those of libcst's `PositionProvider`; a node that is not in `module` is left out.
    """
    wanted = set(nodes)
    if not wanted:
        return {}
    recorder = _Recorder(module, wanted)
    with deep_recursion(), suppress(_AllRecorded):
        module._codegen(recorder)  # noqa: SLF001 (no public function of libcst takes a state)
    return recorder.spans(wanted)


class _AllRecorded(Exception):
    """Unwinds the code generator: the rest of the file is of no interest."""


class _Recorder(CodegenState):
    """Notes the number of tokens before the start and the end of each wanted node."""

    def __init__(self, module: cst.Module, wanted: set[cst.CSTNode]) -> None:
        super().__init__(module.default_indent, module.default_newline)
        self._wanted = set(map(id, wanted))  # every node is asked for, and libcst's nodes have a slow hash
        self._missing = set(self._wanted)
        self._open: list[int] = []
        self._bounds: dict[cst.CSTNode, tuple[int, int]] = {}

    def before_codegen(self, node: cst.CSTNode) -> None:
        if id(node) in self._wanted:
            self._open.append(len(self.tokens))

    def after_codegen(self, node: cst.CSTNode) -> None:
        if id(node) in self._wanted:
            bounds = (self._open.pop(), len(self.tokens))
            # a node that told its syntactic position keeps it; this one includes whitespace
            self._bounds.setdefault(node, bounds)
            self._missing.discard(id(node))
            if not self._missing:
                raise _AllRecorded

    def record_syntactic_position(  # type: ignore[override]  # a cheaper context manager than libcst's
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> AbstractContextManager[None]:
        if id(node) not in self._wanted:
            return _NOT_WANTED
        return self._record(node, start_node, end_node)

    @contextmanager
    def _record(
        self, node: cst.CSTNode, start_node: cst.CSTNode | None, end_node: cst.CSTNode | None
    ) -> Iterator[None]:
        # some statements take their bounds from a child, which is then needed too
        self._wanted.update(id(child) for child in (start_node, end_node) if child is not None)
        start = len(self.tokens)
        yield
        end = len(self.tokens)
        if start_node is not None:
            start = self._bounds[start_node][0]
        if end_node is not None:
            end = self._bounds[end_node][1]
        self._bounds[node] = (start, end)

    def spans(self, nodes: Iterable[cst.CSTNode]) -> dict[cst.CSTNode, Span]:
        """Turn token counts into lines and columns, in one pass over the tokens."""
        found = {node: self._bounds[node] for node in nodes if node in self._bounds}
        places: dict[int, tuple[int, int]] = {}
        line, column, done = 1, 0, 0
        for count in sorted({count for bounds in found.values() for count in bounds}):
            segments = _NEWLINE.split("".join(self.tokens[done:count]))
            if len(segments) > 1:
                line += len(segments) - 1
                column = 0
            column += len(segments[-1])
            places[count] = (line, column)
            done = count
        return {node: Span(*places[start], *places[end]) for node, (start, end) in found.items()}
