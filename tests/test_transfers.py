"""The table from kinds of row to transfer functions, and the pieces that no script reaches alone."""

from __future__ import annotations

import inspect
from typing import get_args

import libcst as cst
import pytest

from torchdevlint.interpreter.calls import Argument, Call
from torchdevlint.knowledge import rows
from torchdevlint.lattice import Concrete
from torchdevlint.transfers.devices import parse
from torchdevlint.transfers.dispatch import TRANSFERS
from torchdevlint.transfers.operands import function_text, receiver_node, subject
from torchdevlint.values import UNKNOWN, Const

# what methods of modules and optimizers do, which the interpreter asks for by the kind of their object
METHODS = {
    rows.AddGroup,
    rows.Exchange,
    rows.Freeze,
    rows.GroupsOf,
    rows.HoldParameters,
    rows.LoadState,
    rows.Mode,
    rows.Quiet,
    rows.StateOf,
    rows.Step,
    rows.Submodules,
    rows.Visit,
}


def test_every_kind_of_row_is_known() -> None:
    assert set(TRANSFERS) | METHODS == set(get_args(rows.Row))  # those of `Register` are methods and functions
    assert set(TRANSFERS) & METHODS == set()


@pytest.mark.parametrize("kind", TRANSFERS, ids=lambda kind: kind.__name__)
def test_transfers_share_a_signature(kind: type) -> None:
    assert list(inspect.signature(TRANSFERS[kind]).parameters) == ["run", "row", "call", "receiver"]


@pytest.mark.parametrize(
    ("literal", "device"),
    [
        ("cpu", Concrete("cpu")),
        ("cuda", Concrete("cuda")),
        ("cuda:1", Concrete("cuda", 1)),
        (0, Concrete("cuda", 0)),
        (-1, None),
        (True, None),
        (None, None),
        (1.0, None),
        ("cuda:", None),
        ("cuda:x", None),
        ("gpu", None),
        ("cuda\n", None),
    ],
)
def test_literals_of_devices(literal: object, device: Concrete | None) -> None:
    assert parse(literal) == device


def test_what_a_call_is_about() -> None:
    node = cst.parse_expression("a.b(c)")
    assert isinstance(node, cst.Call)
    assert isinstance(node.func, cst.Attribute)
    receiver = Argument(node.func.value, Const(1))
    argument = Argument(node.args[0].value, Const(2))
    call = Call(node, "b", [argument])
    assert subject(call, receiver) is receiver
    assert subject(call, None) is argument
    assert call.first == Const(2)
    assert (function_text(call), receiver_node(call)) == ("a.b", node.func.value)


def test_what_a_call_without_arguments_is_about() -> None:
    node = cst.parse_expression("b()")
    call = Call(node, "b")
    assert subject(call, None) is None
    assert call.first == UNKNOWN
    assert (function_text(call), receiver_node(call)) == ("b", node)
    operator = cst.parse_expression("a @ b")
    assert function_text(Call(operator, "@")) == "@"
    assert receiver_node(Call(operator, "@")) is operator
