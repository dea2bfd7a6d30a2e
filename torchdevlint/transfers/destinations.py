"""Where a move sends what it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import CudaCalled
from torchdevlint.knowledge.rows import Move, MoveKind
from torchdevlint.lattice import ANY, HOST, Concrete, Placement, Symbol, SymbolKind
from torchdevlint.records import replace
from torchdevlint.transfers.devices import place_of, reliance, sent_by_type
from torchdevlint.values import Const, Device, Opaque, Tensor

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def destination(run: Run, row: Move, call: Call, proof: int = 0) -> tuple[Placement | None, bool]:
    """Return where a move sends its receiver (None: no change of device), and whether a tensor says so.

    ``proof`` is the key of a receiver of unknown kind.
    """
    first = call.arguments[0] if call.arguments else None
    match row.kind:
        case MoveKind.CPU:
            return lattice.on(HOST), False
        case MoveKind.CUDA | MoveKind.OTHER_TYPE:
            run.facts.accelerated = True
            given = first or call.keywords.get("device")
            if given is not None and isinstance(given.value, Device):
                given = replace(given, value=replace(given.value, number=None))  # it needs an accelerator anyway
            named = place_of(run, given, moving=False) if given is not None else None
            if given is None or isinstance(given.value, Const):
                function = call.node.func if isinstance(call.node, cst.Call) else None
                node = function.attr if isinstance(function, cst.Attribute) else call.node
                needs = reliance(run, proof)
                run.emit(CudaCalled(node, run.world, f".{call.text}", needs))
                if proof in run.load_of and given is None and not needs.guarded:
                    run.facts.sent_on.add(run.load_of[proof])
            placement = named if named is not None else lattice.on(Concrete(row.type))
            return placement, False
        case MoveKind.TYPE:
            return (sent_by_type(run, first) if first is not None else None), False
        case MoveKind.TYPE_AS:
            return (run.placement_of(first.value) if first is not None else None), True
        case _:
            return _sent(run, call, first)


def _sent(run: Run, call: Call, first: Argument | None) -> tuple[Placement | None, bool]:
    """Return where `.to(…)` sends: the first argument or `device=`; anything may hide in ``*args``."""
    if call.hidden and "device" not in call.keywords:
        return ANY, True
    keyword = call.keywords.get("device")
    for argument in (keyword, first):
        if argument is None:
            continue
        if isinstance(argument.value, Tensor):
            return argument.value.placement, True
        if isinstance(argument.value, Opaque) and argument.value.key in run.facts.tensors:
            return run.placement_of(argument.value), True
        placement = place_of(run, argument)
        if placement is not None:
            return placement, _derived(placement)
    if call.open:
        return ANY, True
    return None, False


def _derived(placement: Placement) -> bool:
    """Tell whether a placement is that of another tensor, which makes a move no evidence."""
    return all(
        isinstance(p.device, Symbol) and p.device.kind in (SymbolKind.WHEREABOUTS, SymbolKind.OWNER, SymbolKind.BATCH)
        for p in placement
    )
