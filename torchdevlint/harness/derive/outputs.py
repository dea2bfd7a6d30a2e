"""What a function does with `out=`: whether the tensor that it writes to has to be where its operands are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchdevlint.harness.derive.observing import Answer, Result, Unfolding, call, placed, with_a_scalar
from torchdevlint.harness.derive.samples import Bound, Sample, tensors_in
from torchdevlint.harness.derive.schemas import checked
from torchdevlint.harness.derive.signatures import Offer
from torchdevlint.knowledge.rows import Mix

_MOST_TRIED = 8
_OUT = "out"


def out_mix(offer: Offer, calls: Sequence[Bound]) -> Mix | None:
    """Return how operands and `out=` may mix; None where `out=` is not taken, or is an operand like the others.

    Where it is not certain that devices are compared, they are not.
    """
    answers: list[Answer] = []
    scalars: list[Answer] = []
    taken = False
    with Unfolding() as unfolding:
        for bound in [each for each in calls if _has_dimensions(each)][:_MOST_TRIED]:
            outputs = _outputs(offer, bound)
            if outputs is None:
                continue
            taken = True
            on_device = [each.cuda() for each in outputs]
            answers.append(_answer(offer, placed(bound, {}), outputs))
            answers.append(_answer(offer, placed(bound, dict.fromkeys(bound.tensors(), "cpu")), on_device))
            for name in bound.tensors():
                scalar = with_a_scalar(bound, name)
                if _answer(offer, placed(scalar, {}), on_device) is Answer.RAN:
                    scalars.append(_answer(offer, placed(scalar, {name: "cpu"}), on_device))
    if not taken:
        return None
    if Answer.RAN in answers or Answer.REFUSED not in answers or unfolding.heard - checked():
        return Mix.FREE
    if Answer.RAN in scalars:
        return Mix.ZERO_DIM
    return Mix.STRICT if Answer.REFUSED in scalars else None


def _has_dimensions(bound: Bound) -> bool:
    return all(each.dim() and each.numel() for tensors in bound.tensors().values() for each in tensors)


def _outputs(offer: Offer, bound: Bound) -> list[torch.Tensor] | None:
    """Tensors on the host that a call may write to; None where it takes none."""
    try:
        result = offer.function()(*bound.sample.arguments, **bound.sample.keywords)
        outputs = [torch.empty_like(each) for each in tensors_in(result)]
        if not all(each.dim() for each in outputs):
            return None
        offer.function()(*bound.sample.arguments, **bound.sample.keywords, out=_given(outputs))
    except Exception:  # noqa: BLE001 -- whatever a sample does
        return None
    return outputs


def _given(outputs: list[torch.Tensor]) -> Any:
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _answer(offer: Offer, bound: Bound, outputs: list[torch.Tensor]) -> Answer:
    given = _given([each.clone() for each in outputs])
    sample = Sample(bound.sample.arguments, {**bound.sample.keywords, _OUT: given})
    outcome = call(offer, Bound(sample, bound.names))
    return Answer.RAN if isinstance(outcome, Result) else outcome
