"""Mixed precision: which of its names a script uses, and whether it decides where it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.costs import Renamed, SwitchedOff
from torchdevlint.knowledge.rows import Autocast, Plain, Precision
from torchdevlint.transfers.operands import function_text
from torchdevlint.transfers.reads import plain
from torchdevlint.values import Const, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

_PLAIN = Plain()


def autocast(run: Run, row: Autocast, call: Call, receiver: Argument | None) -> Value:
    """Enter mixed precision: nothing moves."""
    note(run, row.precision, call)
    return plain(run, _PLAIN, call, receiver)


def note(run: Run, row: Precision, call: Call) -> None:
    """Record an old name; of a new one that it is known to the file, and that nothing decides whether it is on."""
    if row.old:
        run.emit(Renamed(call.node, run.world, function_text(call), row.name))
        return
    run.facts.costs.modern.add(row.name)
    given = call.get(0, row.keyword)
    device = given.value if given is not None else Const(row.default)
    decided = call.open or call.get(row.enabled, "enabled") is not None
    if device == Const(lattice.ACCELERATOR) and not decided and not run.is_guarded:
        run.emit(SwitchedOff(call.node, run.world, function_text(call)))
