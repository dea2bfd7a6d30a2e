"""Functions with operands or results of kinds that are not derived; they are compared operator by operator.

That is done with PyTorch's own samples, by `tests/harness/agreement.py`.
"""

from __future__ import annotations

from torchdevlint.knowledge.rows import Combine, Follow, Make, Mix, PutAt, RankRule, Row
from torchdevlint.knowledge.words import words
from torchdevlint.records import replace

_FOLLOWING: dict[str, Follow] = {
    # They return several tensors with a flag, or where a dimension is named.
    "nonzero": Follow(RankRule.VECTOR, graph=False, out_mix=Mix.STRICT),
    **dict.fromkeys(words("unique unique_consecutive"), Follow(RankRule.VECTOR)),
    "gradient": Follow(count=-1),
    "lu": Follow(RankRule.VECTOR, count=-1),
    # It takes a number, too, but nobody asks for the greatest of one.
    "topk": Follow(RankRule.VECTOR, count=2, out_mix=Mix.STRICT),
    # Of sizes there may be none, but these are those of one of its dimensions.
    "unflatten": Follow(RankRule.VECTOR),
    # Its result is written without a comparison of devices in some of its cases only.
    "mode": Follow(RankRule.LESS, count=2),
    # With `n=0` the input is copied, and nothing else is looked at.
    "diff": Follow(out_mix=Mix.FREE),
    # The samples hand the tensor over first.
    **dict.fromkeys(words("polygamma special.polygamma"), Follow(position=1)),
}

_MASKED = Combine(("input",), rank=RankRule.UNKNOWN, keywords=("mask",))
_MASKED_SAME = replace(_MASKED, rank=RankRule.SAME)

_COMBINING: dict[str, Combine] = {
    # Every argument is an operand.
    **dict.fromkeys(words("block_diag cartesian_prod"), Combine((), Mix.STRICT, RankRule.VECTOR, variadic=True)),
    # They are in a module of their own, in which every function takes what masks its input by keyword.
    **{
        f"masked.{name}": _MASKED
        for name in words("amax amin argmax argmin logsumexp mean median norm prod std sum var")
    },
    **{f"masked.{name}": _MASKED_SAME for name in words("cumprod cumsum log_softmax normalize softmax softmin")},
    "masked.logaddexp": Combine(mix=Mix.STRICT, keywords=("input_mask", "other_mask")),
    # Of numbers and a size it makes a tensor.
    "normal": Combine(("mean", "std"), Mix.STRICT, graph=False, sized=Make(shape=2, packed=True)),
    # An index is given dimensions before the devices are compared.
    "index_fill": Combine(("input", "", "index"), Mix.STRICT, RankRule.SAME, index=("index",)),
    # Whole numbers beside floating-point ones may not be changed, so that its samples are of one rank.
    "lu_unpack": Combine(("LU_data", "LU_pivots"), Mix.STRICT, RankRule.VECTOR, count=3),
}

_FUNCTIONAL: dict[str, Combine] = {
    # Of an input with one dimension the bias is added to the product.
    "linear": Combine(("input", "weight", "bias"), Mix.STRICT, RankRule.PRODUCT, scalars=("bias",)),
    "bilinear": Combine(("input1", "input2", "weight", "bias"), Mix.STRICT, RankRule.SAME),
    "cosine_similarity": Combine(("x1", "x2"), Mix.EXPANDED, RankRule.LESS),
    "pairwise_distance": Combine(("x1", "x2"), Mix.ZERO_DIM, RankRule.LESS),
    "scaled_dot_product_attention": Combine(("query", "key", "value", "attn_mask"), Mix.STRICT, RankRule.SAME),
    "embedding_bag": Combine(
        ("input", "weight", "offsets"),
        Mix.STRICT,
        RankRule.VECTOR,
        index=("input",),
        keywords=("per_sample_weights",),
    ),
    "multi_head_attention_forward": Combine(
        (
            *("query", "key", "value", "", "", "in_proj_weight", "in_proj_bias", "bias_k", "bias_v", "", ""),
            *("out_proj_weight", "out_proj_bias"),
        ),
        Mix.STRICT,
        RankRule.SAME,
        keywords=("q_proj_weight", "k_proj_weight", "v_proj_weight"),
        instead="use_separate_proj_weight",
        replaced="in_proj_weight",
        count=2,
    ),
    "linear_cross_entropy": Combine(
        ("input", "linear_weight", "target"), Mix.STRICT, RankRule.UNKNOWN, keywords=("linear_bias", "weight")
    ),
}

_METHODS = words("topk nonzero unique unique_consecutive lu unflatten mode diff polygamma index_fill")

# Indices stand in a sequence.
_PUTTING: dict[str, Row] = {"index_put": PutAt(), "index_put_": PutAt(in_place=True)}

_FUNCTIONS: dict[str, Row] = {**_FOLLOWING, **_COMBINING, **_PUTTING}

FURTHER: dict[str, Row] = {
    **{f"torch.{name}": row for name, row in _FUNCTIONS.items()},
    **{f"torch.nn.functional.{name}": row for name, row in _FUNCTIONAL.items()},
}
FURTHER_OF_TENSORS: dict[str, Row] = {
    **{name: _FUNCTIONS[name] for name in _METHODS},
    **_PUTTING,
    "index_fill_": replace(_COMBINING["index_fill"], in_place=True),
}
