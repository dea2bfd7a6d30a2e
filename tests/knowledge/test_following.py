"""Rows of functions of one tensor: their results, and of how many dimensions they are."""

from __future__ import annotations

import re
from typing import Any

import pytest

from torchdevlint.knowledge import NAMES
from torchdevlint.knowledge.rows import Follow, RankRule

torch = pytest.importorskip("torch")

from torch_rows import INDEX, TORCH_ROWS, VECTOR, ranks, resolve, rows_of  # noqa: E402 -- it imports PyTorch

pytestmark = pytest.mark.needs_torch

SQUARE = torch.eye(3) * 2 + 0.1
CUBE = torch.rand(2, 3, 4)
IMAGE = torch.rand(2, 4, 6, 6)

# Further arguments of functions that need them; several tuples where the rank depends on them.
FOLLOW_ARGUMENTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    **dict.fromkeys(
        (
            *("torch.max", "torch.min", "torch.median", "torch.nanmedian", "torch.sum", "torch.mean", "torch.prod"),
            *("torch.amax", "torch.amin", "torch.argmax", "torch.argmin", "torch.all", "torch.any", "torch.std"),
            *("torch.var", "torch.nanmean", "torch.nansum"),
        ),
        ((), (1,)),
    ),
    "torch.logsumexp": ((1,),),
    "torch.special.logsumexp": ((1,),),
    **dict.fromkeys(
        (
            *("torch.softmax", "torch.log_softmax", "torch.logcumsumexp", "torch.cumsum", "torch.cumprod"),
            *("torch.special.softmax", "torch.special.log_softmax", "torch.cummax", "torch.cummin"),
            *("torch.nn.functional.softmax", "torch.nn.functional.log_softmax", "torch.nn.functional.softmin"),
        ),
        ((1,),),
    ),
    **dict.fromkeys(("torch.dropout", "torch.alpha_dropout"), ((0.5, True),)),
    **dict.fromkeys(("torch.feature_alpha_dropout", "torch.feature_dropout"), ((0.5, True),)),
    "torch.flip": (((0,),),),
    "torch.roll": ((1,),),
    "torch.renorm": ((2, 0, 1.0),),
    **dict.fromkeys(
        ("torch.moveaxis", "torch.movedim", "torch.swapaxes", "torch.swapdims", "torch.transpose"), ((0, 1),)
    ),
    "torch.permute": (((1, 0),),),
    "torch.mvlgamma": ((1,),),
    "torch.matrix_power": ((2,),),
    "torch.linalg.matrix_power": ((2,),),
    "torch.threshold": ((0.1, 0.0),),
    "torch.nn.functional.threshold": ((0.1, 0.0),),
    "torch.nn.functional.threshold_": ((0.1, 0.0),),
    "torch.narrow": ((0, 0, 1),),
    "torch.unsqueeze": ((0,), (2,)),
    "torch.select": ((0, 1),),
    "torch.reshape": (((9,),),),
    "torch.tile": (((2, 2, 2),),),
    "torch.unflatten": ((0, (3, 1)),),
    "torch.broadcast_to": (((2, 3, 3),),),
    "torch.quantile": ((0.5,),),
    "torch.nanquantile": ((0.5,),),
    "torch.as_strided": (((9,), (1,)),),
    "torch.topk": ((1,),),
    "torch.kthvalue": ((1,),),
    "torch.chunk": ((2,),),
    "torch.split": ((1,),),
    "torch.split_with_sizes": (([1, 2],),),
    "torch.unsafe_split": ((1,),),
    "torch.unsafe_chunk": ((2,),),
    **dict.fromkeys(("torch.tensor_split", "torch.hsplit", "torch.vsplit"), ((3,),)),
    "torch.multinomial": ((1,),),
    "torch.nn.functional.pad": (((1, 1),),),
    **dict.fromkeys(("torch.nn.functional.avg_pool1d", "torch.nn.functional.max_pool1d"), ((2,),)),
}
# The tensor that a function is called with, where a square matrix will not do.
FOLLOW_INPUT: dict[str, Any] = {
    "torch.imag": SQUARE.to(torch.complex64),
    "torch.bitwise_not": INDEX,
    "torch.bernoulli": SQUARE / 4,
    "torch.view_as_real": SQUARE.to(torch.complex64),
    "torch.view_as_complex": torch.rand(3, 3, 2),
    "torch.vander": VECTOR,
    "torch.combinations": VECTOR,
    "torch.diagflat": VECTOR,
    "torch.dsplit": torch.rand(1, 1, 4),
    "torch.channel_shuffle": IMAGE,
    "torch.pixel_shuffle": IMAGE,
    "torch.pixel_unshuffle": IMAGE,
    "torch.nn.functional.one_hot": INDEX,
    "torch.nn.functional.unfold": IMAGE,
    "torch.nn.functional.fold": torch.rand(2, 4, 25),
    "torch.nn.functional.affine_grid": torch.rand(1, 3, 4),
    "torch.nn.functional.glu": IMAGE,
    "torch.unravel_index": INDEX,
}
FOLLOW_ARGUMENTS |= {
    "torch.channel_shuffle": ((2,),),
    "torch.nn.utils.clip_grad_norm": ((1.0,),),
    "torch.nn.utils.clip_grad_norm_": ((1.0,),),
    "torch.pixel_shuffle": ((2,),),
    "torch.pixel_unshuffle": ((2,),),
    "torch.dsplit": ((2,),),
    "torch.unravel_index": (((2, 2),),),
    "torch.nn.functional.unfold": ((2,),),
    "torch.nn.functional.fold": (((6, 6), 2),),
    "torch.nn.functional.affine_grid": (((1, 1, 2, 2, 2), False),),
    "torch.nn.functional.channel_shuffle": ((2,),),
    "torch.nn.functional.pixel_shuffle": ((2,),),
    "torch.nn.functional.pixel_unshuffle": ((2,),),
    "torch.nn.functional.local_response_norm": ((2,),),
    "torch.nn.functional.upsample_nearest": ((12,),),
    "torch.nn.functional.upsample_bilinear": ((12,),),
    "torch.nn.functional.upsample": ((12,),),
    "torch.nn.functional.interpolate": ((12,),),
}
POOLED = re.compile(r"torch\.nn\.functional\.(adaptive_)?(lp|avg|max|fractional_max)_pool([123])d$")
SPATIAL = re.compile(r"torch\.nn\.functional\.(interpolate|upsample.*|local_response_norm|dropout[123]d|.*shuffle)$")


def follow_calls(name: str) -> list[tuple[Any, tuple[Any, ...], dict[str, Any]]]:
    """Return inputs and arguments with which a function can be called."""
    if pooled := POOLED.match(name):
        x = torch.rand((2, 4) + (6,) * int(pooled[3]))
        arguments: tuple[Any, ...] = (2.0, 2) if pooled[2] == "lp" else (2,)
        return [(x, arguments, {"output_size": 2} if pooled[2] == "fractional_max" else {})]
    if name == "torch.nn.functional.dropout1d":
        return [(CUBE, (), {})]
    if name == "torch.nn.functional.dropout3d":
        return [(torch.rand(1, 2, 3, 3, 3), (), {})]
    x = FOLLOW_INPUT.get(name, IMAGE if SPATIAL.match(name) else SQUARE)
    return [(x, arguments, {}) for arguments in FOLLOW_ARGUMENTS.get(name, ((),))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", rows_of(Follow))
def test_follow(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Follow)
    function = resolve(name)
    for x, arguments, keywords in follow_calls(name):
        given = x.clone().requires_grad_() if x.is_floating_point() and not name.endswith("_") else x.clone()
        try:
            result = function(given, *arguments, **keywords)
        except Exception:
            if name not in NAMES.derived:
                raise
            pytest.skip("it needs other arguments, which the derivation has")
        paired = row.returns_pair_with_dim and bool(arguments)
        if row.count or paired:
            count = 2 if paired else row.count
            assert len(result) == count or count == -1
            results = list(result)
        else:
            results = [result]
        for one in results:
            if row.count == 0 or row.rank is not RankRule.SAME or one is results[0]:
                assert one.dim() in ranks(row.rank, [x.dim()], arguments)
            if row.graph is False:
                assert not one.requires_grad or name.endswith("detach")


SHAPES = [(), (1,), (3,), (2, 2), (2, 3, 4), (3, 3, 3), (1, 2, 4, 4), (1, 2, 4, 4, 4)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", rows_of(Follow))
def test_rank_rules_hold_for_every_rank(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Follow)
    function = resolve(name)
    for shape in SHAPES:
        for given in FOLLOW_ARGUMENTS.get(name, ((),)):
            try:
                result = function(torch.rand(shape), *given)
            except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AssertionError):
                continue  # not for tensors of this shape
            if torch.is_tensor(result):
                assert result.dim() in ranks(row.rank, [len(shape)], given)
