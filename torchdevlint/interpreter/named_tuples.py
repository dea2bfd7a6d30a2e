"""Named tuples: classes that `namedtuple` and `NamedTuple` make, their objects, and what is asked of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.interpreter import calls, functions, iteration, lineage
from torchdevlint.interpreter.run import Run
from torchdevlint.records import replace
from torchdevlint.state import Items
from torchdevlint.values import UNKNOWN, Class, Const, Container, Function, Imported, Instance, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call

_BASES = ("typing.NamedTuple", "typing_extensions.NamedTuple")


def define(run: Run, call: Call) -> Value:
    """``namedtuple("Step", "state reward")``: a class, where the names of its fields are known."""
    name, given = call.get(0, "typename"), call.get(1, "field_names") or call.get(1, "fields")
    fields = _declared(run, given.value) if given is not None else None
    if name is None or not isinstance(name.value, Const) or fields is None:
        return calls.unseen(run, call)
    node = cst.ClassDef(cst.Name("namedtuple"), cst.IndentedBlock([]))
    members: dict[str, Value] = {}
    defaults = call.keywords.get("defaults")
    if defaults is not None and isinstance(defaults.value, Container):
        values = [value for _, value in run.items(defaults.value).exact]
        members.update(zip(reversed(fields), reversed(values), strict=False))
    bases = (Imported(_BASES[0]),)
    return Class(run.new_key(), str(name.value.value), node, run.frame.key, members, bases, fields=fields)


def _declared(run: Run, given: Value) -> tuple[str, ...] | None:
    """Return the names of fields that a text or a list of names, or of names with their types, gives."""
    match given:
        case Const(value=str(text)):
            return tuple(text.replace(",", " ").split())
        case Container():
            items = run.items(given)
            parts = [
                (iteration.elements(run, v) or [UNKNOWN])[0] if isinstance(v, Container) else v for _, v in items.exact
            ]
            known = items.rest is None and not items.lost
            names = [one.value for one in parts if isinstance(one, Const) and isinstance(one.value, str)]
            return tuple(names) if known and len(names) == len(parts) else None
        case _:
            return None


def is_one(cls: Class) -> bool:
    """Tell whether the objects of a class are named tuples that are made of their fields alone."""
    classes = list(lineage.classes(cls))
    made = any("__new__" in one.members for one in classes)
    return not made and any(isinstance(base, Imported) and base.name in _BASES for one in classes for base in one.bases)


def make(run: Run, cls: Class, call: Call) -> Container:
    """Make a named tuple of what a class is called with."""
    names, sure = lineage.fields(cls), call.arguments[: call.sure]
    given: dict[str, Value] = {
        **{name: one.value for name, one in zip(names, sure, strict=False)},
        **{name: one.value for name, one in call.keywords.items()},
    }
    further = call.arguments[-1].value if call.hidden else UNKNOWN if call.spread else None
    rest = further if any(name not in given for name in names) else None
    if rest is None:
        for name in names:
            given.setdefault(name, lineage.member(run, cls, name) or UNKNOWN)
    exact = tuple((n, given[name]) for n, name in enumerate(names) if name in given)
    return replace(run.holder("tuple", Items(exact, rest)), cls=cls)


def attribute(run: Run, value: Container, name: str, node: cst.BaseExpression) -> Value:
    """Return an attribute of a tuple: a field of a named one, or a member of its class bound to it."""
    items = run.items(value)
    if value.cls is None:
        # A named tuple of tensors (`x.max(dim=1).values`): all its parts are in one place.
        parts = [item for _, item in items.exact]
        return parts[-1] if parts and all(isinstance(item, Tensor) for item in parts) else UNKNOWN
    names = lineage.fields(value.cls)
    if name in names:
        return dict(items.exact).get(names.index(name), items.rest or UNKNOWN)
    found = lineage.member(run, value.cls, name)
    if not isinstance(found, Function) or run.kinds.get(found.node) == "staticmethod":
        return found or UNKNOWN
    kind = run.kinds.get(found.node)
    bound = Function(found.node, found.frame, found.name, value.cls if kind == "classmethod" else value, found.owner)
    return functions.invoke(run, bound, calls.Call(node, name)) if kind == "property" else bound


def call(run: Run, value: Container, name: str, made: Call) -> Value | None:
    """Call a method of a named tuple; None for one that every tuple has."""
    if value.cls is None:
        return None
    if name == "_replace":
        return changed(run, value, made)
    if name == "_asdict":
        return run.holder(
            "dict", Items(tuple((one, attribute(run, value, one, made.node)) for one in lineage.fields(value.cls)))
        )
    found = attribute(run, value, name, made.node)
    return calls.call_value(run, found, made) if isinstance(found, Function) else None


def changed(run: Run, value: Value, call: Call) -> Value:
    """Return an object with some fields bound anew (`replace(batch, x=…)`, `batch._replace(x=…)`)."""
    if call.open:
        return calls.unseen(run, call)
    new = {name: argument.value for name, argument in call.keywords.items()}
    match value:
        case Container(cls=Class() as cls):
            items, names = run.items(value), lineage.fields(cls)
            kept = dict(items.exact) | {names.index(name): given for name, given in new.items() if name in names}
            return replace(run.holder("tuple", Items(tuple(kept.items()), items.rest, items.lost)), cls=cls)
        case Instance():
            made = Instance(run.new_key(), value.cls, value.open)
            for name, kept_value in (dict(run.attribute_values(value.key)) | new).items():
                run.set_attribute(made.key, name, kept_value)
            return made
        case _:
            return calls.unseen(run, call)


def replaced(run: Run, call: Call) -> Value:
    """``dataclasses.replace(batch, x=…)``."""
    return changed(run, call.first, call)
