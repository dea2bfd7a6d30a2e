"""What an object surely does not have, and what it surely is: `hasattr`, `isinstance`, and reads that must fail."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import AttributeMissed
from torchdevlint.interpreter import lineage
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import ModuleType, Replicas
from torchdevlint.lattice import ALWAYS, Condition
from torchdevlint.names import text_of
from torchdevlint.values import (
    UNKNOWN,
    Class,
    Const,
    Container,
    Flag,
    Imported,
    Instance,
    Module,
    Opaque,
    Value,
    options,
)

DYNAMIC = ("__getattr__", "__getattribute__")
"""Methods with which a class answers for any attribute."""


def note_binding(run: Run, receiver: Value, name: str) -> None:
    """Note that an attribute is bound: on an object, its class, or on an object of unknown kind."""
    for option, _ in options(receiver):
        match option:
            case Module() | Instance():
                run.facts.bound.add((option.key, name))
                if option.cls is not None:
                    run.facts.bound.add((option.cls.key, name))
            case Class():
                run.facts.bound.add((option.key, name))
            case Opaque() if option.key in run.arguments:
                continue
            case _:
                run.facts.bound.add((0, name))


def missed(run: Run, module: Module, name: str, node: cst.BaseExpression) -> None:
    """Record a read of an attribute that a module does not have, unless something catches the failure."""
    if run.guarded or module.type.forwards_attributes or not lacks(run, module, name):
        return
    if not lattice.compatible(run.world, run.world) or not isinstance(node, cst.Attribute):
        return
    owners = frozenset({0, module.key, *(cls.key for cls in _classes(module))})
    run.emit(AttributeMissed(node, run.world, text_of(node.value), name, module.name, module.key, owners))


def _classes(module: Module) -> list[Class]:
    if module.cls is None:
        return []
    return list(lineage.classes(module.cls))


def lacks(run: Run, module: Module, name: str) -> bool:
    """Tell whether nothing that can be seen gives a module an attribute, and nothing unseen had the module."""
    if module.key in run.lent or run.store.value(module.key, name) is not None:
        return False
    if module.cls is None:
        return True
    if module.cls.open or any(lineage.member(run, module.cls, method) is not None for method in DYNAMIC):
        return False
    return not any(
        name in cls.members or cls.node.decorators or cls.node.keywords or _annotates(cls.node, name)
        for cls in _classes(module)
    )


def _annotates(node: cst.ClassDef, name: str) -> bool:
    """Tell whether the body of a class declares an attribute (`device: torch.device`)."""
    return any(
        isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name) and part.target.value == name
        for statement in node.body.body
        if isinstance(statement, cst.SimpleStatementLine)
        for part in statement.body
    )


def has(run: Run, value: Value, name: Value) -> Value:
    """Return what ``hasattr(value, name)`` gives: of a module, what can be seen of it."""
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return UNKNOWN
    asked = name.value

    def answer(option: Value) -> bool | None:
        if not isinstance(option, Module):
            return None
        known = run.store.value(option.key, asked) is not None or asked in run.knowledge.module
        return True if known else False if option.cls is not None and lacks(run, option, asked) else None

    return _each(value, answer)


def is_instance(run: Run, value: Value, kinds: Value) -> Value:
    """Return what ``isinstance(value, kinds)`` gives for a module and classes that are known."""
    wanted = [kind for _, kind in run.items(kinds).exact] if isinstance(kinds, Container) else [kinds]

    def answer(option: Value) -> bool | None:
        if not isinstance(option, Module):
            return None
        line: list[Value] = list(lineage.lineage(option.cls)) if option.cls is not None else []
        if any(kind in line or _wraps(kind) is option.type for kind in wanted):
            return True
        # Layers of torch have bases that no row tells of; classes of the file and wrappers are no base of theirs.
        told = all(isinstance(kind, Class) or _wraps(kind) is not None for kind in wanted)
        return False if told and not (option.cls is not None and option.cls.open) else None

    return _each(value, answer)


def _wraps(kind: Value) -> ModuleType | None:
    """Return the row of a class that wraps modules, which no other class shares, or None."""
    row = kind.row if isinstance(kind, Imported) else None
    return row if isinstance(row, ModuleType) and row.replicas is not Replicas.NEVER else None


def _each(value: Value, answer: Callable[[Value], bool | None]) -> Value:
    """Return the answer for a value that is one of several, as a flag of the condition that decides."""
    true: list[Condition] = []
    false: list[Condition] = []
    for option, condition in options(value):
        told = answer(option)
        if told is None:
            return UNKNOWN
        (true if told else false).append(condition)
    if not false or not true:
        return Const(bool(true))
    if len(true) == len(false) == 1 and ALWAYS not in (true[0], false[0]):
        return Flag(true[0], false[0])
    return UNKNOWN
