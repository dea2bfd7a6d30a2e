"""Methods and functions that are used without being called: as a test, a statement, an operand, an argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.events import Uncalled
from torchdevlint.interpreter import expressions
from torchdevlint.knowledge.rows import (
    Cast,
    Combine,
    Convert,
    Count,
    Follow,
    Like,
    Loss,
    Move,
    MoveKind,
    Query,
    ReadHost,
)
from torchdevlint.lattice import ANY, Placement
from torchdevlint.names import text_of
from torchdevlint.values import NONE, UNKNOWN, Bound, Imported, Module, Opaque, Tensor, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run

_TRUE = "a function counts as true"
_NO_NUMBER = "a function is no answer"
_NOTHING = "the statement does nothing"
_REPLACED = "what was a value is a method from here on"
_NO_TENSOR = "a method is no tensor"
_NO_RESULT = "a method has not what its result has"

_OF_METHODS = "__"
"""How the names of attributes begin that methods have too."""


def asked(run: Run, node: cst.BaseExpression) -> bool:
    """Tell whether what should ask for an accelerator counts as a test without being called, and record it.

    A variable that something in the file calls may be a function that is asked for (`if check and check():`).
    """
    if type(node) is cst.Name:
        called = node.value in run.called_names
    elif type(node) is cst.Attribute:
        direct = isinstance(expressions.evaluate(run, node.value), Imported)
        called = not direct and node.attr.value in run.called_attributes
    else:
        called = True
    if not called:
        run.facts.guards = True
        run.facts.portable.add(run.frame.scope)
        _emit(run, node, _TRUE)
    return not called


def reckoned(run: Run, parts: Iterable[tuple[cst.BaseExpression, Value]]) -> None:
    """Record a function that is compared or reckoned with as if it were its answer."""
    pairs = list(parts)
    for node, value in pairs:
        if isinstance(value, Imported) and isinstance(value.row, Query | Count):
            others = [other for beside, other in pairs if beside is not node]
            if NONE not in others and not any(isinstance(other, Imported) for other in others):
                _emit(run, node, _NO_NUMBER)


def stated(run: Run, node: cst.BaseExpression) -> None:
    """Record a statement that names a move and does not run it."""
    if type(node) is cst.Attribute:
        _moves(run, node, expressions.evaluate(run, node), _NOTHING)


def rebound(run: Run, target: cst.BaseExpression, node: cst.BaseExpression, value: Value) -> Value:
    """Record `x = x.cuda`: a name that is bound to a move of what it was. What is done with it is no further fault."""
    found = len(run.events)
    if type(node) is cst.Attribute and text_of(target) == text_of(node.value) != "…":
        _moves(run, node, value, _REPLACED)
    return value if len(run.events) == found else UNKNOWN


def chosen(run: Run, node: cst.IfExp, body: Value, otherwise: Value) -> None:
    """Record `x.cuda if test else x`: a method in the place of its object."""
    for arm, value, other in ((node.body, body, node.orelse), (node.orelse, otherwise, node.body)):
        if type(arm) is cst.Attribute and text_of(arm.value) == text_of(other) != "…":
            _moves(run, arm, value, _REPLACED)


def read_of(run: Run, node: cst.Attribute, value: Value) -> None:
    """Record `x.cpu.numpy()`: an attribute that the result of a move has, and its method has not.

    One that tensors and modules have not either is that of something else in the method's place, as of a mock.
    """
    name, known = node.attr.value, run.knowledge
    result = name in known.tensor or name in known.tensor_attributes or name in known.module
    if type(node.value) is cst.Attribute and result and not name.startswith(_OF_METHODS):
        _moves(run, node.value, value, _NO_RESULT)


def given(run: Run, callee: Value, made: Call) -> None:
    """Record an argument that is a move where a tensor is wanted."""
    proof = 0
    match callee:
        case Module() if callee.cls is None:
            pass
        case Opaque():
            proof = callee.key
        case Imported(row=Combine() | Convert() | Follow() | Like() | Loss() | ReadHost()):
            pass
        case _:
            return
    for argument in made.arguments:
        _moves(run, argument.node, argument.value, _NO_TENSOR, proof)


def operated(run: Run, parts: Iterable[tuple[cst.BaseExpression, Value]]) -> None:
    """Record an operand that is a move."""
    for node, value in parts:
        _moves(run, node, value, _NO_TENSOR)


def _moves(run: Run, node: cst.CSTNode, value: Value, effect: str, proof: int = 0) -> None:
    """Record the use of a method that moves or casts, where a value is one; of an opaque object its kind decides."""
    match value:
        case Bound(receiver=Tensor() as tensor, row=Move() | Cast()) if _is_move(value.row):
            _emit(run, node, effect, tensor.placement, (proof,), _is_bare(value.row))
        case Bound(receiver=Module() as module, row=Move()):
            _emit(run, node, effect, run.module_placement(module) or ANY, (proof,), _is_bare(value.row))
        case Opaque() if type(node) is cst.Attribute and _is_move(run.knowledge.module.get(node.attr.value)):
            whole = expressions.evaluate(run, node.value)
            unbound = isinstance(whole, Opaque) and node.attr.value not in run.attributes.get(whole.key, ())
            if isinstance(whole, Opaque) and unbound and run.part_of.get(value.key) == whole.key:
                before = run.module_placement(whole) or whole.placement
                bare = _is_bare(run.knowledge.module.get(node.attr.value))
                _emit(run, node, effect, before, (proof, whole.key), bare)
        case _:
            return


def _is_move(row: object) -> bool:
    """Tell whether a row is that of a move or a cast whose name no plain attribute has (`type` is one of a device)."""
    return isinstance(row, Cast) or (isinstance(row, Move) and row.kind not in (MoveKind.TYPE, MoveKind.TYPE_AS))


def _is_bare(row: object) -> bool:
    """Tell whether a move or a cast needs no argument."""
    return not (isinstance(row, Move) and row.kind is MoveKind.TO)


def _emit(
    run: Run,
    node: cst.CSTNode,
    effect: str,
    before: Placement = ANY,
    proofs: tuple[int, ...] = (),
    bare: bool = True,
) -> None:
    stays = before if effect is _NOTHING else ANY  # what else fails there and then has no further fault behind it
    run.emit(Uncalled(node, run.world, text_of(node), effect, stays, tuple(key for key in proofs if key), bare))
