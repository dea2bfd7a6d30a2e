"""Tests: which guard a condition stands for, when it is known, and what it tells about the names in it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.interpreter import expressions, guards, pace, sameness, selection, uncalled
from torchdevlint.interpreter.guard_names import guard_text, operand_text
from torchdevlint.interpreter.guards import ALWAYS_FALSE, ALWAYS_TRUE, Test, guard
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import Count, Query
from torchdevlint.lattice import ALWAYS, Condition
from torchdevlint.names import dotted, operator_text, text_of
from torchdevlint.state import BEGUN
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Choice,
    Class,
    Const,
    Container,
    Device,
    Flag,
    Form,
    Function,
    Imported,
    Instance,
    Loader,
    Module,
    Object,
    Opaque,
    Optimizer,
    Tensor,
    Unknown,
    Value,
)

MAX_NAME = 200
"""Characters up to which the name of a conjunction is its literals."""
MAX_LITERALS = 64
"""Up to this many literals a conjunction is kept with each of them, else as a whole: every operator adds one."""


_EXISTING = (Tensor, Module, Instance, Optimizer, Loader, Container, Function, Class, Imported, Device, Object)


def test(run: Run, node: cst.BaseExpression, parts: tuple[Value, Value] | None = None) -> Test:
    """Evaluate a test. ``parts`` are the operands of a boolean operation where they are evaluated already."""
    if type(node) is cst.UnaryOperation and type(node.operator) is cst.Not:
        return _negated(test(run, node.expression))
    if type(node) is not cst.BooleanOperation:
        return truth(run, expressions.evaluate(run, node), node)
    is_and = type(node.operator) is cst.And
    if parts is None:
        left = test(run, node.left)
        if left.known is not None:
            return test(run, node.right) if left.known is is_and else left
        with evaluated_if(run, left, is_and):
            right = test(run, node.right)
    else:
        left, right = truth(run, parts[0], node.left), truth(run, parts[1], node.right)
    return both(left, right, is_and)


@contextmanager
def evaluated_if(run: Run, left: Test, is_and: bool) -> Iterator[None]:
    """Evaluate the right side of a boolean operation: where the left one does not decide, so perhaps not at all."""
    begun, world = run.store.get(0, BEGUN), run.world
    run.world = world | (left.when_true if is_and else left.when_false)
    yield
    run.world = world
    run.store.set(0, BEGUN, begun)


def _negated(inner: Test) -> Test:
    return Test(inner.when_false, inner.when_true, None if inner.known is None else not inner.known)


def both(left: Test, right: Test, is_and: bool = True) -> Test:
    """Combine two tests: what both say when the whole is decided, and the whole as a literal of its own."""
    if left.known is not None:
        return right if left.known is is_and else left
    if right.known is not None:
        return left if right.known is is_and else right
    parts = left.when_true | right.when_true if is_and else left.when_false | right.when_false
    name = _compound(parts)
    whole, part = (
        parts | {(name, True)} if len(parts) < MAX_LITERALS else frozenset({(name, True)}),
        frozenset({(name, False)}),
    )
    return Test(whole, part) if is_and else Test(part, whole)


def _compound(parts: Condition) -> str:
    """Return the name of a conjunction, the same for the same literals.

    A long name is given by its digest: names of names would double with every operator.
    """
    name = " and ".join(sorted(name if truth_ else f"not {name}" for name, truth_ in parts))
    return name if len(name) <= MAX_NAME else blake2b(name.encode(), digest_size=16).hexdigest()


def truth(run: Run, value: Value, node: cst.BaseExpression) -> Test:
    """Return the conditions under which a value counts as true."""
    match value:
        case Const():
            if (type(node) is cst.Name or type(node) is cst.Attribute) and _is_switch(run, node):
                return guard(dotted(node))
            return ALWAYS_TRUE if value.value else ALWAYS_FALSE
        case Flag():
            return Test(value.when_true, value.when_false)
        case Opaque():
            told = guards.asked(run, value, node)
            return told if told is not None else guard(f"{value.name or '?'}#{value.key}")
        case Imported() if value.row is None:
            return guard(value.name)
        case Imported(row=Query() | Count() as row) if uncalled.asked(run, node):
            return Test(frozenset({(row.type, True)}), frozenset({(row.type, False)}))  # what it was meant to ask
        case Module() | Optimizer() | Loader() | Function() | Class() | Imported() | Object():
            return ALWAYS_TRUE
        case Tensor():
            run.arrive(value, node)
            run.waits += 1
            pace.waited(run, node, value.placement, number=True)
            return _asked(run, value, node)
        case Choice():
            return _truth_of_choice(run, value, node)
        case _:
            return _asked(run, value, node)


def _asked(run: Run, value: Value, node: cst.BaseExpression) -> Test:
    told = guards.asked(run, value, node)
    return told if told is not None else guard(guard_text(run, node))


def _truth_of_choice(run: Run, value: Choice, node: cst.BaseExpression) -> Test:
    """A value that is something under one condition and None under the other is that condition.

    A flag among the options is true as it is; the test as a whole has a name of its own then.
    """
    true: list[Condition] = []
    false: list[Condition] = []
    asked = False
    for option, condition in value.options:
        test = ALWAYS_FALSE if option == NONE else truth(run, option, node)
        flag = isinstance(option, Flag) and test.known is None
        asked = asked or flag
        if test.known is not False:
            true.append(test.when_true | condition if flag else condition)
        if test.known is False or flag:
            false.append(test.when_false | condition if flag else condition)
    own = guard(guard_text(run, node))
    if asked:
        known = [each[0] if len(each) == 1 else ALWAYS for each in (true, false)]
        return Test(own.when_true | known[0], own.when_false | known[1])
    return Test(true[0], false[0]) if len(true) == 1 and len(false) == 1 and (true[0] or false[0]) else own


def switched(run: Run, value: Value, node: cst.Name | cst.Attribute) -> Value:
    """Return what a name stands for wherever its value goes: one that people edit to True or False is a guard."""
    if type(value) is Const and type(value.value) is bool and _is_switch(run, node):
        test = guard(dotted(node))
        return Flag(test.when_true, test.when_false)
    return value


def _is_switch(run: Run, node: cst.Name | cst.Attribute) -> bool:
    """Tell whether a constant is a switch that people edit: a name bound at module level or on a class."""
    if isinstance(node, cst.Name):
        if node.value in ("True", "False", "None") or node.value in run.counters:
            return False
        if (run.owner_of(node.value), node.value) in run.indices:
            return False
        frame = run.frame
        while frame.parent is not None:
            if run.store.value(frame.key, node.value) is not None:
                return False
            frame = frame.parent
        return True
    # What an instance was given is known; what stands on its class or module is edited there.
    receiver = expressions.evaluate(run, node.value)
    if isinstance(receiver, Tensor):
        return False
    key = getattr(receiver, "key", None)
    return not (isinstance(key, int) and run.store.value(key, node.attr.value) is not None)


_NEGATED: dict[type[cst.BaseCompOp], str] = {
    cst.NotEqual: "==",
    cst.IsNot: "is",
    cst.NotIn: "in",
    cst.LessThan: ">=",
    cst.LessThanEqual: ">",
}
"""Operators that are the negation of another, whose symbol guards are written with."""

_MIRRORED = {">": "<", ">=": "<="}
"""What an operator is when its sides change places; smaller is written as not larger."""


def compare(run: Run, node: cst.Comparison, values: Sequence[Value]) -> Test:
    """Evaluate a comparison of values that are no tensors."""
    if len(node.comparisons) != 1:
        return guard(guard_text(run, node))
    operator = node.comparisons[0].operator
    left, right = values
    guards.note_comparison(run, node, left, right)
    positive = _NEGATED.get(type(operator))
    if guards.is_main_guard(node):
        found = ALWAYS_TRUE  # a file is judged as a script
    else:
        found = _compare(run, node, positive or operator_text(operator), left, right)
    return found if positive is None else _negated(found)


def _compare(run: Run, node: cst.Comparison, symbol: str, left: Value, right: Value) -> Test:
    if NONE in (left, right) and symbol in ("is", "=="):
        other = right if left == NONE else left
        if other == NONE:
            return ALWAYS_TRUE
        if isinstance(other, _EXISTING):
            return ALWAYS_FALSE
        if isinstance(other, Choice):
            none = [c for v, c in other.options if v == NONE]
            some = [c for v, c in other.options if v != NONE]
            if len(none) == 1 and len(some) == 1:
                return Test(none[0], some[0])
    if symbol == "==" and (known := sameness.compared(left, right)) is not None:
        return known
    for device, other in ((left, right), (right, left)):
        if symbol == "==" and isinstance(device, Device) and isinstance(other, Const) and isinstance(other.value, str):
            told = (
                guards.device_is(device, other.value) if device.form is not Form.TYPE else _type_is(run, device, other)
            )
            if told is not None:
                return told
    if isinstance(left, Device) and left.number is not None and isinstance(right, Const):
        on_host = guards.device_is(left, lattice.HOST.type)
        if on_host is not None and (symbol, right.value) in {(">=", 0), (">", -1)}:
            return _negated(on_host)
        if on_host is not None and (symbol, right.value) == ("==", -1):
            return on_host
    if isinstance(left, Const) and isinstance(right, Flag):
        left, right, symbol = right, left, _MIRRORED.get(symbol, symbol)
    if isinstance(left, Flag) and isinstance(right, Const) and isinstance(right.value, int):
        return _count_is(left, symbol, right.value)
    if symbol == "in" and not (isinstance(node.left, cst.Name) and _is_switch(run, node.left)):
        known = selection.contained(run, left, right)
        if known is not None:
            return known
    if isinstance(left, Const) and isinstance(right, Const) and not _switched(run, node):
        return _constants(left.value, symbol, right.value)
    told = guards.told(run, symbol, left, right)
    if told is not None:
        return told
    left_text = operand_text(run, node.left, left)
    right_text = operand_text(run, node.comparisons[0].comparator, right)
    if left_text is None or right_text is None:
        name = f"{text_of(node.left)} {symbol} {text_of(node.comparisons[0].comparator)}?{run.new_key()}"
    else:
        name = f"{left_text} {symbol} {right_text}"
    return guard(name)


def _type_is(run: Run, device: Device, name: Const) -> Test | None:
    """Test the type of a tensor against the name of one."""
    places = transfers.legacy_type(run, name) or ()
    return next((guards.device_is(device, str(place.device)) for place in places), None)


def _switched(run: Run, node: cst.Comparison) -> bool:
    return any(
        isinstance(side, cst.Name | cst.Attribute) and _is_switch(run, side)
        for side in (node.left, node.comparisons[0].comparator)
    )


_ORDERS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "!=": operator.ne,
}  # fmt: skip


def _constants(left: object, symbol: str, right: object) -> Test:
    """Compare two literals; a float is not kept by value, so nothing is known of it."""
    if symbol in ("==", "is") and not isinstance(left, float) and not isinstance(right, float):
        return ALWAYS_TRUE if left == right and type(left) is type(right) else ALWAYS_FALSE
    if symbol in _ORDERS and type(left) is int and type(right) is int:
        return ALWAYS_TRUE if _ORDERS[symbol](left, right) else ALWAYS_FALSE
    return guard(f"{left} {symbol} {right}")


def _count_is(flag: Flag, symbol: str, number: int) -> Test:
    """Compare a number of accelerators: positive means that one exists."""
    if (symbol, number) in {(">", 0), (">=", 1)}:
        return Test(flag.when_true, flag.when_false)
    if (symbol, number) in {("==", 0), ("<=", 0), ("<", 1)}:
        return Test(flag.when_false, flag.when_true)
    name = "/".join(sorted(n for n, _ in flag.when_true)) + f" {symbol} {number}"
    true = flag.when_true if symbol in (">", ">=", "==") else ALWAYS
    return Test(true | {(name, True)}, frozenset({(name, False)}))


_IS_NONE: dict[type[cst.BaseCompOp], bool] = {cst.Is: True, cst.Equal: True, cst.IsNot: False, cst.NotEqual: False}
"""Operators that compare with None, and whether they ask that it is."""


def narrow(run: Run, node: cst.BaseExpression, outcome: bool) -> None:
    """Bind what the outcome of a test tells about the names in it (``x is None``, ``if x:``, ``isinstance``)."""
    if type(node) is cst.Name or type(node) is cst.Attribute:
        if outcome:
            _narrow_none(run, node, False)
    elif type(node) is cst.Comparison and len(node.comparisons) == 1:
        target = node.comparisons[0]
        positive = _IS_NONE.get(type(target.operator))
        if positive is not None and type(target.comparator) is cst.Name and target.comparator.value == "None":
            _narrow_none(run, node.left, positive is outcome)
        elif type(target.operator) is (cst.Equal if outcome else cst.NotEqual):
            sameness.narrow(run, node)
    elif type(node) is cst.UnaryOperation and type(node.operator) is cst.Not:
        narrow(run, node.expression, not outcome)
    elif type(node) is cst.BooleanOperation and (type(node.operator) is cst.And) is outcome:
        narrow(run, node.left, outcome)
        narrow(run, node.right, outcome)


def _narrow_none(run: Run, node: cst.BaseExpression, is_none: bool) -> None:
    slot = slot_of(run, node)
    if slot is None:
        return
    value = run.store.value(*slot)
    if value is None or not isinstance(value, Choice | Opaque | Unknown):
        return
    if is_none:
        run.store.set(*slot, NONE)
    elif isinstance(value, Choice):
        kept = tuple((v, c) for v, c in value.options if v != NONE)
        run.store.set(*slot, kept[0][0] if len(kept) == 1 else Choice(kept) if kept else UNKNOWN)


def slot_of(run: Run, node: cst.CSTNode) -> tuple[int, str] | None:
    """Return the slot that a name, an attribute of an object or an element of a container stands for, or None."""
    if type(node) is cst.Name:
        return (run.owner_of(node.value), node.value)
    if type(node) is cst.Attribute and type(node.value) is cst.Name:
        receiver = run.lookup(node.value.value)
        key = getattr(receiver, "key", None)
        return (key, node.attr.value) if isinstance(key, int) else None
    if type(node) is cst.Subscript:
        base = expressions.evaluate(run, node.value)
        if isinstance(base, Container):
            return (base.key, text_of(node))
    return None
