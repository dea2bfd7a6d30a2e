"""Moves whose result is thrown away: whether anything in the function would have noticed, had it been kept.

A look at what the source does with the tensor after the statement. What is not understood counts as if it noticed.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.interpreter import reading
from torchdevlint.interpreter.reading import Line, Path
from torchdevlint.knowledge.rows import Backward, Cast, Combine, Follow, Loss, Move, Plain, ReadHost, Row
from torchdevlint.names import dotted, row_of
from torchdevlint.records import dataclass, field, replace
from torchdevlint.values import Const, Function, Imported

if TYPE_CHECKING:
    from torchdevlint.interpreter.run import Run

_TELLING = frozenset({"print", "len", "isinstance", "type", "id", "repr", "str"})
"""Built-in functions for which it does not matter where a tensor is."""

_LINES_A_STEP = 2
_LISTED_A_STEP = 10
"""How many lines are looked at for one step of the budget, and how many are listed."""


class Fate(IntEnum):
    """What becomes of a tensor, the worst last."""

    HARMLESS = 0
    MOVED_AGAIN = 1
    MATTERS = 2


@dataclass(frozen=True, slots=True)
class _Look:
    """A look at what becomes of a name: ``held`` tells that it is that of a container with the tensor in it.

    ``lines`` are those of the function, ``seen`` is what was looked at already. ``device`` is False for a change of
    dtype, ``to_host`` tells that the move was one to the host.
    """

    run: Run
    lines: tuple[Line, ...]
    name: str
    device: bool
    to_host: bool
    held: bool = False
    seen: set[tuple[int, str, bool]] = field(default_factory=set)

    @property
    def out_of_sight(self) -> Fate:
        """Return what it means that others get the tensor: they may move it, but nobody expects another dtype."""
        return Fate.HARMLESS if self.device else Fate.MATTERS


def is_named(run: Run, node: cst.CSTNode) -> bool:
    """Tell whether an expression is a name or a part of one, not a value that a call has just made."""
    while True:
        if isinstance(node, cst.Attribute | cst.Subscript):
            node = node.value
        elif (before := _before_method(run, node)) is not None:
            node = before[0]
        else:
            break
    return isinstance(node, cst.Name) and not isinstance(run.lookup(node.value), Imported)


def is_idle(run: Run, call: cst.Call, receiver: cst.CSTNode, device: bool, to_host: bool) -> bool:
    """Tell whether nothing that can be seen would have noticed, had the result of a discarded move been kept.

    So it is where the tensor is not used afterwards, is moved again first, or goes only where nobody can see what
    becomes of it: out of the function, or into a container that code takes which cannot be seen.
    """
    function = run.frame.function
    if function is None or isinstance(function.node, cst.Lambda) or run.steps >= run.budget:
        return False
    detached = False
    while (before := _before_method(run, receiver)) is not None:
        receiver, row = before
        detached |= isinstance(row, Follow) and row.graph is False
    if isinstance(receiver, cst.Attribute):
        return _is_private(run, function, receiver, call)
    if not isinstance(receiver, cst.Name):
        return False
    lines = tuple(reading.lines(function.node.body))
    run.steps += len(lines) // _LISTED_A_STEP
    look = _Look(run, lines, receiver.value, device, to_host)
    if device and call.args and all(_is_dtype(look, argument) for argument in call.args):
        look = replace(look, device=False)
    here = next((i for i, line in enumerate(lines) if any(path[-1] is call for path in reading.nodes(line.node))), None)
    if here is None or (detached and _retains_graph(look)):
        return False  # it stands in a function within the function, or in a comprehension; or the graph stays alive
    bound = next((i for i in range(here - 1, -1, -1) if reading.binds(lines[i], look.name)), None)
    fate = _after(look, here, bound)
    made = bound is not None and reading.is_fresh(lines[bound]) and reading.runs_with(lines[bound], lines[here])
    return fate is Fate.MOVED_AGAIN or (fate is Fate.HARMLESS and made)


def _before_method(run: Run, node: cst.CSTNode) -> tuple[cst.BaseExpression, Row] | None:
    """Return what a method of a tensor is called on, with the row of the method, None for any other node."""
    match node:
        case cst.Call(func=cst.Attribute(value=whole, attr=cst.Name(value=name))):
            row = run.knowledge.tensor.get(name)
            return (whole, row) if row is not None else None
        case _:
            return None


def _is_private(run: Run, function: Function, receiver: cst.Attribute, call: cst.CSTNode) -> bool:
    """Tell whether nothing reads an attribute of an object whose class exists in a function only."""
    outer = run.frames.get(function.owner.frame) if function.owner is not None else None
    if outer is None or outer.function is None:
        return False
    for path in reading.nodes(outer.function.node.body):
        match path[-1]:
            case cst.Attribute(value=whole, attr=cst.Name(value=name)) if name == receiver.attr.value:
                imported = isinstance(whole, cst.Name) and isinstance(run.lookup(whole.value), Imported)
                if not (imported or isinstance(path[-2], cst.AssignTarget) or call in path):
                    return False
            case _:
                continue
    return True


def _retains_graph(look: _Look) -> bool:
    """Tell whether a backward pass on the tensor keeps the graph with all that it holds, for whoever has the tensor."""
    for line in look.lines:
        for path in reading.reads(line, look.name):
            match path:
                case (*_, cst.Call(args=arguments), cst.Attribute(attr=cst.Name(value=method)), _):
                    row = look.run.knowledge.tensor.get(method)
                    if isinstance(row, Backward) and any(
                        one.keyword is not None and one.keyword.value == row.retaining for one in arguments
                    ):
                        return True
                case _:
                    continue
    return False


# what becomes of it ---------------------------------------------------------------------------------------


def _after(look: _Look, here: int, bound: int | None) -> Fate:
    """Return the worst that happens to what a name stands for in all that may run after a line.

    ``bound`` is the line that bound the name.
    """
    lines, line = look.lines, look.lines[here]
    home = lines[bound].around if bound is not None and reading.runs_with(lines[bound], line) else ()
    around = next((part for part in line.around if isinstance(part, cst.For | cst.While) and part not in home), None)
    start = next(i for i, one in enumerate(lines) if around in one.around) if around is not None else here + 1
    fate = Fate.HARMLESS
    for index in range(start, len(lines)):
        look.run.steps += index % _LINES_A_STEP == 0
        if index != here:
            for path in reading.reads(lines[index], look.name):
                fate = max(fate, _fate(look, index, path))
                if fate is Fate.MATTERS or look.run.steps >= look.run.budget:
                    return Fate.MATTERS
        if index > here and reading.binds(lines[index], look.name) and reading.runs_with(lines[index], line):
            break
    return fate


def _fate(look: _Look, here: int, path: Path) -> Fate:
    """Return what becomes of the last node of a path in the line that the path begins with."""
    if len(path) == 1:
        return Fate.MATTERS
    *outer, whole, node = path
    match whole:
        case cst.Expr() | cst.Del() | cst.FormattedStringExpression():
            return Fate.HARMLESS
        case cst.Return() | cst.Yield():
            return look.out_of_sight
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return _kept(replace(look, name=name), here)
        case cst.Element() | cst.DictElement():
            return _contained(look, here, (*outer, whole))
        case cst.Arg(star="") if not look.held and isinstance(outer[-1], cst.Call):
            return _given(look, outer[-1], whole)
        case cst.Attribute() if not look.held:
            return _asked(look, here, path)
        case cst.Subscript(value=inner) | cst.UnaryOperation(expression=inner) if not look.held and inner is node:
            return _fate(look, here, path[:-1])
        case cst.BinaryOperation(left=left, right=right) if not look.held:
            alone = look.to_host or _is_number(look.run, right if left is node else left)
            return _fate(look, here, path[:-1]) if alone else Fate.MATTERS
        case _:
            return Fate.MATTERS


def _kept(look: _Look, here: int) -> Fate:
    """Return what becomes of what a line binds to a name."""
    if (here, look.name, look.held) in look.seen:
        return Fate.HARMLESS
    look.seen.add((here, look.name, look.held))
    return _after(look, here, here)


def _contained(look: _Look, here: int, path: Path) -> Fate:
    """Return what becomes of an element of a container, the last node of a path."""
    *outer, container, _ = path
    match outer[-1] if outer else None:
        case _ if look.held:
            return look.out_of_sight
        case cst.Arg() if isinstance(container, cst.Dict):
            return look.out_of_sight
        case cst.Assign() | cst.Return() | cst.Yield() | cst.Element() | cst.DictElement():
            return _fate(replace(look, held=True), here, (*outer, container))
        case _:
            return Fate.MATTERS


def _given(look: _Look, call: cst.Call, argument: cst.Arg) -> Fate:
    """Return what becomes of an argument of a call."""
    name = dotted(call.func)
    row = _row(look.run, name)
    match row:
        case Loss(operands=operands) | Combine(operands=operands):
            position = call.args.index(argument)
            by_position = operands[position] if position < len(operands) else ""
            role = argument.keyword.value if argument.keyword is not None else by_position
            targets = row.targets if isinstance(row, Loss) else ()
            anywhere = role in row.optional_host and role not in targets
        case ReadHost() | Plain():
            anywhere = not look.to_host
        case _:
            anywhere = name in _TELLING or (not look.to_host and _is_made_of_numbers(look, name))
    return Fate.HARMLESS if look.device and anywhere else Fate.MATTERS


def _asked(look: _Look, here: int, path: Path) -> Fate:
    """Return what becomes of a tensor of which an attribute is read, the last but one node of a path."""
    knowledge = look.run.knowledge
    *outer, attribute, _ = path
    assert isinstance(attribute, cst.Attribute)
    name = attribute.attr.value
    call = outer[-1] if outer else None
    called = isinstance(call, cst.Call) and call.func is attribute
    row = (knowledge.tensor if called else knowledge.tensor_attributes).get(name)
    rest = path[:-2] if called else path[:-1]
    match row:
        case Move() | Cast() if isinstance(call, cst.Call):
            casts = isinstance(row, Cast) or all(_is_dtype(look, one) for one in call.args)
            return Fate.MOVED_AGAIN if casts is not look.device else _fate(look, here, rest)
        case Plain(sizes=sizes, counts=counts):
            return Fate.HARMLESS if look.device or sizes or counts else Fate.MATTERS
        case ReadHost():
            return Fate.HARMLESS if look.device and not look.to_host else Fate.MATTERS
        case Follow() | Backward():
            return _fate(look, here, rest)
        case Combine() if look.to_host:
            return _fate(look, here, rest)
        case _:
            return Fate.MATTERS


def _row(run: Run, name: str) -> Row | None:
    """Return the row of a dotted name of the script, None if there is none."""
    root, _, rest = name.partition(".")
    value = run.lookup(root) if root else None
    if not isinstance(value, Imported):
        return None
    return row_of(f"{value.name}.{rest}" if rest else value.name, run.knowledge)


def _is_dtype(look: _Look, argument: cst.Arg) -> bool:
    """Tell whether an argument of a move is a dtype for certain."""
    if argument.keyword is not None:
        return argument.keyword.value in look.run.knowledge.no_places
    match argument.value:
        case cst.Name(value=name):
            bound = [line.node for line in look.lines if reading.binds(line, name)]
            asked = [isinstance(node, cst.Assign) and is_asked_dtype(look.run, node.value) for node in bound]
            return bool(asked) and all(asked)
        case value:
            return is_asked_dtype(look.run, value)


def is_asked_dtype(run: Run, node: cst.BaseExpression) -> bool:
    """Tell whether an expression is `torch.float32`, or what a tensor says of itself that is no device."""
    match node:
        case cst.Attribute(value=whole, attr=cst.Name(value=name)):
            value = run.lookup(whole.value) if isinstance(whole, cst.Name) else None
            if isinstance(value, Imported):
                return f"{value.name}.{name}" in run.knowledge.dtypes
            return isinstance(run.knowledge.tensor_attributes.get(name), Plain)
        case _:
            return False


def _is_number(run: Run, node: cst.BaseExpression) -> bool:
    """Tell whether an expression is a number for certain."""
    match node:
        case cst.UnaryOperation(expression=inner):
            return _is_number(run, inner)
        case cst.Name(value=name):
            value = run.lookup(name)
            return isinstance(value, Const) and isinstance(value.value, int | float)
        case _:
            return isinstance(node, cst.BaseNumber)


def _is_made_of_numbers(look: _Look, name: str) -> bool:
    """Tell whether the function makes an object of numbers alone and never moves it: it is on the host, too."""
    made = [line.node for line in look.lines if reading.binds(line, name)]
    match made:
        case [cst.Assign(value=cst.Call(args=arguments))] if all(_is_number(look.run, one.value) for one in arguments):
            pass
        case _:
            return False
    for line in look.lines:
        for path in reading.reads(line, name):
            match path:
                case (*_, cst.Call(func=called), inner) if called is inner:
                    continue
                case (*_, cst.Attribute(attr=cst.Name(value=method)), _) if method not in look.run.knowledge.tensor:
                    continue
                case _:
                    return False
    return True
