"""The run over a file: the module from top to bottom, then whatever nothing called, once, symbolically."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from torchdevlint.events import Event
from torchdevlint.facts import FileFacts
from torchdevlint.interpreter import classes, functions, statements
from torchdevlint.interpreter.run import STEPS_A_LINE, STEPS_FREE, Resolver, Run, unresolved
from torchdevlint.knowledge.rows import Knowledge
from torchdevlint.values import Class, Function, Value

_CALLED_ATTRIBUTE = re.compile(r"\.(\w+)\s*\(")
_CALLED_NAME = re.compile(r"(?<!def )(?<![\w.])(\w+)\s*\(")


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
) -> Interpretation:
    """Interpret a file; every function and class is run at least once.

    ``probe`` is shown the value of every assignment as it is made, for tests and traces.
    """
    lines = text.count("\n") + 1
    run = Run(knowledge, budget=STEPS_FREE + STEPS_A_LINE * lines, probe=probe, resolver=resolver)
    run.called_attributes = frozenset(_CALLED_ATTRIBUTE.findall(text))
    called_names = frozenset(_CALLED_NAME.findall(text))
    run.facts.definitions_only = not _runs_something(module)
    statements.run_all(run, module.body)
    world = run.world
    # Functions that nothing in the file names in a call come first: they call the others.
    for rooted in (True, False):
        index = 0
        while index < len(run.definitions):
            definition = run.definitions[index]
            index += 1
            run.world = world
            run.activation += 1  # another run of the program, for all that can be told
            name = definition.name
            if isinstance(definition, Function):
                if definition.node in run.called or (rooted and name in called_names):
                    continue
                if definition.node in run.methods:
                    continue  # run with a `self`, below
                functions.run_symbolically(run, definition)
            else:
                names = [
                    method
                    for method, value in definition.members.items()
                    if isinstance(value, Function)
                    and value.node not in run.called
                    and not (rooted and method in run.called_attributes)
                    and method != "__init__"
                ]
                if names or (not rooted and not _constructed(run, definition)):
                    classes.run_methods(run, definition, names)
    return Interpretation(tuple(run.events), run.facts)


def _constructed(run: Run, cls: Class) -> bool:
    init = cls.members.get("__init__")
    return not isinstance(init, Function) or init.node in run.called


def _runs_something(module: cst.Module) -> bool:
    """Tell whether a file has a main guard or a loop at module level: it runs something itself."""
    for statement in module.body:
        if isinstance(statement, cst.For | cst.While):
            return True
        if isinstance(statement, cst.If) and isinstance(statement.test, cst.Comparison):
            left = statement.test.left
            if isinstance(left, cst.Name) and left.value == "__name__":
                return True
    return False
