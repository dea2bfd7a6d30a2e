"""Calls: arguments, dispatch on what is called, and what escapes to code that cannot be seen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import reduce

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.interpreter import (
    attributes,
    builtins,
    classes,
    comprehensions,
    differentiables,
    escapes,
    expressions,
    functions,
    iteration,
    lineage,
    methods,
    uncalled,
)
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join
from torchdevlint.knowledge.rows import RunForward
from torchdevlint.names import is_inert, text_of
from torchdevlint.records import dataclass, field
from torchdevlint.state import PLACEMENT, Branch
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Bound,
    Choice,
    Class,
    Container,
    Device,
    Flag,
    Function,
    Imported,
    Instance,
    Module,
    Object,
    Opaque,
    Partial,
    Unknown,
    Value,
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: the expression (or what stands for it in messages) and its value."""

    node: cst.CSTNode
    value: Value
    part: bool = False  # the expression is that of a container of the value


@dataclass(slots=True)
class Call:
    """An evaluated call: its node, the text of what is called, and its arguments.

    ``open`` tells that there are arguments we cannot see: ``hidden`` for ``*args``, ``spread`` for ``**kwargs``. The
    first ``sure`` arguments are at the positions where they stand.
    """

    node: cst.BaseExpression
    text: str
    arguments: list[Argument] = field(default_factory=list)
    keywords: dict[str, Argument] = field(default_factory=dict)
    open: bool = False
    hidden: bool = False
    spread: bool = False
    discarded: bool = False
    sure: int = sys.maxsize

    @property
    def first(self) -> Value:
        """Return the value of the first argument by position, unknown where there is none."""
        return self.arguments[0].value if self.arguments else UNKNOWN

    @property
    def receiver(self) -> str:
        """Return the text of the object whose method is called."""
        func = self.node.func if type(self.node) is cst.Call else None
        return text_of(func.value) if type(func) is cst.Attribute else self.text

    def get(self, position: int, keyword: str) -> Argument | None:
        """Return the argument at a position or under a keyword, or None."""
        found = self.keywords.get(keyword)
        if found is not None:
            return found
        return self.arguments[position] if 0 <= position < len(self.arguments) else None

    def values(self) -> list[Argument]:
        """Return all arguments."""
        return [*self.arguments, *self.keywords.values()]


def call(run: Run, node: cst.Call) -> Value:
    """Evaluate a call expression."""
    # Chained calls lean to the left: `a.b().c().d()` is walked down its spine, not by recursion.
    spine: list[cst.Call] = [node]
    while type(spine[-1].func) is cst.Attribute and type(spine[-1].func.value) is cst.Call and len(spine) < 1000:
        spine.append(spine[-1].func.value)
    innermost = spine[-1]
    receiver: Value | None = None
    for link in reversed(spine):
        func = link.func
        if link is innermost:
            if type(func) is cst.Attribute:
                receiver = expressions.evaluate(run, func.value)
                uncalled.read_of(run, func, receiver)
            else:
                callee = expressions.evaluate(run, func)
                made = _arguments(run, link, text_of(func))
                uncalled.given(run, callee, made)
                receiver = call_value(run, callee, made)
                continue
        assert type(func) is cst.Attribute
        made = _arguments(run, link, func.attr.value)
        receiver = call_method(run, receiver if receiver is not None else UNKNOWN, func.attr.value, made, func)
    return receiver if receiver is not None else UNKNOWN


def _arguments(run: Run, node: cst.Call, text: str) -> Call:
    made = Call(node, text, discarded=bool(run.discarded) and node in run.discarded)
    for arg in node.args:
        if type(arg.value) is cst.GeneratorExp:
            value = comprehensions.evaluate_at_once(run, arg.value)
        else:
            value = expressions.evaluate(run, arg.value)
        if arg.star == "*":
            known = iteration.elements(run, value)
            first, further = iteration.first_and_further(run, value, arg.value) if known is None else (known, None)
            made.arguments.extend(Argument(arg.value, item) for item in first)
            if further is not None:
                made.sure = min(made.sure, len(made.arguments))
                made.open = made.hidden = True
                made.arguments.append(Argument(arg.value, further))
        elif arg.star == "**":
            _keywords(run, made, arg.value, value)
        elif arg.keyword is not None:
            made.keywords[arg.keyword.value] = Argument(arg.value, value)
        else:
            made.arguments.append(Argument(arg.value, value))
    return made


def _keywords(run: Run, made: Call, node: cst.BaseExpression, value: Value) -> None:
    """Spread ``**value``: a dict of known keys, or an object whose elements are tensors somewhere."""
    unseen_keys = True
    if isinstance(value, Container):
        items = run.items(value)
        for key, item in items.exact:
            if isinstance(key, str):
                made.keywords.setdefault(key, Argument(node, item))
        unseen_keys = items.lost or items.rest is not None
        if items.rest is not None:
            made.keywords.setdefault("**", Argument(node, items.rest))
    elif isinstance(value, Choice) and all(_has_known_keys(run, option) for option, _ in value.options):
        _chosen_keywords(run, made, node, value)
        unseen_keys = False
    elif isinstance(value, Object | Opaque):
        made.keywords.setdefault("**", Argument(node, iteration.element(run, value, node)))
    made.spread = made.spread or unseen_keys
    made.open = made.open or unseen_keys


def _has_known_keys(run: Run, value: Value) -> bool:
    """Tell whether a value is a dict of which every key is known."""
    items = run.items(value) if isinstance(value, Container) and value.kind == "dict" else None
    return items is not None and items.rest is None and not items.lost


def _chosen_keywords(run: Run, made: Call, node: cst.BaseExpression, value: Choice) -> None:
    """Spread ``**(a if test else b)``: what is not given on each way may be anything."""
    chosen = [dict(run.items(option).exact) for option, _ in value.options if isinstance(option, Container)]
    for key in dict.fromkeys(key for items in chosen for key in items if isinstance(key, str)):
        given = [items.get(key, UNKNOWN) for items in chosen]
        made.keywords.setdefault(key, Argument(node, reduce(join, given)))


def call_method(run: Run, receiver: Value, name: str, made: Call, node: cst.Attribute) -> Value:
    """Call a method of a value."""
    match receiver:
        case Imported() | Class() | Instance():
            if isinstance(receiver, Imported):
                made.text = text_of(node)
                if name == "__enter__":
                    transfers.Contexts(run).enter(receiver)
            member = attributes.read(run, receiver, name, node)
            uncalled.given(run, member, made)
            return call_value(run, member, made)
        case Choice():
            return _each(run, receiver, lambda option: call_method(run, option, name, made, node))
        case _:
            return methods.call(run, receiver, name, made, node)


def _each(run: Run, choice: Choice, action: Callable[[Value], Value]) -> Value:
    """Do an action for each option in a world of its own, and join the results; methods may be those of one object."""
    world, either_way = run.world, run.either_way
    chosen = [condition for option, condition in choice.options if isinstance(option, Module)]
    outcomes = {one for condition in chosen if lattice.compatible(world, condition) for one in condition}
    either = {name for name, truth in outcomes if truth and (name, False) in outcomes}
    run.either_way |= either - {lattice.ACCELERATOR}  # which is a guard, whatever stands there where it fails
    # which of several functions it is was chosen by something that cannot be seen, and may have been a guard
    picked = all(isinstance(option, Function) and not condition for option, condition in choice.options)
    run.guarded += picked
    apart = all(isinstance(option, Bound) for option, _ in choice.options)
    branches: list[Branch] = []
    joined: Value | None = None
    joined_if = lattice.ALWAYS
    for option, condition in choice.options:
        if option == NONE or not lattice.compatible(world, condition):
            continue
        run.world = world | condition
        if apart:
            run.store.push()
        value = action(option)
        if apart:
            branches.append(Branch(run.store.pop(), condition))
        if joined is None:
            joined, joined_if = value, condition
        else:
            joined = join(joined, value, joined_if, condition)
            joined_if = lattice.ALWAYS
    run.world, run.either_way = world, either_way
    run.guarded -= picked
    run.store.merge(branches)
    return UNKNOWN if joined is None else joined


def call_value(run: Run, callee: Value, made: Call) -> Value:
    """Call a value."""
    run.foreign += isinstance(callee, Opaque | Unknown)
    match callee:
        case Imported():
            return _imported(run, callee, made)
        case Function():
            return functions.invoke(run, callee, made)
        case Class():
            return classes.instantiate(run, callee, made)
        case Module():
            return methods.call_module(run, callee, made)
        case Instance():
            method = lineage.member(run, callee.cls, "__call__")
            if isinstance(method, Function):
                bound = Function(method.node, method.frame, method.name, callee, method.owner)
                return functions.invoke(run, bound, made)
            return unseen(run, made)
        case Bound(receiver=Class() as cls, row=RunForward() as row):
            return differentiables.run_forward(run, row, cls, made)
        case Bound():
            node = made.node.func if type(made.node) is cst.Call else made.node
            target = node if type(node) is cst.Attribute else cst.Attribute(node, cst.Name(callee.name))
            made.text = callee.name
            return methods.call(run, callee.receiver, callee.name, made, target)
        case Partial():
            earlier = callee.call
            whole = Call(
                made.node,
                earlier.text,
                [*earlier.arguments, *made.arguments],
                {**earlier.keywords, **made.keywords},
                open=made.open or earlier.open,
                hidden=made.hidden or earlier.hidden,
                sure=0 if made.hidden or earlier.hidden else sys.maxsize,
                spread=made.spread or earlier.spread,
                discarded=made.discarded,
            )
            return call_value(run, callee.callee, whole)
        case Opaque():
            return methods.call_opaque(run, callee, made)
        case Object():
            return transfers.call_object(run, callee, made)
        case Choice() if _in_several_places(run, callee):
            for argument in made.values():
                escapes.consume(run, argument.value)
            return run.opaque(f"{made.text}(…)")
        case Choice():
            return _each(run, callee, lambda option: call_value(run, option, made))
        case _:
            return unseen(run, made)


def _in_several_places(run: Run, choice: Choice) -> bool:
    """Tell whether a value is any of several modules (of a list, say) that are not all in one place."""
    if any(condition or not isinstance(option, Module) for option, condition in choice.options):
        return False
    holding = [option for option, _ in choice.options if transfers.holds_tensors(run, option) is not False]
    return len({run.store.get(option.key, PLACEMENT) for option in holding if isinstance(option, Module)}) > 1


def _imported(run: Run, callee: Imported, made: Call) -> Value:
    if callee.name.startswith(run.knowledge.processes):
        run.facts.starts_processes = True
    if callee.row is not None and (made.arguments or made.keywords or callee.name not in builtins.HANDLERS):
        return transfers.apply(run, callee.row, made, None)
    builtins.read(run, callee.name, made)
    if (builtin := builtins.HANDLERS.get(callee.name)) is not None:
        return builtin(run, made)
    if (is_array := callee.name.startswith(run.knowledge.arrays)) or is_inert(callee.name, run.knowledge):
        return run.array() if is_array else UNKNOWN
    run.foreign += 1
    given = [argument.value for argument in made.values()]
    if len(given) > 1:  # what takes a function alone runs it at once; another may ask for an accelerator before
        run.facts.handed.update(value.node for value in given if isinstance(value, Function))
    return unseen(run, made)


def unseen(run: Run, made: Call, name: str = "") -> Opaque:
    """Call code that cannot be seen: what it is given may be moved, kept or changed, what it returns is anything."""
    run.waits += 1
    transfers.halved(run, made)
    values = [argument.value for argument in made.values()]
    for value in values:
        escapes.escape(run, value)
    result = run.opaque(name or f"{made.text}(…)")
    transfers.handed_on(run, made)
    kinds = set(map(type, values))
    if Flag in kinds:
        run.guard_marks.add(result.key)  # `skipif(not torch.cuda.is_available())` and its like
    run.results.add(result.key)
    given = {value.key for value in values if isinstance(value, Opaque)}
    if Device in kinds:
        for value in values:
            if isinstance(value, Module | Opaque):
                run.facts.sent_unseen.setdefault(value.key, run.new_key())
    if Device in kinds or any(escapes.was_moved(run, value) for value in values):
        run.facts.tainted.add(result.key)
    elif given:
        run.facts.made_with[result.key] = given
    return result
