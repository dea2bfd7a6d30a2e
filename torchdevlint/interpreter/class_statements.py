"""Class statements: the body, the bases and their rows, and what decorators make of the class."""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import calls, definitions, expressions, functions, lineage, statements
from torchdevlint.interpreter.frames import Frame
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Batches, LoaderType, ModuleType, ObjectType, Result
from torchdevlint.values import UNKNOWN, Class, Function, Imported, Value

_PLAIN_BASES = ("builtins.object", "builtins.Exception", "abc.", "typing.", "enum.")
"""Bases that leave attributes to the class; those of a dict may be its items."""


MAX_ANCESTORS = 32
"""How many classes are followed behind one: every look at a class is a look at all of them."""


def define(run: Run, node: cst.ClassDef) -> Value:
    """Run a class body and return the class, or what decorators of the file make of it."""
    bases = tuple(_within_reach(expressions.evaluate(run, base.value)) for base in node.bases)
    keywords = [expressions.evaluate(run, keyword.value) for keyword in node.keywords]
    outer = run.frame
    run.frame = Frame(run.new_key(), outer, outer.function, depth=outer.depth, base=outer.base, world=outer.world)
    run.frames[run.frame.key] = run.frame
    members: dict[str, Value] = {}
    row, is_open = _inherited(bases)
    after = lineage.linearized(bases)
    made = Class(
        run.new_key(), node.name.value, node, outer.key, members, bases, row, is_open, after, None, _fields(node)
    )
    run.store.push()
    statements.block(run, node.body)
    scope = run.frame
    writes = run.store.pop()
    run.frame = outer
    for (owner, name), value in writes.items():
        if owner == scope.key:
            if isinstance(value, Function):
                members[name] = Function(value.node, outer.key, value.name, None, made)
                run.methods.add(value.node)
            else:
                members[name] = value
        else:
            run.store.set(owner, name, value)
    if any(definitions.guards(run, decorator.decorator) for decorator in node.decorators):
        run.guarded_functions.update(m.node for m in members.values() if isinstance(m, Function))
    run.definitions.append(made)
    run.derived.update(base.key for base in lineage.classes(made) if base is not made)
    _tell_bases(run, made)
    if any(isinstance(meta, Class) and lineage.member(run, meta, "__call__") is not None for meta in keywords):
        return run.opaque(made.name)  # its metaclass makes its objects, and does with them what it likes
    return _decorated(run, node, made)


def _within_reach(base: Value) -> Value:
    """Return a base of a class; one with too many classes behind it is a base that cannot be seen."""
    return UNKNOWN if isinstance(base, Class) and len(base.after) >= MAX_ANCESTORS else base


def _tell_bases(run: Run, made: Class) -> None:
    """Run what a base does with each class that is derived from it (`__init_subclass__`)."""
    behind = (base.members.get("__init_subclass__") for base in lineage.classes(made) if base is not made)
    told = next((member for member in behind if isinstance(member, Function)), None)
    if told is not None:
        bound = Function(told.node, told.frame, told.name, made, told.owner)
        functions.invoke(run, bound, calls.Call(made.node.name, told.name))


def _decorated(run: Run, node: cst.ClassDef, made: Class) -> Value:
    """Return what the decorators of a class make of it; those that are not of the file leave it as it is."""
    value: Value = made
    for decorator in reversed(node.decorators):
        callee = expressions.evaluate(run, decorator.decorator)
        if isinstance(callee, Function):
            given = calls.Argument(decorator.decorator, value)
            value = functions.invoke(run, callee, calls.Call(decorator.decorator, node.name.value, [given]))
    return value


def _inherited(bases: tuple[Value, ...]) -> tuple[ModuleType | ObjectType | LoaderType | None, bool]:
    """Return the row that a class inherits, and whether a base cannot be seen."""
    row: ModuleType | ObjectType | LoaderType | None = None
    is_open = False
    for base in bases:
        match base:
            case Class():
                row = row or base.type
                is_open = is_open or base.open
            case Imported():
                if isinstance(base.row, ModuleType | ObjectType | LoaderType):
                    row = row or base.row
                    is_open = is_open or not isinstance(base.row, ModuleType)
                elif isinstance(base.row, Batches | Result):
                    is_open = True  # a class of the project
                elif base.row is None and not base.name.startswith(_PLAIN_BASES):
                    is_open = True
            case _:
                is_open = True
    return row, is_open


def _fields(node: cst.ClassDef) -> tuple[str, ...]:
    """Return the names that a class body declares with an annotation, in order."""
    lines = (line for line in node.body.body if isinstance(line, cst.SimpleStatementLine))
    parts = (part for line in lines for part in line.body)
    return tuple(
        part.target.value for part in parts if isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name)
    )
