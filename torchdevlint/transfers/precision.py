"""Mixed precision: which of its names a script uses, and whether it decides where it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.costs import Renamed, SwitchedOff
from torchdevlint.knowledge.rows import Precision
from torchdevlint.transfers.operands import function_text
from torchdevlint.values import Const

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


def note(run: Run, row: Precision, call: Call) -> None:
    """Record an old name; of a new one that it is known to the file, and that nothing decides whether it is on."""
    if row.old:
        tested = bool(run.world) or run.guarded > 0
        run.emit(Renamed(call.node, run.world, function_text(call), row.name, tested))
        return
    run.facts.costs.modern.add(row.name)
    run.facts.costs.renewed.add(call.node)
    given = call.get(0, row.keyword)
    device = given.value if given is not None else Const(row.default)
    decided = call.open or call.get(row.enabled, "enabled") is not None
    if device == Const(lattice.ACCELERATOR) and not decided and not run.is_guarded:
        run.emit(SwitchedOff(call.node, run.world, function_text(call)))
