"""Classes in the order in which Python looks an attribute up: the class, then its bases as C3 puts them in line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchdevlint.interpreter.run import Run
from torchdevlint.values import Class, Function, Instance, Module, Value


def linearized(bases: Sequence[Value]) -> tuple[Value, ...]:
    """Return what comes after a class with these bases, the method resolution order without the class itself.

    Where the orders of the bases contradict each other, so that Python refuses the class, the first base wins.
    """
    if len(bases) == 1:
        return _line(bases[0])
    rows = [list(_line(base)) for base in bases]
    rows.append(list(bases))
    found: list[Value] = []
    while rows := [row for row in rows if row]:
        heads = [row[0] for row in rows]
        chosen = next((head for head in heads if not any(head in row[1:] for row in rows)), heads[0])
        found.append(chosen)
        rows = [[value for value in row if value != chosen] for row in rows]
    return tuple(found)


def _line(base: Value) -> tuple[Value, ...]:
    return (base, *base.after) if isinstance(base, Class) else (base,)


def lineage(cls: Class) -> Iterator[Value]:
    """Yield a class and what stands behind it; a base that cannot be seen is whatever it was evaluated to."""
    yield cls
    yield from cls.after


def classes(cls: Class) -> Iterator[Class]:
    """Yield a class and those behind it that the file has."""
    return (base for base in lineage(cls) if isinstance(base, Class))


def fields(cls: Class) -> list[str]:
    """Return the names that a class and those behind it annotate, each once, those of the base first."""
    return list(dict.fromkeys(name for base in reversed(list(classes(cls))) for name in base.fields))


def member(run: Run, cls: Class, name: str) -> Value | None:
    """Return a member of a class or of the first behind it that has it, or None; what was bound later replaces it."""
    for base in (cls, *cls.after):  # not by `classes`: it is asked for each attribute of an object
        if type(base) is not Class:
            continue
        bound = run.store.value(base.key, name)
        found = bound if bound is not None else base.members.get(name)
        if found is not None:
            return found
    return None


def method(run: Run, value: Value, name: str) -> Function | None:
    """Return a method that the class of an object has in the file, bound to the object, or None."""
    cls = value.cls if isinstance(value, Instance | Module) else None
    found = member(run, cls, name) if cls is not None else None
    if not isinstance(found, Function):
        return None
    return Function(found.node, found.frame, found.name, itself(value), found.owner)


def itself(value: Value) -> Value:
    """Return an object as an object of its own class, where it was seen through `super()`."""
    match value:
        case Module(cls=Class(whole=Class() as whole)):
            return Module(value.key, value.type, whole, value.name)
        case Instance(cls=Class(whole=Class() as whole)):
            return Instance(value.key, whole, value.open)
        case _:
            return value


def behind(run: Run, value: Module | Instance, owner: Class) -> Value:
    """Return an object as `super()` in a method of one of its classes shows it: as what comes after that class."""
    assert value.cls is not None
    whole = value.cls.whole or value.cls
    line = list(lineage(whole))
    after = tuple(line[line.index(owner) + 1 :]) if owner in line else owner.after
    seen = Class(
        run.new_key(), owner.name, owner.node, owner.frame, {}, owner.bases, owner.type, owner.open, after, whole
    )  # fmt: skip
    if isinstance(value, Module):
        return Module(value.key, value.type, seen, value.name)
    return Instance(value.key, seen, value.open)
