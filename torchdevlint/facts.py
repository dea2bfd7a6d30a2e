"""What a whole file proves about symbols and opaque values, collected while it is interpreted.

Many facts come after their use (a `.backward()` further down, a later move that is evidence), so rules ask
them when the interpretation has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.costs import Costs
from torchdevlint.incidents import Entry, Reliance
from torchdevlint.interpreter.worlds import may_guard
from torchdevlint.lattice import (
    HOST,
    Condition,
    Device,
    Literal,
    Placement,
    Possibility,
    Symbol,
    SymbolKind,
    compatible,
)
from torchdevlint.records import dataclass, field
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.meetings import Meeting

PROVEN = 0
"""The key, among carriers, of a module that needs no proof."""

BATCH = -1
"""The key, among carriers, of a part of a batch."""


@dataclass(slots=True)
class FileFacts:
    """Evidence, most of it by key: of opaque values, symbols, batches, optimizers, loads and accumulations."""

    # the meetings found in an event, by its identity, once the rules judge
    met: dict[int, tuple[Meeting, ...]] = field(default_factory=dict)

    # opaque values that are proven to be a tensor or a module, and objects whose plain attributes are read
    tensors: set[int] = field(default_factory=set)
    modules: set[int] = field(default_factory=set)
    namespaces: set[int] = field(default_factory=set)

    # values and variables on which a backward pass runs
    graphs: set[int] = field(default_factory=set)
    backward: set[tuple[int, str]] = field(default_factory=set)

    # what is moved to a symbol: a proven module, a part of a batch, or an opaque value that must be proven a module
    carriers: dict[int, set[int]] = field(default_factory=dict)

    # the moments at which modules were last moved off the host, and what moved them first
    departed: dict[int, int] = field(default_factory=dict)
    movers: dict[int, cst.CSTNode] = field(default_factory=dict)

    # what has to hold, because the program fails where it does not (`assert x.dim() == 3`)
    insisted: set[Literal] = field(default_factory=set)

    # the guards that tell whether a module is in training: it is, and it is not, each at its time
    modes: set[str] = field(default_factory=set)

    # the moments at which code that cannot be seen was first given a module together with a device
    sent_unseen: dict[int, int] = field(default_factory=dict)

    # what fixes ask for: expressions by which something was told a device that may be any, calls of factories that
    # could be told one, and expressions that a layer takes, of which the tensors are copied into something, and that
    # an optimizer takes as its state
    places: dict[cst.CSTNode, Placement] = field(default_factory=dict)
    factories: set[cst.CSTNode] = field(default_factory=set)
    fed: dict[cst.CSTNode, Placement] = field(default_factory=dict)
    copied: set[cst.CSTNode] = field(default_factory=set)
    restored: set[cst.CSTNode] = field(default_factory=set)

    # inputs of methods (their parameters) that a layer of the module took
    met_inputs: set[cst.CSTNode] = field(default_factory=set)

    # modules that move something of what they are handed, and those that send tensors of their own to an accelerator
    moved_inside: set[int] = field(default_factory=set)
    at_home: set[int] = field(default_factory=set)

    # batches of which a member is moved off the host (under which condition, by which call), those that may come
    # from anywhere, what an unseen call that made one was given, loaders of the file, and whether a framework has them
    host_batches: dict[int, tuple[Condition, cst.CSTNode]] = field(default_factory=dict)
    tainted: set[int] = field(default_factory=set)
    made_with: dict[int, set[int]] = field(default_factory=dict)
    built_loaders: set[int] = field(default_factory=set)
    prepared_loaders: bool = False

    # the moments of an optimizer's steps, where its parameters were then and under which condition, and the moment at
    # which its state was last loaded or moved by hand
    steps: dict[int, list[tuple[int, frozenset[Device], Condition]]] = field(default_factory=dict)
    repaired: dict[int, int] = field(default_factory=dict)

    # the moments at which an optimizer last took the parameters of a module, and at which the groups of an optimizer
    # were last changed; modules whose parameters are frozen
    taken: dict[int, int] = field(default_factory=dict)
    regrouped: dict[int, int] = field(default_factory=dict)
    frozen: set[int] = field(default_factory=set)

    # the moments at which something took the place of a part of a module, by the module and the name
    rebound: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    # loops and functions that run a backward pass or a step, loops that run a backward pass outside the loops in them,
    # loops that call a module, and the accumulations of which something needs more than the number, or that an object
    # keeps and a method returns
    training_loops: set[cst.CSTNode] = field(default_factory=set)
    stepping_loops: set[cst.CSTNode] = field(default_factory=set)
    calling_loops: set[cst.CSTNode] = field(default_factory=set)
    training_functions: set[int] = field(default_factory=set)
    consumed: set[int] = field(default_factory=set)
    returned: set[int] = field(default_factory=set)

    # checkpoints that reach a module, an optimizer, a move or the caller, the opaque objects they are loaded into,
    # those of which a part goes back to the caller, and whether each checkpoint that is written comes from the host
    kept_loads: set[int] = field(default_factory=set)
    in_memory: set[int] = field(default_factory=set)  # files that are none on a disk
    caches: dict[tuple[str, str, bool], int] = field(default_factory=dict)  # what is written where no file was
    loads_into: dict[int, set[int]] = field(default_factory=dict)
    data_loads: set[int] = field(default_factory=set)  # files that hold a set of data, and no checkpoint
    sent_on: set[int] = field(default_factory=set)  # what goes to an accelerator at once, whatever there is
    shipped: set[cst.CSTNode] = field(default_factory=set)  # the calls that read a file which lies beside the code
    parts_returned: set[int] = field(default_factory=set)
    saves: list[bool] = field(default_factory=list)

    # state dicts that each file was written with, one entry for each write, and the values whose keys may be changed
    written: dict[str, list[tuple[Entry, ...]]] = field(default_factory=dict)
    rewritten: set[int] = field(default_factory=set)

    # whether anything in the file leaves the host or may, whether the file asks if an accelerator is there, or where
    # something is, whether it runs nothing itself, whether others may use what it defines, and whether it runs code
    # that may rebind its constants (`exec`)
    accelerated: bool = False
    guards: bool = False
    asks_where: bool = False
    definitions_only: bool = True
    importable: bool = True
    reconfigured: bool = False

    # functions and classes that can be told to use the host, or ask what there is; None for what stands outside of them
    portable: set[cst.CSTNode | None] = field(default_factory=set)
    callers: dict[cst.CSTNode | None, set[cst.CSTNode | None]] = field(default_factory=dict)
    handed: set[cst.CSTNode] = field(default_factory=set)  # functions that code which cannot be seen calls back
    shown: set[cst.CSTNode | None] | None = None  # asked for when the interpretation has ended

    # whether the file tells any checkpoint where to go; whether it uses what only an accelerator has, beside placing
    # things there; whether anything is placed on one, in which scopes and worlds it is placed there by the file itself,
    # and what that demands, which is asked for when the interpretation has ended; and whether the file reads arguments
    # or checkpoints, or trains
    maps: bool = False
    native: bool = False
    placed: bool = False
    relied: set[tuple[cst.CSTNode | None, Condition]] = field(default_factory=set)
    demands: set[tuple[cst.CSTNode | None, Condition]] | None = None
    program: bool = False
    works: bool = False

    # whether the file turns a switch for debugging off somewhere, or perhaps
    debugging_ends: bool = False

    # whether tensors of the file may be of a class that is copied to the host where NumPy asks for it
    converts: bool = False

    # whether the file asks for results that repeat, at the cost of time
    repeats: bool = False

    # of each process group that the file makes, whether it moves accelerator tensors only
    groups: set[bool] = field(default_factory=set)

    # where the modules are that are called in each block that casts
    cast_states: dict[cst.CSTNode, list[tuple[Placement, Condition]]] = field(default_factory=dict)

    # whether the file starts other processes, which read the environment anew
    starts_processes: bool = False

    # attributes that something binds, by the key of the object or its class; of an object of unknown kind by 0
    bound: set[tuple[int, str]] = field(default_factory=set)

    # what rules of advice ask
    costs: Costs = field(default_factory=Costs)
    # guards under which the module in a wrapper was asked for, by the call that made the wrapper
    unwrapped: dict[cst.CSTNode, set[Literal]] = field(default_factory=dict)

    # whether the process may have a device chosen for it, whether something tells its rank, and whether several
    # processes run on one machine
    chosen: bool = False
    ranked: bool = False
    neighbours: bool = False

    # calls that gathered scalars of replicas, of which one was made by a reduction
    reduced: set[cst.CSTNode] = field(default_factory=set)

    # calls that made loaders of which each process may have a part of its own
    divided: set[cst.CSTNode] = field(default_factory=set)

    # calls of modules of the file that gave a 0-dim tensor, as a loss does
    scalar_calls: set[cst.CSTNode] = field(default_factory=set)

    def may_bind(self, owners: frozenset[int], name: str) -> bool:
        """Tell whether something in the file binds an attribute of an object, or any of its attributes."""
        return any((owner, bound) in self.bound for owner in owners for bound in (name, ""))

    def fails(self, reliance: Reliance) -> bool:
        """Tell whether what needs an accelerator fails on a machine that the file is meant for.

        That is not told of what is native to an accelerator, nor of functions and classes that others may use, where
        they show no other machine; and not of a block that tries out what the file defines, nor of a function that only
        code calls which cannot be seen, and may ask before.
        """
        if reliance.scope in self.handed and not self.callers.get(reliance.scope):
            return False
        if reliance.guarded or (reliance.trial and not self.works):
            return False
        if (self.native or not self.program) and not self._shown(reliance.scope):
            return False
        return not reliance.proof or reliance.proof in self.modules or reliance.proof in self.tensors

    def loads_anywhere(self, scope: cst.CSTNode | None, world: Condition) -> bool:
        """Tell whether a checkpoint may have to be read where there is no accelerator, in a function or class.

        Not so where nothing runs there anyway, in a file that is told so, nor where all is left to who uses the file;
        and not in a ``world`` in which the function needs an accelerator all the same.
        """
        if self.native or any(not needed or (at is scope and needed <= world) for at, needed in self._demands()):
            return self.maps or self._shown(scope)
        return self.maps or self.program or bool(self.portable)

    def _demands(self) -> set[tuple[cst.CSTNode | None, Condition]]:
        """Return where something is placed on an accelerator, and the tests before it that may ask for one.

        What has to hold, or else the program fails, does not choose between machines.
        """
        if self.demands is None:
            self.demands = {
                (scope, frozenset(one for one in world - self.insisted if may_guard(one[0])))
                for scope, world in self.relied
            }
        return self.demands

    def _shown(self, scope: cst.CSTNode | None) -> bool:
        """Tell whether another machine is shown: by anything in a program, else by the function or its callers."""
        if self.program or not self.portable:
            return bool(self.portable)
        if self.shown is None:
            self.shown = self._called_by(self.portable)
        return scope in self.shown or None in self.portable

    def _called_by(self, scopes: set[cst.CSTNode | None]) -> set[cst.CSTNode | None]:
        """Return some functions and classes, and all that they call, and so on."""
        called: dict[cst.CSTNode | None, list[cst.CSTNode | None]] = {}
        for one, callers in self.callers.items():
            for caller in callers:
                called.setdefault(caller, []).append(one)
        found, waiting = set(scopes), list(scopes)
        while waiting:
            for one in called.get(waiting.pop(), ()):
                if one not in found:
                    found.add(one)
                    waiting.append(one)
        return found

    @property
    def movable(self) -> bool:
        """Tell whether the file's modules can be expected on an accelerator."""
        return self.importable and (self.accelerated or self.definitions_only)

    @property
    def minds_devices(self) -> bool:
        """Tell whether anything in the file shows that its author thinks of devices."""
        return self.accelerated or self.placed or self.guards or self.asks_where

    def expand(self, symbol: Symbol) -> Placement | None:
        """Return what the file proves the symbol to be: its own expansion, or a batch's arrival on the host."""
        if symbol.expansion is not None:
            return symbol.expansion
        if symbol.kind is not SymbolKind.BATCH or self._tainted(symbol.key):
            return None
        if symbol.key in self.host_batches:
            return frozenset({Possibility(HOST, self.host_batches[symbol.key][0])})
        if self.prepared_loaders and symbol.key in self.built_loaders:
            return frozenset({Possibility(HOST)})  # a framework moves the batches of the loaders given to it only
        return None

    def _tainted(self, key: int) -> bool:
        """Tell whether a loader was given a device or moved data, now or by what later turned out to be a place."""
        return key in self.tainted or any(self._carries(given) for given in self.made_with.get(key, ()))

    def can_be_accelerator(self, symbol: Symbol) -> bool:
        """Tell whether the file sends modules or batches to the symbol, or it is the device of a module.

        `args.device` of an object that is used as a namespace is a place; `x.device` says where `x` is, no more.
        """
        match symbol.kind:
            case SymbolKind.PLACE:
                return self._carries(symbol.key) and symbol.key not in self.tensors
            case SymbolKind.DEVICE_OF:
                known = symbol.key in self.tensors or symbol.key in self.modules
                return symbol.key in self.namespaces and not known and self._carries(symbol.key)
            case SymbolKind.OWNER:
                return self.movable and symbol.key not in self.at_home
            case _:
                return False

    def is_only_handed_in(self, why: Why) -> bool:
        """Tell whether a value comes from an input of a method that no layer of the module took."""
        root = why.root()
        moved = why.of(Role.MOVED, Role.MOVED_TO_HOST)
        return root.role is Role.INPUT and moved is None and root.node not in self.met_inputs

    def is_stale(self, why: Why) -> bool:
        """Tell whether a value was taken out of a module that has moved off the host since."""
        module, moment = why.taken
        return why.role is Role.TAKEN and self.departed.get(module, 0) > moment

    def is_moved_inside(self, possibility: Possibility) -> bool:
        """Tell whether a value was handed to a module that moves what it is handed, so that it may be anywhere."""
        device, why = possibility.device, possibility.why
        if why is None or not isinstance(device, Symbol) or device.key not in self.moved_inside:
            return False
        return why.root().role is Role.INPUT

    def _carries(self, key: int) -> bool:
        """Tell whether a module or a part of a batch is moved to a place."""
        return any(moved in (PROVEN, BATCH) or moved in self.modules for moved in self.carriers.get(key, ()))

    def keeps(self, load: int) -> bool:
        """Tell whether what was read from a checkpoint reaches a module, an optimizer, a move or the caller."""
        receivers = self.loads_into.get(load, set())
        if load in self.kept_loads or (receivers and load in self.parts_returned):
            return True
        return any(key in self.modules for key in receivers)

    def is_cache(self, files: frozenset[tuple[str, str, bool]]) -> bool:
        """Tell whether a file is read where the test is true without which the script writes plain data there."""
        return any(self.caches[file] not in self.modules for file in files & self.caches.keys())

    def next_step(self, optimizer: int, moment: int, world: Condition) -> frozenset[Device] | None:
        """Return where the parameters of an optimizer are at its first step after a moment, None if there is none.

        A step that is not taken in the world of that moment is none: there another optimizer has taken its place.
        """
        steps = self.steps.get(optimizer, ())
        return next((places for when, places, if_ in steps if when > moment and compatible(if_, world)), None)

    def goes_on(self, optimizer: int, owner: int, name: str, moment: int) -> bool:
        """Tell whether an optimizer is stepped after the moment at which a part of a module was replaced.

        Not so where that part is replaced again before the step, or where the groups of the optimizer are changed.
        """
        if self.regrouped.get(optimizer, 0) > moment:
            return False
        stepped = next((when for when, *_ in self.steps.get(optimizer, ()) if when > moment), None)
        if stepped is None:
            return False
        return not any(moment < when < stepped for when in self.rebound.get((owner, name), ()))

    def holds_modules(self, symbol: Symbol) -> bool:
        """Tell whether a module is moved to a place, which shows that it may be an accelerator."""
        if symbol.expansion is not None or symbol.kind is SymbolKind.OWNER:
            return True
        return any(moved == PROVEN or moved in self.modules for moved in self.carriers.get(symbol.key, ()))
