"""Python's builtins that carry values through: `enumerate`, `zip`, `list`, `sum`, `getattr` and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchdevlint.interpreter import absence, calls, classes, iteration, named_tuples, pace, reflection
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join, join_all
from torchdevlint.knowledge.rows import ContainerKind
from torchdevlint.lattice import ALWAYS, ANY
from torchdevlint.records import replace
from torchdevlint.state import Items
from torchdevlint.values import (
    UNKNOWN,
    Const,
    Container,
    Device,
    Form,
    Module,
    Opaque,
    Parameters,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


_NUMBERS = frozenset({"builtins.float", "builtins.int", "builtins.bool", "builtins.round"})
_READING = _NUMBERS | {"builtins.str", "builtins.format", "builtins.list", "builtins.sorted"}
"""What reads the values of a tensor that it is given, and of these what gives a number."""


def read(run: Run, name: str, call: Call) -> None:
    """Note that a function was given tensors: `float(x)` reads one, what others do is not told; or reads a file."""
    if name in run.knowledge.file_reads:
        run.pace.read = call.node
    for argument in call.values():
        if isinstance(argument.value, Tensor):
            run.waits += 1
            if name in _READING:
                pace.waited(run, call.node, argument.value.placement, name in _NUMBERS)


def _enumerate(run: Run, call: Call) -> Value:
    known = iteration.elements(run, call.first)
    if known is not None:
        pairs: list[Value] = [run.container("tuple", (UNKNOWN, item)) for item in known]
        return run.container("iterator", pairs)
    item = iteration.element(run, call.first, call.node)
    return run.container("iterator", (), run.container("tuple", (UNKNOWN, item)))


def _zip(run: Run, call: Call) -> Value:
    if call.open and call.arguments:
        return _transposed(run, call)
    known = [iteration.elements(run, argument.value) for argument in call.arguments]
    if known and all(part is not None for part in known):
        rows = zip(*(part for part in known if part is not None), strict=False)
        return run.container("iterator", [run.container("tuple", row) for row in rows])
    items = [iteration.element(run, argument.value, argument.node) for argument in call.arguments]
    return run.container("iterator", (), run.container("tuple", items))


def _transposed(run: Run, call: Call) -> Value:
    """``zip(*rows)``: each column holds one part of every row."""
    row = call.arguments[-1].value
    parts = iteration.elements(run, row) if isinstance(row, Container) and row.kind == "tuple" else None
    if parts is not None:
        return run.container("iterator", [run.container("tuple", (), part) for part in parts])
    return run.container("iterator", (), run.container("tuple", (), iteration.element(run, row, call.node)))


def _range(run: Run, call: Call) -> Value:
    return run.container("range", (), UNKNOWN)


def _sequence(kind: str) -> Callable[[Run, Call], Value]:
    def convert(run: Run, call: Call) -> Value:
        value = call.first
        if not call.arguments:
            return run.born_in_loop(run.container(kind))
        known = iteration.elements(run, value)
        if known is not None and kind != "set":
            return run.container(kind, known)
        return run.container(kind, (), iteration.element(run, value, call.node))

    return convert


def _dict(run: Run, call: Call) -> Value:
    source = iteration.as_dict(run, call.first) if call.arguments else Items()
    keywords = tuple((key, argument.value) for key, argument in call.keywords.items() if key != "**")
    spread = call.keywords.get("**")
    given = Items(keywords, spread.value if spread is not None else None, call.open)
    return run.born_in_loop(run.holder("dict", iteration.merged(source, given)))


def _deque(run: Run, call: Call) -> Value:
    """``deque(maxlen=n)``: a list that forgets its oldest elements."""
    made = _sequence("list")(run, call)
    if isinstance(made, Container) and call.get(1, "maxlen") is not None:
        run.bounded.add(made.key)
    return made


def _default_dict(run: Run, call: Call) -> Value:
    """``defaultdict(list)``: whatever is asked for is made by the factory."""
    factory = call.first
    rest = calls.call_value(run, factory, calls.Call(call.node, call.text)) if call.arguments else None
    return run.holder("dict", Items((), rest))


def _sum(run: Run, call: Call) -> Value:
    value = call.first
    item = iteration.element(run, value, call.node)
    if isinstance(item, Tensor):
        keys = run.tallies.get(value.key, ()) if isinstance(value, Container) else ()
        return Tensor(item.placement, item.rank, item.graph, tallies=item.tallies | frozenset(keys))
    return item if isinstance(item, Opaque) else UNKNOWN


def _of_any(run: Run, call: Call) -> Value:
    """``min``, ``max``, ``next``, ``iter`` and their like yield one of the elements."""
    if len(call.arguments) > 1:
        joined = call.arguments[0].value
        for argument in call.arguments[1:]:
            joined = join(joined, argument.value)
        return joined
    return iteration.element(run, call.first, call.node)


def _next(run: Run, call: Call) -> Value:
    value = call.first
    return iteration.element(run, value, call.node)


def _same(run: Run, call: Call) -> Value:
    """``iter``, ``sorted``, ``reversed``: the same elements, in some order."""
    value = iteration.iterated(run, call.first)
    if isinstance(value, Container):
        return iteration.part_of(run, value, run.container("list", (), run.items(value).any()))
    if isinstance(value, Module) and value.type.container is not ContainerKind.NONE:
        return run.container("list", (), run.items(value).any())
    return value


def _chain(run: Run, call: Call) -> Value:
    """``chain(a, b)``: the elements of each; of what has no known number of them, one stands for all."""
    if len(call.arguments) == 1 and call.open:
        return run.container("iterator", (), _transposed(run, call))
    parts: list[Value] = []
    exact = True
    for argument in call.arguments:
        known = iteration.elements(run, argument.value)
        exact = exact and (known is not None or isinstance(argument.value, Parameters))
        parts.extend(known if known is not None else [iteration.element(run, argument.value, argument.node)])
    return run.container("iterator", parts if exact else (), None if exact else join_all((p, ALWAYS) for p in parts))


def _chain_of(run: Run, call: Call) -> Value:
    """``chain.from_iterable(parts)``: the elements of each part."""
    parts = iteration.elements(run, call.first) or [iteration.element(run, call.first, call.node)]
    return _chain(run, replace(call, arguments=[calls.Argument(call.node, part) for part in parts]))


def _map(run: Run, call: Call) -> Value:
    if len(call.arguments) < 2:
        return UNKNOWN
    function, sources = call.arguments[0].value, call.arguments[1:]
    items = [calls.Argument(a.node, iteration.element(run, a.value, a.node)) for a in sources]
    known = iteration.elements(run, sources[0].value) if len(sources) == 1 else None
    if known is not None and len(known) <= 8:
        results = [
            calls.call_value(run, function, calls.Call(call.node, "map", [calls.Argument(sources[0].node, item)]))
            for item in known
        ]
        return run.container("iterator", results)
    result = calls.call_value(run, function, calls.Call(call.node, "map", items))
    return run.container("iterator", (), result)


def _filter(run: Run, call: Call) -> Value:
    if len(call.arguments) < 2:
        return UNKNOWN
    source = call.arguments[1].value
    return (
        source
        if isinstance(source, Parameters)
        else run.container("iterator", (), iteration.element(run, source, call.node))
    )


def _plain(run: Run, call: Call) -> Value:
    return UNKNOWN


def _len(run: Run, call: Call) -> Value:
    """Return how many elements a tuple or an empty tensor has, if this is known."""
    value = call.first
    return Const(0) if isinstance(value, Tensor) and value.empty else iteration.length(run, value)


def _text(run: Run, call: Call) -> Value:
    value = call.first
    if isinstance(value, Opaque) and value.placement == ANY and not value.output:
        return value  # the name of a device stands for the device
    if isinstance(value, Device):
        return replace(value, form=Form.UNKNOWN, number=None)
    return value if isinstance(value, Const) else UNKNOWN


def _bool(run: Run, call: Call) -> Value:
    return call.first if isinstance(call.first, Opaque) else UNKNOWN


def _int(run: Run, call: Call) -> Value:
    """``int(os.environ["LOCAL_RANK"])`` keeps the identity of what it converts; a tensor becomes a number."""
    value = call.first
    if not call.arguments:
        return Const(0)
    if isinstance(value, Opaque) and value.placement == ANY:
        return value
    return run.opaque(f"{call.text}(…)") if not isinstance(value, Const) else value


def _float(run: Run, call: Call) -> Value:
    return UNKNOWN if call.arguments else Const(0)


def _open(run: Run, call: Call) -> Value:
    """``open(path)``: files opened under one path are one file."""
    path = call.first
    match path:
        case Opaque():
            owner, name = path.key, FILE
        case Const():
            owner, name = 0, f"{FILE}{path.value}"
        case _:
            return run.opaque("open(…)")
    run.store.remember(owner, name, run.opaque("open(…)"))
    found = run.store.get(owner, name)
    return found if isinstance(found, Opaque) else run.opaque("open(…)")


FILE = "<file>"
"""The slot of the file that was opened under a path."""

HANDLERS: dict[str, Callable[[Run, Call], Value]] = (
    {
        f"builtins.{name}": handler
        for name, handler in {
            "enumerate": _enumerate,
            "zip": _zip,
            "range": _range,
            "list": _sequence("list"),
            "tuple": _sequence("tuple"),
            "set": _sequence("set"),
            "frozenset": _sequence("set"),
            "dict": _dict,
            "sum": _sum,
            "min": _of_any,
            "max": _of_any,
            "next": _next,
            "iter": _same,
            "sorted": _same,
            "reversed": _same,
            "map": _map,
            "filter": _filter,
            "super": reflection.super_,
            "getattr": reflection.getattr_,
            "setattr": reflection.setattr_,
            "str": _text,
            "int": _int,
            "float": _float,
            "bool": _bool,
            "vars": reflection.vars_,
            "type": reflection.type_,
            "open": _open,
            "exec": reflection.exec_,
            "eval": reflection.namespace,
            "globals": reflection.namespace,
            "locals": reflection.namespace,
            "len": _len,
            "hasattr": reflection.asked(absence.has),
            "isinstance": reflection.asked(reflection.is_instance),
            **dict.fromkeys(
                [
                    "abs",
                    "all",
                    "any",
                    "bin",
                    "chr",
                    "divmod",
                    "format",
                    "hash",
                    "hex",
                    "id",
                    "input",
                    "issubclass",
                    "ord",
                    "pow",
                    "print",
                    "repr",
                    "round",
                    "callable",
                    "bytes",
                    "slice",
                    "object",
                    "complex",
                ],
                _plain,
            ),
        }.items()
    }
    | {
        "collections.OrderedDict": _dict,
        "collections.defaultdict": _default_dict,
        "collections.deque": _deque,
        "collections.namedtuple": named_tuples.define,
        "typing.NamedTuple": named_tuples.define,
        "dataclasses.field": classes.declared,
        "dataclasses.replace": named_tuples.replaced,
        "copy.replace": named_tuples.replaced,
        "itertools.chain": _chain,
        "itertools.chain.from_iterable": _chain_of,
    }
    | {"copy.copy": reflection.shallow, "copy.deepcopy": reflection.copy, "functools.partial": reflection.partial}
)
