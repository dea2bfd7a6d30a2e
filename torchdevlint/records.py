"""Dataclasses that cost little: `dataclass` and `replace` stand in for those of the standard library.

The standard library compiles six methods of each class where the class is defined, half a millisecond each time, though
most classes are of no use in most runs. Here the methods are compiled when one of them is first called. That nothing is
assigned to what is frozen is the type checker's affair: at run time, values would be made at a third of the speed.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, field
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass", "field", "replace"]

_T = TypeVar("_T")


# marks what `dataclasses.fields` and `dataclasses.replace` take for a field; it has no public name
_FIELD_TYPE = vars(dataclasses)["_FIELD"]


def _define(cls: type[_T], *, frozen: bool, eq: bool) -> type[_T]:
    """Return the class once more, with slots, and with methods that are compiled when they are called."""
    namespace = dict(vars(cls))
    fields: dict[str, Any] = {}
    for name in inspect.get_annotations(cls):
        default = namespace.pop(name, MISSING)
        made: Any = default if isinstance(default, Field) else field(default=default)
        made.name, made._field_type = name, _FIELD_TYPE  # noqa: SLF001
        fields[name] = made
    for unwanted in ("__dict__", "__weakref__"):
        namespace.pop(unwanted, None)
    namespace["__slots__"] = tuple(fields)
    namespace["__match_args__"] = tuple(name for name, made in fields.items() if made.init)
    namespace["__dataclass_fields__"] = fields
    namespace["__repr__"] = _text
    if eq and not frozen:
        namespace["__hash__"] = None
    names = ["__init__", "_values", "_copy", *(["__eq__"] if eq else ()), *(["__hash__"] if eq and frozen else ())]
    namespace |= {name: _compiled_when_called(name) for name in names}
    metaclass: Any = type(cls)
    whole: type[_T] = metaclass(cls.__name__, cls.__bases__, namespace)
    whole.__qualname__ = cls.__qualname__
    return whole


def _text(record: Any) -> str:
    values = (f"{name}={getattr(record, name)!r}" for name in record.__slots__)
    return f"{type(record).__qualname__}({', '.join(values)})"


def _compiled_when_called(name: str) -> Callable[..., Any]:
    """Return what stands in the place of a method until it is called, and then puts the method there."""

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        cls = type(self)
        fields = cls.__dataclass_fields__.values()
        source, given = (
            _initializer(fields, hasattr(cls, "__post_init__")) if name == "__init__" else (_SOURCES[name](fields), {})
        )
        compiled: dict[str, Callable[..., Any]] = {}
        exec(source, given, compiled)  # noqa: S102 (as the standard library does)
        setattr(cls, name, compiled[name])
        return compiled[name](self, *arguments, **keywords)

    return method


def _initializer(fields: Iterable[Any], checked: bool) -> tuple[str, dict[str, object]]:
    """Return the source of `__init__`, and what it names; ``checked`` tells that there is a `__post_init__`."""
    given: dict[str, object] = {"MISSING": MISSING}
    parameters, body = ["self"], []
    for made in fields:
        name = made.name
        value = default = ""
        if made.default_factory is not MISSING:
            given[f"make_{name}"] = made.default_factory
            value, default = f"make_{name}()", "=MISSING"
        elif made.default is not MISSING:
            given[f"default_{name}"] = made.default
            value, default = f"default_{name}", f"=default_{name}"
        if made.init:
            parameters.append(name + default)
            value = f"{value} if {name} is MISSING else {name}" if default == "=MISSING" else name
        if value:
            body.append(f"self.{name} = {value}")
    if checked:
        body.append("self.__post_init__()")
    return f"def __init__({', '.join(parameters)}): {'; '.join(body) or 'pass'}", given


def _equality(fields: Iterable[Any]) -> str:
    ours = _compared(fields)
    return f"""def __eq__(self, other):
    if self is other:
        return True
    if type(self) is not type(other):
        return NotImplemented
    return ({ours}) == ({ours.replace("self.", "other.")})"""


def _hash(fields: Iterable[Any]) -> str:
    return f"def __hash__(self): return hash(({_compared(fields)}))"


def _compared(fields: Iterable[Any]) -> str:
    return "".join(f"self.{made.name}, " for made in fields if made.compare)


def _values(fields: Iterable[Any]) -> str:
    pairs = (f"{made.name!r}: self.{made.name}" for made in fields if made.init)
    return f"def _values(self): return {{{', '.join(pairs)}}}"


def _copy(fields: Iterable[Any]) -> str:
    return f"def _copy(self): return type(self)({', '.join(f'self.{made.name}' for made in fields if made.init)})"


_SOURCES = {"__eq__": _equality, "__hash__": _hash, "_values": _values, "_copy": _copy}


if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(*, slots: bool, frozen: bool = False, eq: bool = True) -> Callable[[type[_T]], type[_T]]:
        """Make a class one of data, as `dataclasses.dataclass` does; classes without slots have no place here."""
        assert slots
        return lambda cls: _define(cls, frozen=frozen, eq=eq)

    def replace(record: _T, /, **changes: Any) -> _T:
        """Return a record with other values in some fields; raises TypeError for a name that is no field."""
        if hasattr(record, "__post_init__"):
            return type(record)(**{**record._values(), **changes})  # noqa: SLF001 (made above)
        made = record._copy()  # noqa: SLF001
        try:
            for name, value in changes.items():
                setattr(made, name, value)
        except AttributeError as error:
            raise TypeError(f"{type(record).__name__} has no field {name}") from error
        return made
