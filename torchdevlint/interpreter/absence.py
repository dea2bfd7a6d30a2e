"""What an object surely does not have, and what it surely is: `hasattr`, `isinstance`, and reads that must fail."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import AttributeMissed
from torchdevlint.interpreter import lineage
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Make, ModuleType, Replicas
from torchdevlint.lattice import ALWAYS, Condition
from torchdevlint.names import text_of
from torchdevlint.parallel import WrapperAsked
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
    Tensor,
    Value,
    options,
)

WRAPPED = "module"
"""The attribute of a wrapper that is the module it wraps."""

_OF_ANOTHER = "of another class?"
"""How the guard begins that a module, which stands behind it by its key, is of a class that cannot be seen."""

_HAS = "?has "
"""How the guard begins that a value, which may be a module that has it not, has an attribute."""

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
    if not isinstance(node, cst.Attribute) or module.type.forwards_attributes:
        return
    if not lacks(run, module, name) or not _fails(run, module):
        return
    owners = _owners(module)
    run.emit(AttributeMissed(node, run.world, text_of(node.value), name, module.name, module.key, owners))


def missed_by_wrapper(run: Run, module: Module, name: str, node: cst.Attribute) -> None:
    """Record that a wrapper was asked for what only the module has that it wraps.

    Code that cannot be seen may bind attributes of the wrapper, but not those that the class of the module has.
    """
    told = (f"{_HAS}{name} {module.key}", True) in run.world  # it has it: then it is another module
    if told or module.key not in run.wrapped or _is_own(module, name) or not _fails(run, module):
        return
    inner = run.store.value(module.key, WRAPPED)
    if lacks(run, module, name, lent=isinstance(inner, Module) and _surely_has(run, inner, name)):
        wrapped, guards = run.wrapped[module.key][0], _guards_since(run, module)
        text, owners = text_of(node.value), _owners(module)
        run.emit(WrapperAsked(node, run.world, text, name, module.name, owners, wrapped, guards))


def note_unwrapped(run: Run, module: Module, name: str) -> None:
    """Note the guards under which the module in a wrapper is asked for: they tell whether there is a wrapper."""
    if name == WRAPPED and module.key in run.wrapped:
        run.facts.unwrapped.setdefault(run.wrapped[module.key][0], set()).update(_guards_since(run, module))


def _guards_since(run: Run, module: Module) -> Condition:
    """Return what holds here and did not where a wrapper was made."""
    return run.world - run.wrapped[module.key][1]


def _is_own(module: Module, name: str) -> bool:
    """Tell whether a wrapper may have an attribute itself; of private ones that is not known."""
    return name in module.type.own or name.startswith("_")


def _surely_has(run: Run, module: Module, name: str) -> bool:
    own = run.store.value(module.key, name)
    return own is not None or (module.cls is not None and lineage.member(run, module.cls, name) is not None)


def _fails(run: Run, module: Module) -> bool:
    """Tell whether a failure here is one of the script: nothing catches it, and the code can be reached.

    Where the module is of a class that cannot be seen, it may have what that class has.
    """
    other = (f"{_OF_ANOTHER}{module.key}", True) in run.world
    return not run.guarded and not other and lattice.compatible(run.world, run.world)


def _owners(module: Module) -> frozenset[int]:
    return frozenset({0, module.key, *(cls.key for cls in _classes(module))})


def _classes(module: Module) -> list[Class]:
    if module.cls is None:
        return []
    return list(lineage.classes(module.cls))


def lacks(run: Run, module: Module, name: str, lent: bool = False) -> bool:
    """Tell whether nothing that can be seen gives a module an attribute, and nothing unseen had the module.

    With ``lent``, what unseen code does with the module does not count.
    """
    if (module.key in run.lent and not lent) or run.store.value(module.key, name) is not None:
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
    """Return what ``hasattr(value, name)`` gives: of a module, what can be seen of it; of a tensor, what it has."""
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return UNKNOWN
    asked = name.value
    of_all = asked in run.knowledge.module and asked not in run.knowledge.not_of_all

    def answer(option: Value) -> bool | None:
        if isinstance(option, Tensor) and not option.number:
            return asked in run.knowledge.tensor or asked in run.knowledge.tensor_attributes or None
        if not isinstance(option, Module):
            return None
        if option.type.own and option.cls is None:
            return of_all or _is_own(option, asked)
        known = run.store.value(option.key, asked) is not None or of_all
        # no layer of torch keeps another one where a wrapper does
        lacking = lacks(run, option, asked) if option.cls is not None else asked == WRAPPED
        return True if known else False if lacking else None

    told = _each(run, value, answer)
    without = [option.key for option, _ in options(value) if isinstance(option, Module) and answer(option) is False]
    if isinstance(told, Const) or not without:
        return told
    others = frozenset((f"{_HAS}{asked} {key}", True) for key in without)
    if isinstance(told, Flag):
        return Flag(told.when_true | others, told.when_false)
    guard = f"hasattr {asked} of one of {without}"
    return Flag(others | {(guard, True)}, frozenset({(guard, False)}))


def kinds_in(run: Run, kinds: Value) -> list[Value]:
    """Return the kinds of which ``isinstance`` is asked: one, or those in a tuple."""
    return [kind for _, kind in run.items(kinds).exact] if isinstance(kinds, Container) else [kinds]


def is_instance(run: Run, value: Value, kinds: Value) -> Value:
    """Return what ``isinstance(value, kinds)`` gives for a module, a tensor or a container, where this is known."""
    wanted = kinds_in(run, kinds)
    if isinstance(value, Module) and _is_module_of(value, wanted) is None:
        guard = f"{_OF_ANOTHER}{value.key}"
        return Flag(frozenset({(guard, True)}), frozenset({(guard, False)}))

    def answer(option: Value) -> bool | None:
        match option:
            case Module():
                return _is_module_of(option, wanted)
            case Tensor() | Container() | Const():
                return _is_of(option, wanted)
            case _:
                return None

    return _each(run, value, answer)


def type_of(value: Value) -> Value:
    """Return what ``type(value)`` gives: of a container the type that makes another one (`type(batch)(…)`)."""
    match value:
        case Container(cls=Class() as cls):
            return cls
        case Container(kind="list" | "tuple" | "dict" | "set"):
            return Imported(f"{_BUILTIN}{value.kind}")
        case _:
            return UNKNOWN


def is_tensor(run: Run, value: Value) -> Value:
    """Return whether a value is a tensor, for one of which this is known."""

    def answer(option: Value) -> bool | None:
        if isinstance(option, Tensor):
            return None if option.number else True
        return False if isinstance(option, Container) else None

    return _each(run, value, answer)


def _is_module_of(module: Module, wanted: list[Value]) -> bool | None:
    line: list[Value] = list(lineage.lineage(module.cls)) if module.cls is not None else []
    if any(kind in line or _wraps(kind) is module.type for kind in wanted):
        return True
    # Layers of torch have bases that no row tells of; classes of the file and wrappers are no base of theirs.
    told = all(isinstance(kind, Class) or _wraps(kind) is not None for kind in wanted)
    return False if told and not (module.cls is not None and module.cls.open) else None


_SEQUENCES = frozenset({"list", "tuple"})
_EVERY_TENSOR = frozenset({"every tensor"})


def _is_of(value: Tensor | Container | Const, wanted: list[Value]) -> bool | None:
    """Tell what a value is by its type, a tensor by that of all; a tuple of a batch may be a list."""
    names = [_type_asked(kind) for kind in wanted]
    match value:
        case Tensor(number=True):
            return None  # it may be a Python number instead
        case Tensor():
            kinds = _EVERY_TENSOR
        case Container(kind="list") if "list" in names:
            return True
        case Container():
            kinds = _SEQUENCES if value.kind in _SEQUENCES else frozenset({value.kind})
        case Const():  # pragma: no branch (there is no other case)
            line = type(value.value).__mro__[:-1]
            kinds = frozenset(kind.__name__ for kind in line)
            if not kinds.isdisjoint(names):
                return True
    if kinds <= set(names):
        return True
    return False if "" not in names and kinds.isdisjoint(names) else None


_BUILTIN = "builtins."


def _type_asked(kind: Value) -> str:
    """Return the name of a builtin type, of the class of every tensor, or nothing for any other class."""
    match kind:
        case Imported(row=Make(every=True)):
            return min(_EVERY_TENSOR)
        case Imported(name=name) if name.startswith(_BUILTIN):
            return name.removeprefix(_BUILTIN)
        case _:
            return ""


def _wraps(kind: Value) -> ModuleType | None:
    """Return the row of a class that wraps modules, which no other class shares, or None."""
    row = kind.row if isinstance(kind, Imported) else None
    if isinstance(row, ModuleType) and (row.replicas is not Replicas.NEVER or row.forwards_attributes):
        return row
    return None


def _each(run: Run, value: Value, answer: Callable[[Value], bool | None]) -> Value:
    """Return the answer for a value that is one of several, as a flag of the condition that decides."""
    true: list[Condition] = []
    false: list[Condition] = []
    unknown: list[Condition] = []
    for option, condition in options(value):
        told = answer(option)
        (unknown if told is None else true if told else false).append(condition)
    if unknown:
        return _if_unknown(run, true, false, unknown)
    if not false or not true:
        return Const(bool(true))
    if len(true) == len(false) == 1 and ALWAYS not in (true[0], false[0]):
        return Flag(true[0], false[0])
    return UNKNOWN


def _if_unknown(run: Run, true: list[Condition], false: list[Condition], unknown: list[Condition]) -> Value:
    """Return the answer for a value that is unknown on one way: the outcome that another way has not is that way."""
    if bool(true) is bool(false):
        return UNKNOWN
    name = f"?{run.new_key()}"
    elsewhere = {(guard, not holds) for ((guard, holds),) in (way for way in (*true, *false) if len(way) == 1)}
    there = (unknown[0] if len(unknown) == 1 else ALWAYS) | elsewhere | {(name, not true)}
    return Flag(frozenset({(name, True)}), there) if true else Flag(there, frozenset({(name, False)}))
