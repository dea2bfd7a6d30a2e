"""What a whole file proves about symbols and opaque values, collected while it is interpreted.

Many facts come after their use (a `.backward()` further down, a later move that is evidence), so rules ask
them when the interpretation has ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from torchdevlint.lattice import HOST, Condition, Placement, Possibility, Symbol, SymbolKind


@dataclass(slots=True)
class FileFacts:
    """Evidence by key. ``definitions_only`` tells that the file runs nothing itself.

    ``stepped`` maps an optimizer to the moment of its last step.
    ``sent_to`` are symbols to which a module or batch was moved; ``accelerated`` is True once anything in the
    file leaves the host or may; ``host_batches`` maps a batch symbol to the conditions under which a member
    was moved off the host.
    """

    tensors: set[int] = field(default_factory=set)
    modules: set[int] = field(default_factory=set)
    graphs: set[int] = field(default_factory=set)
    sent_to: set[int] = field(default_factory=set)
    host_batches: dict[int, tuple[Condition, cst.CSTNode]] = field(default_factory=dict)
    tainted: set[int] = field(default_factory=set)
    stepped: dict[int, int] = field(default_factory=dict)
    backward: set[tuple[int, str]] = field(default_factory=set)
    training_loops: set[cst.CSTNode] = field(default_factory=set)
    training_functions: set[int] = field(default_factory=set)
    prepared_loaders: bool = False
    built_loaders: set[int] = field(default_factory=set)
    moved_from: dict[int, set[Placement]] = field(default_factory=dict)
    carriers: dict[int, set[int]] = field(default_factory=dict)
    consumed: set[int] = field(default_factory=set)
    kept_loads: set[int] = field(default_factory=set)
    accelerated: bool = False
    guards: bool = False
    definitions_only: bool = True

    @property
    def movable(self) -> bool:
        """Tell whether the file's modules can be expected on an accelerator."""
        return self.accelerated or self.definitions_only

    def expand(self, symbol: Symbol) -> Placement | None:
        """Return what the file proves the symbol to be: its own expansion, or a batch's arrival on the host."""
        if symbol.expansion is not None:
            return symbol.expansion
        if symbol.kind is SymbolKind.BATCH and symbol.key not in self.tainted and symbol.key in self.host_batches:
            condition, _ = self.host_batches[symbol.key]
            return frozenset({Possibility(HOST, condition)})
        if self.prepared_loaders and symbol.key in self.built_loaders and symbol.key not in self.tainted:
            return frozenset({Possibility(HOST)})  # a framework moves the batches of the loaders given to it only
        return None

    def holds_modules(self, symbol: Symbol) -> bool:
        """Tell whether a module is moved to a place, which shows that it may be an accelerator."""
        if symbol.expansion is not None or symbol.kind is SymbolKind.OWNER:
            return True
        return any(key == 0 or key in self.modules for key in self.carriers.get(symbol.key, ()))

    def can_be_accelerator(self, symbol: Symbol) -> bool:
        """Tell whether the file sends modules or batches to the symbol, or it is the device of a module."""
        match symbol.kind:
            case SymbolKind.PLACE:
                return symbol.key in self.sent_to and symbol.key not in self.tensors
            case SymbolKind.DEVICE_OF:
                return symbol.key in self.sent_to and symbol.key not in self.tensors and symbol.key not in self.modules
            case SymbolKind.OWNER:
                return self.movable
            case _:
                return False
