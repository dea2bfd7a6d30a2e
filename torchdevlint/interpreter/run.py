"""One abstract run over a file: bindings, the world that holds, budgets, evidence and the events so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import Event, ReadEarly
from torchdevlint.facts import FileFacts
from torchdevlint.interpreter.frames import Exit, Frame
from torchdevlint.interpreter.pace import Pace
from torchdevlint.interpreter.worlds import is_full, may_guard
from torchdevlint.knowledge.rows import Arrives, Knowledge, ObjectType
from torchdevlint.lattice import ALWAYS, ANY, HOST, ON_HOST, Condition, Placement, Possibility, Symbol, SymbolKind
from torchdevlint.records import dataclass, field
from torchdevlint.state import DEFAULT_DEVICE, ITEMS, MAX_ATTRIBUTES, PLACEMENT, Branch, Items, Store
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Choice,
    Class,
    Container,
    Flight,
    Function,
    Loader,
    Module,
    Object,
    Opaque,
    Optimizer,
    Tensor,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.transfers.datasets import Dataset

DISTRIBUTED = "distributed"
"""The guard that several processes run, each with an accelerator of its own."""

IS_NONE = " is None#0"
"""The ending of a guard that a value is None."""

MAX_CALL_DEPTH = 5
MAX_WORK = 250
"""How many statements the calls of one function may run, with those of what it calls."""
MAX_EXPRESSION_DEPTH = 60
MAX_WITHIN = 1_000
"""How many elements a container may have, with those of its elements; of one with more nothing is known."""
STEPS_A_LINE = 5
STEPS_FREE = 1000
ARRAY = ObjectType("array", array=True)

Resolver = Callable[[str], Value]
"""What a dotted name means that is imported from a module no row knows."""


def unresolved(name: str) -> Value:
    """Resolve nothing."""
    return UNKNOWN


@dataclass(slots=True)
class Run:
    """The state of the interpreter; everything that changes while a file is interpreted."""

    # what the run was given, and what it is for
    knowledge: Knowledge
    budget: int
    resolver: Resolver = unresolved
    probe: Callable[[Run, cst.CSTNode, Value], None] | None = None
    called_attributes: frozenset[str] = frozenset()
    called_names: frozenset[str] = frozenset()
    counters: frozenset[str] = frozenset()
    yields: bool = False
    claims: bool = False  # whether a comment may tell where something is

    # what holds now: bindings, scope, world, and what is being run
    store: Store = field(default_factory=Store)
    frame: Frame = field(default_factory=lambda: Frame(1, None))
    top: Frame = field(init=False)
    frames: dict[int, Frame] = field(default_factory=dict)
    world: Condition = ALWAYS
    guarded: int = 0
    either_way: frozenset[str] = frozenset()  # guards with both outcomes of which the same is called
    no_grad: int = 0
    casting: tuple[cst.CSTNode, Placement] | None = None  # the innermost block that casts, and on which devices
    left: bool = False
    worker: cst.CSTNode | None = None  # the loader in one of whose forked processes the code runs
    discarded: set[cst.Call] = field(default_factory=set)
    stack: list[cst.CSTNode] = field(default_factory=list)
    running: list[cst.For | cst.While] = field(default_factory=list)
    taken: list[tuple[Loader, Condition]] = field(default_factory=list)  # loaders whose items were taken, in order
    fed: dict[cst.CSTNode, list[tuple[Loader, Condition]]] = field(default_factory=dict)  # those that loops take from
    activation: int = 0

    # what is spent
    counter: int = 100
    steps: int = 0
    foreign: int = 0  # calls so far of functions that cannot be seen
    work: dict[cst.CSTNode, int] = field(default_factory=dict)
    expression_depth: int = 0
    unrolling: int = 1  # how often comprehensions around evaluate the element at hand, one by one

    # what was found
    facts: FileFacts = field(default_factory=FileFacts)
    events: list[Event] = field(default_factory=list)

    # functions and classes of the file: which there are, which were called, what their decorators make of them
    definitions: list[Function | Class] = field(default_factory=list)
    methods: set[cst.CSTNode] = field(default_factory=set)
    called: set[cst.CSTNode] = field(default_factory=set)
    kinds: dict[cst.CSTNode, str] = field(default_factory=dict)
    without_graph: set[cst.CSTNode] = field(default_factory=set)
    decorated: set[cst.CSTNode] = field(default_factory=set)
    opaque_decorated: set[cst.CSTNode] = field(default_factory=set)
    handed: dict[cst.CSTNode, tuple[Arrives, ...]] = field(default_factory=dict)  # to those that a framework calls
    guarded_functions: set[cst.CSTNode] = field(default_factory=set)
    defined_in: dict[cst.CSTNode, Condition] = field(default_factory=dict)
    expected_to_fail: set[cst.CSTNode] = field(default_factory=set)
    closed_over: set[int] = field(default_factory=set)
    written: dict[int, dict[str, set[str]]] = field(default_factory=dict)  # by class: attributes, with who binds them
    touched: dict[cst.CSTNode, frozenset[str]] = field(default_factory=dict)  # by method: what it assigns or moves
    moving: dict[cst.CSTNode, bool] = field(default_factory=dict)  # by method: whether it moves anything
    defaults: dict[cst.Param, Value] = field(default_factory=dict)
    deferred: dict[int, Callable[[], Items]] = field(default_factory=dict)  # iterators, until something iterates them
    generators: dict[cst.CSTNode, bool] = field(default_factory=dict)

    # objects by key: their attributes, and where and by what they were made, registered, copied or filled
    attributes: dict[int, dict[str, None]] = field(default_factory=dict)
    registered: set[int] = field(default_factory=set)
    lent: set[int] = field(default_factory=set)  # modules that code which cannot be seen made, subclasses or was given
    appended: dict[int, cst.CSTNode] = field(default_factory=dict)
    made_at: dict[int, cst.CSTNode] = field(default_factory=dict)
    early: dict[int, cst.BaseExpression] = field(default_factory=dict)  # devices, by where they were read
    wrapped: dict[int, tuple[cst.CSTNode, Condition]] = field(default_factory=dict)  # wrappers: by which call, where
    copies: dict[int, list[tuple[int, cst.CSTNode]]] = field(default_factory=dict)
    parameter_of: dict[int, Module | Opaque] = field(default_factory=dict)
    optimizer_modules: dict[int, tuple[Module | Opaque, ...]] = field(default_factory=dict)
    casts: dict[int, tuple[cst.CSTNode, Placement]] = field(default_factory=dict)
    groups_of: dict[int, Optimizer] = field(default_factory=dict)
    read_from: dict[int, tuple[str, tuple[object, ...]]] = field(default_factory=dict)
    datasets: dict[int, Dataset] = field(default_factory=dict)  # opaque ones that a row tells of
    load_of: dict[int, int] = field(default_factory=dict)
    part_of: dict[int, int] = field(default_factory=dict)
    within: dict[int, int] = field(default_factory=dict)  # how many elements, with those of its elements
    imported: dict[str, int] = field(default_factory=dict)
    iterated_in: dict[int, int] = field(default_factory=dict)
    indices: set[tuple[int, str]] = field(default_factory=set)  # names that a loop binds, with a value of each pass
    expecting: int = 0  # blocks, tests and bodies of `try` around that are meant to fail
    numbers_as_arrays: set[int] = field(default_factory=set)
    derived: set[int] = field(default_factory=set)  # classes that others of the file are derived from
    numbers: set[tuple[int, str]] = field(default_factory=set)  # attributes that start as one and are added to
    kept_totals: set[int] = field(default_factory=set)  # accumulations in such an attribute
    results: set[int] = field(default_factory=set)  # of calls that cannot be seen
    arguments: set[int] = field(default_factory=set)
    options: dict[int, dict[str, None]] = field(default_factory=dict)  # of a parser, that default to an accelerator
    flights: dict[int, Flight] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)
    waits: int = 0  # calls so far in which the host may have waited for the accelerator
    moved: set[tuple[int, cst.CSTNode]] = field(default_factory=set)  # by which call, themselves and not as parts
    bounded: set[int] = field(default_factory=set)
    unreduced: set[int] = field(default_factory=set)
    guard_marks: set[int] = field(default_factory=set)
    framework: int = 0

    # slots: what was bound when and where
    unbound: set[str] = field(default_factory=set)  # names that were read before anything bound them
    versions: dict[tuple[int, str], int] = field(default_factory=dict)
    bound_at: dict[tuple[int, str], cst.CSTNode] = field(default_factory=dict)
    reset_in: dict[tuple[int, str], cst.CSTNode | None] = field(default_factory=dict)
    buffers: set[tuple[int, str]] = field(default_factory=set)
    lent_parameters: set[tuple[int, str]] = field(default_factory=set)  # that were read from outside

    # totals that loops gather: of containers, of statements, and the loop that makes a container anew
    tallies: dict[int, set[int]] = field(default_factory=dict)
    tally_keys: dict[cst.CSTNode, int] = field(default_factory=dict)
    container_loops: dict[int, cst.CSTNode] = field(default_factory=dict)

    host_files: set[str] = field(default_factory=set)  # files that the script writes from the host
    saved_files: dict[str, int] = field(default_factory=dict)

    def enter(self, frame: Frame) -> None:
        """Make a frame the one that names are bound in."""
        self.frames[frame.key] = frame
        self.frame = frame

    def __post_init__(self) -> None:
        self.top = self.frame
        self.frames[self.frame.key] = self.frame

    # identities -------------------------------------------------------------------------------------------

    def new_key(self) -> int:
        """Return a key that no object or frame has."""
        self.counter += 1
        return self.counter

    def opaque(
        self,
        name: str = "",
        placement: Placement = ANY,
        *,
        output: bool = False,
        member: bool = False,
        source: int = 0,
        parameter: bool = False,
    ) -> Opaque:
        """Return a new object of unknown kind."""
        return Opaque(self.new_key(), name, placement, output, member, source, parameter)

    def array(self) -> Object:
        """Return a host array."""
        return Object(self.new_key(), ARRAY)

    def derive(self, whole: Opaque, name: str, part: bool = False) -> Opaque:
        """Return what an opaque value gives: it is where the whole is, and came from where the whole came from.

        A ``part`` (an element, not an attribute) of a loader's item is a member of the batch, one of that is within it.
        """
        member, within = whole.member or (part and whole.source != 0), whole.within or (part and whole.member)
        place, source = whole.placement, whole.source
        made = Opaque(self.new_key(), name, place, whole.output, member, source, whole.parameter, within)
        self.part_of[made.key] = whole.key
        if part and whole.parameter and whole.key in self.parameter_of:
            self.parameter_of[made.key] = self.parameter_of[whole.key]
        if whole.key in self.groups_of:
            self.groups_of[made.key] = self.groups_of[whole.key]
        if whole.key in self.load_of:
            self.load_of[made.key] = self.load_of[whole.key]
        return made

    def imported_key(self, name: str) -> int:
        """Return the key of what stands under a name in another module: one object wherever it is named."""
        return self.imported.setdefault(name, self.new_key())

    def prepared_key(self) -> int:
        """Return the key of the device that a framework gives this process."""
        self.framework = self.framework or self.new_key()
        return self.framework

    def emit(self, event: Event) -> None:
        """Record an event; where a failure is expected, or not all is known that holds, nothing counts."""
        if not self.expecting and not is_full(self.world):
            self.events.append(event)

    def arrive(self, value: Value, node: cst.CSTNode) -> None:
        """Record that a value is read on the host, where nothing may have waited for its copy."""
        flight = self.flights.get(value.flight) if isinstance(value, Tensor) else None
        if flight is not None and flight.waits == self.waits:
            self.emit(ReadEarly(flight.node, self.world, flight.before, node))

    @property
    def is_guarded(self) -> bool:
        """Tell whether the code runs under a guard that may stand for the presence of an accelerator."""
        return self.guarded > 0 or any(may_guard(name) for name, _ in self.world if name not in self.either_way)

    def spend(self, node: cst.CSTNode) -> bool:
        """Count one call of a function; tell whether the budgets of the file and of the function let it be followed."""
        self.steps += 1
        return self.steps < self.budget and self.work.get(node, 0) < MAX_WORK

    # bindings ---------------------------------------------------------------------------------------------

    def bind(self, owner: int, name: str, value: Value) -> None:
        """Bind a variable or attribute."""
        self.store.set(owner, name, value)
        self.versions[owner, name] = self.new_key()
        frame = self.frames.get(owner)
        if frame is not None:
            frame.bound.add(name)

    def lookup(self, name: str) -> Value | None:
        """Return the value of a variable in the current scope and those around it, or None."""
        frame: Frame | None = self.frame
        if name in self.frame.outer:
            frame = self.frame.parent
        while frame is not None:
            # not by `Store.value`: nothing is asked for more often
            if name in frame.bound and (value := self.store.bindings.get((frame.key, name))) is not None:
                return value  # type: ignore[no-any-return]
            frame = frame.parent
        self.unbound.add(name)
        return None

    def owner_of(self, name: str) -> int:
        """Return the key of the frame that an assignment to a name writes to."""
        if name in self.frame.outer:
            frame = self.frame.parent
            while frame is not None:
                if self.store.value(frame.key, name) is not None:
                    return frame.key
                frame = frame.parent
            return self.top.key
        return self.frame.key

    def set_attribute(self, key: int, name: str, value: Value) -> None:
        """Bind an attribute of an object; of one that has too many already the value is not known."""
        names = self.attributes.setdefault(key, {})
        if len(names) < MAX_ATTRIBUTES or name in names:
            names[name] = None
            self.bind(key, name, value)
        else:
            self.bind(key, name, UNKNOWN)

    def attribute_values(self, key: int) -> list[tuple[str, Value]]:
        """Return the attributes that were ever bound on an object, with their present values."""
        get = self.store.bindings.get
        return [(name, value) for name in self.attributes.get(key, ()) if (value := get((key, name))) is not None]

    # containers -------------------------------------------------------------------------------------------

    def items(self, container: Container | Module | Object) -> Items:
        """Return the elements of a container."""
        if (found := self.store.get(container.key, ITEMS)) is None and container.key in self.deferred:
            self.store.set(container.key, ITEMS, Items(lost=True))  # while it runs
            found = self.deferred[container.key]()
            self.store.set(container.key, ITEMS, found)
        return found if isinstance(found, Items) else Items(lost=True)

    def container(self, kind: str, values: Iterable[Value] = (), rest: Value | None = None) -> Container:
        """Return a new container with the elements in order, and any number of others like ``rest``."""
        return self.holder(kind, Items(tuple(enumerate(values)), rest))

    def holder(self, kind: str, items: Items) -> Container:
        """Return a new container with elements by position or key."""
        made = Container(self.new_key(), kind)
        self.fill(made.key, items)
        return made

    def fill(self, key: int, items: Items) -> None:
        """Set the elements of a container, or forget them where those in them are too many: they may be shared."""
        within = 1 + sum(self.within.get(v.key, 1) if isinstance(v, Container | Module) else 1 for _, v in items.exact)
        self.within[key] = min(within, MAX_WITHIN)
        self.store.set(key, ITEMS, items.bounded() if within < MAX_WITHIN else Items((), UNKNOWN, items.lost))

    def born_in_loop(self, made: Container) -> Container:
        """Note the loop that makes a container anew at each pass: what it gathers there it loses there."""
        if (loop := self.frame.loop) is not None:
            self.container_loops[made.key] = loop
        return made

    # placements -------------------------------------------------------------------------------------------

    def placement_of(self, value: Value) -> Placement:
        """Return where a value is, as a tensor; an opaque value is at a whereabouts of its own."""
        match value:
            case Tensor():
                return value.placement
            case Opaque(key=key, parameter=True) if key in self.parameter_of:
                return self.module_placement(self.parameter_of[key]) or ANY  # it moves with its module
            case Opaque():
                return value.placement if value.placement != ANY else self.whereabouts(value)
            case Choice():
                return self._placement_of_choice(value)
            case Object():
                found = self.store.get(value.key, PLACEMENT)
                return found if isinstance(found, frozenset) else value.placement
            case _:
                return ANY

    def _placement_of_choice(self, value: Choice) -> Placement:
        joined: Placement = frozenset()
        for option, condition in value.options:
            if option == NONE:
                continue
            part = lattice.under(self.placement_of(option), condition)
            joined = lattice.join(joined, part) if joined else part
        return joined or ANY

    def whereabouts(self, value: Opaque) -> Placement:
        """Return the device of an opaque value as a symbol of its own."""
        name = f"the device of `{value.name}`" if value.name else "an unknown device"
        return lattice.on(Symbol(value.key, SymbolKind.DEVICE_OF, name))

    def default_placement(self, node: cst.CSTNode, what: str = "", *, layer: bool = False) -> Placement:
        """Return where a tensor or ``layer`` is that is made without a device: the host, or the default device."""
        changed = self.store.get(0, DEFAULT_DEVICE)
        if isinstance(changed, frozenset) and changed != ON_HOST:
            made = Why(Role.CREATED, node, what)  # what chose the device may stand in no file
            return frozenset(p if p.why is not None else Possibility(p.device, p.condition, made) for p in changed)
        inside = self.frame.in_module and not self.frame.constructing
        role = Role.CREATED if not inside else Role.LATE if layer else Role.CREATED_IN_MODULE
        fallback = min((guard for guard, truth in self.world if truth and guard.endswith(IS_NONE)), default="")
        return lattice.on(HOST, Why(role, node, what, fallback=fallback))

    def module_placement(self, module: Module | Opaque) -> Placement | None:
        """Return where a module's parameters are; None where nothing ever said so."""
        found = self.store.get(module.key, PLACEMENT)
        return found if isinstance(found, frozenset) else None

    # branches ---------------------------------------------------------------------------------------------

    def leave(self, base: int, world: Condition, value: Value = UNKNOWN) -> Exit:
        """Return the way out of a body that began at a layer depth and in a world."""
        return Exit(Branch(self.store.since(base), self.world - world), value)
