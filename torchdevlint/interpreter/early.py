"""What a module answers while it is built, and later no more: its device, until it is moved."""

from __future__ import annotations

import libcst as cst

from torchdevlint import lattice
from torchdevlint.interpreter import writers
from torchdevlint.interpreter.run import Run
from torchdevlint.lattice import ANY, Placement, Symbol, SymbolKind
from torchdevlint.names import text_of
from torchdevlint.parallel import DeviceKept
from torchdevlint.values import Class, Device, Form, Holder, Module, Tensor, Value, options


def device_of(run: Run, module: Module, node: cst.BaseExpression) -> Device:
    """Return the device that a module tells of itself: of one that is built, it is noted where it was asked."""
    placement = run.module_placement(module) or ANY
    if module.cls is None or not run.frame.constructing or run.frame.receiver != module:
        return Device(placement, form=Form.ASKED)
    symbol = Symbol(run.new_key(), SymbolKind.WHEREABOUTS, "the device of a module that is built")
    run.early[symbol.key] = node
    return Device(lattice.on(symbol), form=Form.ASKED)


def is_early(run: Run, placement: Placement) -> bool:
    """Tell whether a placement is where a module was while it was built."""
    return any(isinstance(p.device, Symbol) and p.device.key in run.early for p in placement)


def kept(run: Run, cls: Class | None, name: str, value: Value) -> None:
    """Record that an object keeps a device that was asked for too early, or a plain tensor that was made there."""
    for option, _ in options(value):
        if not isinstance(option, Device | Tensor) or (isinstance(option, Tensor) and option.held is not Holder.NONE):
            continue
        for possibility in option.placement:
            key = possibility.device.key if isinstance(possibility.device, Symbol) else 0
            node = run.early.get(key)
            if node is not None and not _bound_later(run, cls, name):
                what = "keeps it" if isinstance(option, Device) else "stays there"
                run.emit(DeviceKept(node, run.world, text_of(node), f"self.{name}", what))


def _bound_later(run: Run, cls: Class | None, name: str) -> bool:
    """Tell whether another method than the constructor binds or moves an attribute."""
    return cls is not None and bool(writers.of_class(run, cls).get(name, set()) - {"__init__"})
