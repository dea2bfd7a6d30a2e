"""The run over a file: the module from top to bottom, then whatever nothing called, once, symbolically."""

from __future__ import annotations

import re
from collections.abc import Callable

import libcst as cst

from torchdevlint import claims, lattice, transfers
from torchdevlint.events import Event, Loaded
from torchdevlint.facts import FileFacts
from torchdevlint.interpreter import classes, functions, processes, shipped, statements, told
from torchdevlint.interpreter.guards import is_main_guard
from torchdevlint.interpreter.run import STEPS_A_LINE, STEPS_FREE, Resolver, Run, unresolved
from torchdevlint.knowledge.rows import Knowledge
from torchdevlint.lattice import HOST, ON_HOST
from torchdevlint.parallel import Fed
from torchdevlint.records import dataclass
from torchdevlint.state import BEGUN, DEFAULT_DEVICE, JOINED
from torchdevlint.values import Class, Function, Value

_CALLED = re.compile(r"\(\s*(\w+)(\.| fed|)")
"""What is called, in a text read backwards: from its parentheses, which is many times faster than from its words."""

_COUNTED = re.compile(r"=[-+] *(\w+)")
"""What the file counts up or down."""

Probe = Callable[[Run, cst.CSTNode, Value], None]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What a run over a file saw, and what the file proves."""

    events: tuple[Event, ...]
    facts: FileFacts


def interpret(
    module: cst.Module,
    text: str,
    knowledge: Knowledge,
    resolver: Resolver = unresolved,
    probe: Probe | None = None,
    importable: bool = True,
) -> Interpretation:
    """Interpret a file; every function and class is run at least once.

    ``probe`` is shown the value of every assignment as it is made, for tests and traces. ``importable`` tells that
    other files may use what this one defines, and move it: nobody does so with a test.
    """
    lines = text.count("\n") + 1
    run = Run(knowledge, budget=STEPS_FREE + STEPS_A_LINE * lines, probe=probe, resolver=resolver)
    backwards = text[::-1]
    called = _CALLED.findall(backwards)
    run.called_attributes = frozenset(name[::-1] for name, before in called if before == ".")
    called_names = run.called_names = frozenset(name[::-1] for name, before in called if not before)
    run.counters = frozenset(name[::-1] for name in _COUNTED.findall(backwards))
    run.yields = "yield" in text
    run.claims = claims.may_be_in(text)
    run.facts.importable = importable
    run.facts.definitions_only = not _runs_something(module)
    default_device = transfers.parse(knowledge.default_device)
    if default_device is not None:
        run.store.set(0, DEFAULT_DEVICE, lattice.on(default_device))
        run.facts.accelerated |= default_device != HOST
    run.world |= told.world_of(run, module)
    statements.run_all(run, module.body)
    run.facts.program = not run.facts.definitions_only or run.facts.placed
    world = run.world
    default = run.store.get(0, DEFAULT_DEVICE) or ON_HOST
    functions.forget_sent_back(run, dict(run.store.bindings))
    # Definitions that nothing in the file names in a call come first: they call the others.
    for rooted in (True, False):
        for definition in run.definitions:  # it grows: what runs defines more
            run.world = world
            run.store.set(0, DEFAULT_DEVICE, default)
            run.store.set(0, BEGUN, None)  # whoever imports a definition may use it before anything else
            run.store.set(0, JOINED, None)
            run.foreign = 0
            run.activation += 1  # another run of the program, for all that can be told
            if isinstance(definition, Class):
                _run_class(run, definition, rooted)
            elif definition.node not in run.methods and not (rooted and definition.name in called_names):
                _run_function(run, definition)
    fed = [event for event in run.events if isinstance(event, Fed)]
    if fed:
        run.facts.divided = processes.divided(knowledge, module, fed)
    loads = {event.path: event.node for event in run.events if isinstance(event, Loaded) and event.path is not None}
    if loads and shipped.ITSELF in text and not run.facts.saves:
        run.facts.shipped = {loads[path] for path in shipped.beside(module, list(loads))}
    return Interpretation(tuple(run.events), run.facts)


def _run_function(run: Run, function: Function) -> None:
    """Run a function that no call reached."""
    if function.node not in run.called:
        functions.run_symbolically(run, function)


def _run_class(run: Run, cls: Class, rooted: bool) -> None:
    """Run the methods that no call reached; ``rooted`` leaves out those whose name stands in a call."""
    names = [
        method
        for method, value in cls.members.items()
        if isinstance(value, Function)
        and value.node not in run.called
        and not (rooted and method in run.called_attributes)
        and method != "__init__"
    ]
    init = cls.members.get("__init__")
    constructed = not isinstance(init, Function) or init.node in run.called
    if names or not (rooted or constructed):
        classes.run_methods(run, cls, names)


def _runs_something(module: cst.Module) -> bool:
    """Tell whether a file has a main guard or a loop at module level: it runs something itself."""
    for statement in module.body:
        if isinstance(statement, cst.For | cst.While):
            return True
        if isinstance(statement, cst.If) and is_main_guard(statement.test):
            return True
    return False
