"""Functions with operands or results of kinds that are not derived; they are compared operator by operator.

That is done with PyTorch's own samples, by `tests/harness/agreement.py`.
"""

from __future__ import annotations

from torchdevlint.knowledge.rows import Combine, Follow, Make, Mix, RankRule, Row
from torchdevlint.knowledge.words import words
from torchdevlint.records import replace

# Here the devices of the operand and of `out=` are compared before an iterator looks at dimensions.
_STRICT_OUT = words("""
acosh asinh atanh conj_physical exp2 i0 logit mvlgamma nan_to_num sgn sinc tril triu
special.entr special.erfcx special.i0e special.i1 special.i1e special.log_ndtr special.ndtri
""")
_NO_GRAPH_STRICT_OUT = words("""
signbit isneginf isposinf special.airy_ai special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1
special.modified_bessel_i0 special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1
special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.spherical_bessel_j0
""")
_REDUCED_STRICT_OUT = words("amax amin nanmean nansum")

_FOLLOWING: dict[str, Follow] = {
    **dict.fromkeys(_STRICT_OUT, Follow(out_mix=Mix.STRICT)),
    **dict.fromkeys(_NO_GRAPH_STRICT_OUT, Follow(graph=False, out_mix=Mix.STRICT)),
    **dict.fromkeys(_REDUCED_STRICT_OUT, Follow(RankRule.REDUCE, out_mix=Mix.STRICT)),
    **dict.fromkeys(words("argmax argmin"), Follow(RankRule.REDUCE, graph=False, out_mix=Mix.STRICT)),
    "histc": Follow(RankRule.ONE, graph=False, out_mix=Mix.STRICT),
    "multinomial": Follow(graph=False, out_mix=Mix.STRICT),
    "nonzero": Follow(RankRule.VECTOR, graph=False, out_mix=Mix.STRICT),
    "topk": Follow(RankRule.VECTOR, count=2, out_mix=Mix.STRICT),
    # Their result is written without a comparison of devices, or with one in some of their cases only.
    **dict.fromkeys(words("slice_scatter linalg.matrix_power"), Follow(out_mix=Mix.FREE)),
    "linalg.tensorinv": Follow(RankRule.UNKNOWN, out_mix=Mix.FREE),
    # The dimension that they reduce may be kept.
    **dict.fromkeys(words("mode kthvalue"), Follow(RankRule.LESS, count=2)),
    **dict.fromkeys(words("aminmax std_mean var_mean"), Follow(RankRule.REDUCE, count=2)),
    # Matrices, and vectors of their values.
    **dict.fromkeys(words("geqrf qr linalg.eig linalg.eigh linalg.qr"), Follow(RankRule.VECTOR, count=2)),
    **dict.fromkeys(words("svd linalg.svd"), Follow(RankRule.VECTOR, count=3)),
    **dict.fromkeys(
        words("""unflatten unique unique_consecutive linalg.svdvals linalg.eigvals linalg.eigvalsh
        cholesky_inverse"""),
        Follow(RankRule.VECTOR),
    ),
    "tile": Follow(RankRule.MORE),
    # With `n=0` the input is copied, and nothing else is looked at.
    "diff": Follow(out_mix=Mix.FREE),
    "gradient": Follow(count=-1),
    "lu": Follow(RankRule.VECTOR, count=-1),
    **dict.fromkeys(words("polygamma special.polygamma"), Follow(position=1)),
}

_STRICT = Combine(mix=Mix.STRICT)
_PRODUCT = Combine(mix=Mix.STRICT, rank=RankRule.PRODUCT)
_MASKED = Combine(("input",), rank=RankRule.UNKNOWN, keywords=("mask",))
_MASKED_SAME = replace(_MASKED, rank=RankRule.SAME)

_COMBINING: dict[str, Combine] = {
    # Every argument is an operand.
    **dict.fromkeys(words("block_diag cartesian_prod"), Combine((), Mix.STRICT, RankRule.VECTOR, variadic=True)),
    # Operands that are given by keyword.
    "cov": Combine(("input",), Mix.STRICT, RankRule.UNKNOWN, keywords=("fweights", "aweights")),
    "searchsorted": Combine(
        ("sorted_sequence", "input"), Mix.STRICT, RankRule.UNKNOWN, graph=False, keywords=("sorter",)
    ),
    **{
        f"masked.{name}": _MASKED
        for name in words("amax amin argmax argmin logsumexp mean median norm prod std sum var")
    },
    **{f"masked.{name}": _MASKED_SAME for name in words("cumprod cumsum log_softmax normalize softmax softmin")},
    "masked.logaddexp": Combine(mix=Mix.STRICT, keywords=("input_mask", "other_mask")),
    # Ranks that follow from both operands, or from the index.
    **dict.fromkeys(words("matmul linalg.matmul inner"), _PRODUCT),
    "gather": Combine(("input", "", "index"), Mix.STRICT, RankRule.LAST, index=("index",)),
    "take": Combine(("input", "index"), Mix.STRICT, RankRule.LAST, index=("index",)),
    "take_along_dim": Combine(("input", "indices"), Mix.STRICT, RankRule.LAST, index=("indices",)),
    "masked_scatter": Combine(("input", "mask", "source"), Mix.STRICT, RankRule.MORE, index=("mask",)),
    # The devices of numbers without dimensions are compared, too.
    "normal": Combine(("mean", "std"), Mix.STRICT, graph=False),
    "complex": Combine(("real", "imag"), Mix.STRICT),
    "polar": Combine(("abs", "angle"), Mix.STRICT),
    # An index is given dimensions before the devices are compared.
    "index_fill": Combine(("input", "", "index"), Mix.STRICT, RankRule.SAME, index=("index",)),
    # Of two vectors a dot product, else a product of elements that is summed up.
    "linalg.vecdot": Combine(("x", "y"), rank=RankRule.UNKNOWN),
    "linalg.tensorsolve": Combine(("A", "B"), Mix.STRICT, RankRule.UNKNOWN, out_mix=Mix.FREE, keywords=("other",)),
    # Several results.
    "linalg.lstsq": Combine(("A", "B"), Mix.STRICT, RankRule.VECTOR, keywords=("b",), count=4),
    "linalg.solve_ex": Combine(("A", "B"), Mix.STRICT, RankRule.VECTOR, count=2),
    "triangular_solve": Combine(("b", "A"), Mix.STRICT, RankRule.VECTOR, count=2),
    "lu_unpack": Combine(("LU_data", "LU_pivots"), Mix.STRICT, RankRule.VECTOR, count=3),
    "native_layer_norm": Combine(("input", "", "weight", "bias"), Mix.STRICT, RankRule.SAME, count=3),
    "native_group_norm": Combine(("input", "weight", "bias"), Mix.STRICT, RankRule.SAME, count=3),
    "native_batch_norm": Combine(
        ("input", "weight", "bias", "running_mean", "running_var"), Mix.STRICT, RankRule.SAME, count=3
    ),
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
        count=2,
    ),
    "linear_cross_entropy": Combine(
        ("input", "linear_weight", "target"), Mix.STRICT, RankRule.UNKNOWN, keywords=("linear_bias", "weight")
    ),
}

_METHODS = words("""
acosh asinh atanh conj_physical exp2 i0 logit mvlgamma nan_to_num sgn sinc tril triu signbit isneginf isposinf
amax amin nanmean nansum argmax argmin histc multinomial nonzero topk slice_scatter mode kthvalue aminmax geqrf qr svd
unflatten unique unique_consecutive cholesky_inverse tile polygamma cov matmul inner gather take
take_along_dim masked_scatter index_fill triangular_solve lu diff
""")

_MAKING: dict[str, Row] = {
    f"signal.windows.{name}": Make(rank=RankRule.ONE)
    for name in words("exponential general_cosine general_hamming nuttall")
}

_FUNCTIONS: dict[str, Row] = {**_FOLLOWING, **_COMBINING, **_MAKING}

FURTHER: dict[str, Row] = {
    **{f"torch.{name}": row for name, row in _FUNCTIONS.items()},
    **{f"torch.nn.functional.{name}": row for name, row in _FUNCTIONAL.items()},
}
FURTHER_OF_TENSORS: dict[str, Row] = {
    **{name: _FUNCTIONS[name] for name in _METHODS},
    "index_fill_": replace(_COMBINING["index_fill"], in_place=True),
}
