"""What was seen of a function becomes a row only where nothing of it is in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("yaml")

from torchdevlint.harness.derive.judging import row_of  # noqa: E402 -- they import PyTorch
from torchdevlint.harness.derive.observing import Answer, Mixed, Observations, Ran, Result, call  # noqa: E402
from torchdevlint.harness.derive.samples import Bound, Sample  # noqa: E402
from torchdevlint.harness.derive.schemas import Overload, Parameter  # noqa: E402
from torchdevlint.harness.derive.signatures import Offer  # noqa: E402
from torchdevlint.knowledge.rows import Combine, Follow, Mix, Plain, RankRule  # noqa: E402

pytestmark = pytest.mark.needs_torch

HOST, DEVICE = "cpu", "cuda"
X, Y, DIM = Parameter("input", "Tensor"), Parameter("other", "Tensor"), Parameter("dim", "int")
VECTORS = {"input": (1,), "other": (1,)}
ON_DEVICE = Result("tensor", (1,), (DEVICE,))


def ran(ranks: dict[str, tuple[int, ...]], result: Result) -> Ran:
    bound = Bound(Sample(tuple(torch.ones([2] * rank[0]) for rank in ranks.values()), {}), tuple(ranks))
    return Ran(bound, ranks, result, gradients=True)


def refused(*on_host: str) -> Mixed:
    return Mixed(frozenset(on_host), frozenset(VECTORS) - set(on_host), VECTORS, Answer.REFUSED, None)


def seen(
    *overloads: Sequence[Parameter],
    calls: Sequence[Ran] = (ran(VECTORS, Result("tensor", (1,), (HOST,), (True,))),),
    mixed: Sequence[Mixed] = (refused("input"), refused("other")),
    together: Sequence[Result] = (ON_DEVICE,),
    operations: Sequence[str] = ("mul.Tensor",),
    returns: int = 1,
) -> Observations:
    offer = Offer("torch.no_such_function", tuple(Overload(tuple(each), returns) for each in overloads))
    return Observations(offer, tuple(calls), tuple(together), tuple(mixed), frozenset(operations), varied=True)


def test_what_is_refused_must_be_together() -> None:
    assert row_of(seen((X, Y))) == Combine(("input", "other"), Mix.STRICT, RankRule.ONE)
    assert row_of(seen((X, DIM, Y))) == Combine(("input", "", "other"), Mix.STRICT, RankRule.ONE)


def one(*results: Result, returns: int = 1) -> Observations:
    calls = [ran({"input": (1,)}, result) for result in results]
    return seen((X,), calls=calls, mixed=(), operations=(), returns=returns)


def test_one_tensor_is_followed() -> None:
    assert row_of(one(Result("tensor", (1,), (HOST,), (True,)))) == Follow(RankRule.ONE)
    assert row_of(one(Result("tensor", (1,), (HOST,), (False,)))) == Follow(RankRule.ONE, graph=False)
    assert row_of(one(Result("data"))) == Plain()
    pair = Result("tuple", (1, 1), (HOST, HOST), (True, False))
    assert row_of(one(pair, returns=2)) == Follow(RankRule.ONE, count=2)


def attempt(answer: Answer, on_host: str, ranks: dict[str, tuple[int, ...]], device: str = DEVICE) -> Mixed:
    result = Result("tensor", (1,), (device,)) if answer is Answer.RAN else None
    return Mixed(frozenset([on_host]), frozenset(ranks) - {on_host}, ranks, answer, result)


SCALAR = {"input": (1,), "other": (0,)}
TENSORS = Parameter("tensors", "Tensor[]")
LISTED = {"tensors": (1, 1)}
DOUBTS: dict[str, Observations] = {
    "nothing ran": seen((X, Y), calls=()),
    "nothing ran on the device": seen((X, Y), together=()),
    "a result of another kind": one(Result("other")),
    "a result on the host": seen((X, Y), together=(Result("tensor", (1,), (HOST,)),)),
    "numbers out of two tensors": seen((X, Y), calls=(ran(VECTORS, Result("data")),)),
    "refused one way round only": seen(
        (X, Y),
        mixed=(
            refused("input"),
            refused("other"),
            Mixed(frozenset(["other"]), frozenset(["input"]), {"input": (0,), "other": (1,)}, Answer.FAILED, None),
            Mixed(frozenset(["input", "other"]), frozenset(["input"]), VECTORS, Answer.RAN, ON_DEVICE),
        ),
    ),
    "a result that follows neither": seen(
        (X, Y), mixed=(refused("input"), refused("other"), attempt(Answer.RAN, "other", SCALAR, HOST))
    ),
    "never refused, but failed": seen((X, Y), mixed=(attempt(Answer.FAILED, "input", VECTORS),)),
    "nobody says who compares": seen((X, Y), operations=("no_such_operation.default",)),
    "two names in one place": seen((X, Y), (X, DIM), (Y, X)),
    "another tensor in the place": seen((X, Y), (X, Parameter("value", "Tensor"))),
    "one name in two places": seen((X, Y), (X, DIM, Y)),
    "a tensor or a tuple": one(Result("tensor", (1,), (HOST,)), Result("tuple", (1, 1), (HOST, HOST))),
    "graphs at times": one(Result("tensor", (1,), (HOST,), (True,)), Result("tensor", (1,), (HOST,), (False,))),
    "a graph of the second alone": one(Result("tuple", (1, 1), (HOST, HOST), (False, True)), returns=2),
    "a list of which some have graphs": one(Result("tuple", (1, 1), (HOST, HOST), (True, False)), returns=-1),
    "tensors of which nobody knows how many": seen(
        (X, Y), calls=(ran(VECTORS, Result("tuple", (1, 1), (HOST, HOST), (True, True))),), returns=-1
    ),
    "a list beside a tensor": seen((TENSORS, X), calls=(ran({**LISTED, "input": (1,)}, ON_DEVICE),)),
    "a list that may be anywhere": seen(
        (TENSORS,),
        calls=(ran(LISTED, Result("tensor", (1,), (HOST,))),),
        mixed=(Mixed(frozenset(LISTED), frozenset(LISTED), LISTED, Answer.RAN, ON_DEVICE),),
    ),
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_with_any_doubt_there_is_no_row(doubt: str) -> None:
    assert row_of(DOUBTS[doubt]) is None


def test_a_first_operand_that_is_missing_has_no_rank() -> None:
    without = ran({"other": (1,)}, Result("tensor", (2,), (HOST,), (True,)))
    with_both = ran({"input": (2,), "other": (2,)}, Result("tensor", (1,), (HOST,), (True,)))
    row = row_of(seen((X, Y), calls=(without, with_both)))
    assert row == Combine(("input", "other"), Mix.STRICT, RankRule.VECTOR)


def test_what_is_neither_tensor_nor_data_is_something_else() -> None:
    offer: Any = Offer("torch.get_default_device", (Overload(()),))
    assert call(offer, Bound(Sample((), {}), ())) == Result("other")
