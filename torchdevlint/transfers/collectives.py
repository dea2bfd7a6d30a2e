"""Collectives of a distributed run: the tensors that they are given, and what the process group can move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.incidents import Collected
from torchdevlint.knowledge.rows import Collective, EnvironmentRow
from torchdevlint.names import text_of
from torchdevlint.state import MAX_DEPTH
from torchdevlint.transfers.operands import function_text
from torchdevlint.transfers.placing import contained
from torchdevlint.values import NONE, Const, Container, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def group_made(run: Run, row: EnvironmentRow, given: Value | None) -> None:
    """Note whether the process group that a call makes moves accelerator tensors only."""
    if row.argument:
        run.facts.groups.add(isinstance(given, Const) and given.value == row.argument)


def collect(run: Run, row: Collective, call: Call, receiver: Argument | None) -> Value:
    """Record where the tensors are that a collective of the default group is given; it leaves them there."""
    run.waits += 1
    group = call.get(row.group, "group")
    if (group is None or group.value == NONE) and not call.hidden:
        for index, name in enumerate(row.tensors):
            argument = call.get(index, name) if name else None
            if argument is not None:
                for value in _tensors(run, argument.value, 0):
                    _record(run, call, argument.node, value)
    return NONE


def _tensors(run: Run, value: Value, depth: int) -> Iterator[Tensor]:
    match value:
        case Tensor():
            yield value
        case Container() if depth < MAX_DEPTH:
            for item in contained(run, value):
                yield from _tensors(run, item, depth + 1)
        case _:
            return


def _record(run: Run, call: Call, node: cst.CSTNode, value: Tensor) -> None:
    run.emit(Collected(call.node, run.world, function_text(call), text_of(node), value.placement))
