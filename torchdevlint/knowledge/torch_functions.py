"""What functions of `torch`, `torch.nn.functional`, `torch.linalg`, `torch.special` and `torch.fft` do to devices."""

from __future__ import annotations

from dataclasses import replace

from torchdevlint.knowledge.rows import Combine, Convert, Follow, Like, Make, Mix, Plain, RankRule, Row
from torchdevlint.knowledge.words import words

_MAKE = Make()
_MAKE_ONE = Make(rank=RankRule.ONE)
_MAKE_VECTOR = Make(rank=RankRule.VECTOR)
_HOST_VECTOR = Make(rank=RankRule.VECTOR, always_host=True)

FACTORIES: dict[str, Row] = {
    **dict.fromkeys(words("zeros ones empty rand randn"), _MAKE),
    **dict.fromkeys(words("arange randperm linspace logspace range"), _MAKE_ONE),
    **dict.fromkeys(
        words("hann_window hamming_window blackman_window bartlett_window kaiser_window fft.fftfreq fft.rfftfreq"),
        _MAKE_ONE,
    ),
    **dict.fromkeys(words("eye tril_indices triu_indices"), _MAKE_VECTOR),
    "full": Make(packed=True),
    "empty_strided": Make(packed=True),
    "empty_permuted": Make(packed=True),
    "randint": Make(shape=-1, packed=True),
    "scalar_tensor": Make(rank=RankRule.SCALAR),
    "from_numpy": _HOST_VECTOR,
    "frombuffer": _HOST_VECTOR,
    "from_file": _HOST_VECTOR,
    "Tensor": Make(rank=RankRule.VECTOR, legacy="cpu", every=True),
    "tensor": Convert(copies=True),
    "as_tensor": Convert(graph=True),
    "asarray": Convert(graph=True),
    **dict.fromkeys(words("zeros_like ones_like empty_like full_like rand_like randn_like randint_like"), Like()),
    **dict.fromkeys(
        ("signal.windows." + window for window in words("hann hamming blackman bartlett kaiser cosine gaussian")),
        _MAKE_ONE,
    ),
}

# One tensor in, one tensor of the same rank out.
SAME_RANK = words("""
abs absolute acos acosh adjoint alpha_dropout angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh
bitwise_not ceil celu clone conj conj_physical cos cosh cumprod cumsum deg2rad digamma dropout erf erfc
bernoulli erfinv exp exp2 expm1 feature_alpha_dropout feature_dropout fix flip fliplr flipud floor frac hardshrink i0
inverse lgamma log log10 log1p log2 log_softmax logcumsumexp logit matrix_exp matrix_power moveaxis movedim msort
mvlgamma nan_to_num neg negative permute pinverse poisson positive rad2deg real reciprocal relu renorm resolve_conj
resolve_neg roll rot90 round rrelu rsqrt selu sgn sigmoid sign sin sinc sinh softmax sqrt square swapaxes swapdims
t tan tanh threshold transpose tril triu trunc imag channel_shuffle diff narrow pixel_shuffle pixel_unshuffle
fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 fft.fftn fft.ifftn
fft.rfftn fft.irfftn fft.fftshift fft.ifftshift
linalg.cholesky linalg.inv linalg.matrix_exp linalg.matrix_power linalg.pinv
special.digamma special.entr special.erf special.erfc special.erfcx special.erfinv special.exp2 special.expit
special.expm1 special.gammaln special.i0 special.i0e special.i1 special.i1e special.log1p special.log_ndtr
special.log_softmax special.logit special.ndtr special.ndtri special.psi special.sinc special.softmax
""")

# The same, and no gradient flows through.
NO_GRAPH = words("signbit isfinite isinf isnan isneginf isposinf isreal logical_not detach")

# One tensor in; the rank of the result is at least 1.
VECTOR_OUT = words("combinations diag diagflat diag_embed flatten ravel vander")

REDUCE = words("sum mean prod amax amin var std nanmean nansum logsumexp special.logsumexp")

_PAIR = Follow(rank=RankRule.REDUCE, returns_pair_with_dim=True)
_UNKNOWN_RANK = Follow(rank=RankRule.UNKNOWN)
_SCALAR = Follow(rank=RankRule.SCALAR)
_PLUS_ONE = Follow(rank=RankRule.PLUS_ONE)
_MINUS_ONE = Follow(rank=RankRule.MINUS_ONE)
_SEVERAL = Follow(count=-1)

FOLLOWING: dict[str, Follow] = {
    **dict.fromkeys(SAME_RANK, Follow()),
    **dict.fromkeys(NO_GRAPH, Follow(graph=False)),
    **dict.fromkeys(VECTOR_OUT, Follow(rank=RankRule.VECTOR)),
    **dict.fromkeys(REDUCE, Follow(rank=RankRule.REDUCE)),
    **dict.fromkeys(words("all any argmax argmin count_nonzero"), Follow(rank=RankRule.REDUCE, graph=False)),
    "max": Follow(rank=RankRule.REDUCE, returns_pair_with_dim=True, binary=True),
    "min": Follow(rank=RankRule.REDUCE, returns_pair_with_dim=True, binary=True),
    "median": _PAIR,
    "nanmedian": _PAIR,
    **dict.fromkeys(words("sort cummax cummin frexp"), Follow(count=2)),
    "topk": Follow(rank=RankRule.VECTOR, count=2),
    **dict.fromkeys(
        words(
            "mode kthvalue aminmax std_mean var_mean geqrf qr slogdet linalg.eig linalg.eigh linalg.qr linalg.slogdet"
        ),
        Follow(RankRule.UNKNOWN, count=2),
    ),
    **dict.fromkeys(words("svd linalg.svd pca_lowrank svd_lowrank"), Follow(RankRule.UNKNOWN, count=3)),
    "argsort": Follow(graph=False),
    "argwhere": Follow(rank=RankRule.VECTOR, graph=False),
    "nonzero": Follow(rank=RankRule.UNKNOWN, graph=False),
    "multinomial": Follow(graph=False),
    "histc": Follow(rank=RankRule.ONE, graph=False),
    "trace": _SCALAR,
    "unsqueeze": _PLUS_ONE,
    "view_as_real": _PLUS_ONE,
    "view_as_complex": _MINUS_ONE,
    "select": _MINUS_ONE,
    **dict.fromkeys(
        words("""squeeze unflatten norm quantile nanquantile cov
        corrcoef det logdet pdist as_strided linalg.det linalg.norm linalg.vector_norm linalg.matrix_norm
        linalg.svdvals linalg.eigvals linalg.eigvalsh linalg.matrix_rank linalg.cond cholesky_inverse
        unique unique_consecutive"""),
        _UNKNOWN_RANK,
    ),
    **dict.fromkeys(words("reshape tile broadcast_to"), Follow(rank=RankRule.SIZES)),
    "diagonal": _MINUS_ONE,
    "linalg.diagonal": _MINUS_ONE,
    **dict.fromkeys(
        words("""chunk split split_with_sizes tensor_split unsafe_chunk unsafe_split hsplit vsplit dsplit"""), _SEVERAL
    ),
    "unbind": Follow(rank=RankRule.MINUS_ONE, count=-1),
    "meshgrid": Follow(rank=RankRule.VECTOR, count=-1),
    "unravel_index": Follow(rank=RankRule.SAME, count=-1, graph=False),
}

# What these write to may be anywhere, since the result is copied there, or is compared in some of their cases only.
_COPIED_OUT = words("""
diff norm special.ndtr linalg.norm linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.cond linalg.pinv
""")
FOLLOWING.update({name: replace(FOLLOWING[name], out_mix=Mix.FREE) for name in _COPIED_OUT})

_BINARY = Combine()
_BINARY_NO_GRAPH = Combine(graph=False)
_STRICT = Combine(mix=Mix.STRICT)
_STRICT_UNKNOWN = Combine(mix=Mix.STRICT, rank=RankRule.UNKNOWN)

COMBINING: dict[str, Combine] = {
    **dict.fromkeys(
        words("""add sub subtract mul multiply div divide true_divide fmod remainder maximum minimum fmax fmin
        atan2 arctan2 copysign floor_divide hypot xlogy ldexp special.xlogy special.xlog1py special.zeta"""),
        _BINARY,
    ),
    **dict.fromkeys(words("pow float_power"), Combine(operands=("input", "exponent"))),
    "heaviside": Combine(operands=("input", "values")),
    "lerp": Combine(operands=("input", "end", "weight")),
    "addcmul": Combine(operands=("input", "tensor1", "tensor2")),
    "addcdiv": Combine(operands=("input", "tensor1", "tensor2")),
    "complex": Combine(operands=("real", "imag")),
    "polar": Combine(operands=("abs", "angle")),
    **dict.fromkeys(
        words("""eq ne lt le gt ge not_equal less less_equal greater greater_equal logical_and logical_or logical_xor
        bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift isclose"""),
        _BINARY_NO_GRAPH,
    ),
    "where": Combine(operands=("condition", "input", "other")),
    "dist": Combine(rank=RankRule.SCALAR),
    **dict.fromkeys(words("logaddexp logaddexp2"), _STRICT),
    **dict.fromkeys(words("gcd lcm nextafter igamma igammac"), _STRICT),
    # Matrix products compare devices whatever the rank.
    "matmul": _STRICT_UNKNOWN,
    "linalg.matmul": _STRICT_UNKNOWN,
    "mm": Combine(operands=("input", "mat2"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    "bmm": Combine(operands=("input", "mat2"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    "mv": Combine(operands=("input", "vec"), mix=Mix.STRICT, rank=RankRule.ONE),
    "dot": Combine(operands=("input", "tensor"), mix=Mix.STRICT, rank=RankRule.SCALAR),
    "vdot": Combine(mix=Mix.STRICT, rank=RankRule.SCALAR),
    "addmm": Combine(operands=("input", "mat1", "mat2"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    "addmv": Combine(operands=("input", "mat", "vec"), mix=Mix.STRICT, rank=RankRule.ONE),
    "addbmm": Combine(operands=("input", "batch1", "batch2"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    "baddbmm": Combine(operands=("input", "batch1", "batch2"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    "outer": Combine(operands=("input", "vec2"), rank=RankRule.VECTOR),
    "ger": Combine(operands=("input", "vec2"), rank=RankRule.VECTOR),
    "cross": Combine(mix=Mix.STRICT, rank=RankRule.VECTOR),
    "linalg.cross": Combine(mix=Mix.STRICT, rank=RankRule.VECTOR),
    "linalg.solve": Combine(operands=("A", "B"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    "inner": _STRICT_UNKNOWN,
    "tensordot": Combine(operands=("a", "b"), mix=Mix.STRICT, rank=RankRule.UNKNOWN),
    "linalg.multi_dot": Combine(operands=("tensors",), mix=Mix.STRICT, rank=RankRule.UNKNOWN, sequence=True),
    "cdist": Combine(operands=("x1", "x2"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    "einsum": Combine(operands=(), mix=Mix.STRICT, rank=RankRule.UNKNOWN, format=True),
    **dict.fromkeys(
        words("cat concat concatenate hstack vstack dstack row_stack column_stack"),
        Combine(operands=("tensors",), mix=Mix.STRICT, rank=RankRule.VECTOR, sequence=True),
    ),
    "stack": Combine(operands=("tensors",), mix=Mix.STRICT, rank=RankRule.PLUS_ONE, sequence=True),
    **dict.fromkeys(
        words("clamp clip"),
        Combine(
            operands=("input", "min", "max"),
            mix=Mix.STRICT,
            out_mix=Mix.ZERO_DIM,
            number_overload=("min", "max"),
        ),
    ),
    "clamp_min": Combine(operands=("input", "min"), mix=Mix.STRICT, out_mix=Mix.ZERO_DIM),
    "clamp_max": Combine(operands=("input", "max"), mix=Mix.STRICT, out_mix=Mix.ZERO_DIM),
    # The window has to be where the signal is (ATen/native/SpectralOps.cpp).
    **dict.fromkeys(words("stft istft"), Combine(("input", "", "", "", "window"), Mix.STRICT, RankRule.VECTOR)),
    # Reads and writes by index.
    "gather": Combine(("input", "", "index"), Mix.STRICT, RankRule.UNKNOWN, index=("index",)),
    "scatter": Combine(("input", "", "index", "src"), Mix.STRICT, RankRule.SAME, index=("index",)),
    "scatter_add": Combine(("input", "", "index", "src"), Mix.STRICT, RankRule.SAME, index=("index",)),
    "scatter_reduce": Combine(("input", "", "index", "src"), Mix.STRICT, RankRule.SAME, index=("index",)),
    "index_select": Combine(("input", "", "index"), Mix.STRICT, RankRule.SAME, index=("index",)),
    "index_add": Combine(("input", "", "index", "source"), Mix.STRICT, RankRule.SAME, index=("index",)),
    "index_copy": Combine(("input", "", "index", "source"), Mix.STRICT, RankRule.SAME, index=("index",)),
    "index_reduce": Combine(("input", "", "index", "source"), Mix.STRICT, RankRule.SAME, index=("index",)),
    "take": Combine(("input", "index"), Mix.STRICT, RankRule.UNKNOWN, index=("index",)),
    "take_along_dim": Combine(("input", "indices"), Mix.STRICT, RankRule.UNKNOWN, index=("indices",)),
    "masked_select": Combine(("input", "mask"), Mix.STRICT, RankRule.ONE, index=("mask",)),
    "masked_fill": Combine(("input", "mask"), Mix.STRICT, RankRule.BROADCAST, index=("mask",)),
    "masked_scatter": Combine(("input", "mask", "source"), Mix.STRICT, RankRule.UNKNOWN, index=("mask",)),
    "bincount": Combine(("input", "weights"), Mix.STRICT, RankRule.ONE),
    "repeat_interleave": Combine(("input", "repeats"), Mix.STRICT, RankRule.VECTOR),
    # Answers and searches.
    "equal": Combine(mix=Mix.STRICT, rank=RankRule.SCALAR, graph=False),
    "allclose": Combine(rank=RankRule.SCALAR, graph=False),
    "isin": Combine(("elements", "test_elements"), Mix.STRICT, RankRule.SAME, graph=False),
    "searchsorted": Combine(("sorted_sequence", "input"), Mix.STRICT, RankRule.UNKNOWN, graph=False),
    "bucketize": Combine(("input", "boundaries"), Mix.STRICT, RankRule.SAME, graph=False),
}

# Functions of `torch` that return Python data or change a switch, and leave their arguments where they are.
PLAIN: dict[str, Row] = {
    "is_tensor": Plain(asks=True),
    **dict.fromkeys(words("is_storage is_complex is_floating_point is_nonzero numel"), Plain()),
    **dict.fromkeys(
        words("""get_default_dtype set_default_dtype get_num_threads set_num_threads set_num_interop_threads
        set_printoptions
        set_float32_matmul_precision use_deterministic_algorithms seed initial_seed get_rng_state
        set_rng_state set_warn_always set_flush_denormal is_grad_enabled are_deterministic_algorithms_enabled
        can_cast promote_types result_type broadcast_shapes finfo iinfo typename is_inference
        set_deterministic_debug_mode autograd.set_detect_anomaly"""),
        Plain(),
    ),
}

TORCH_FUNCTIONS: dict[str, Row] = {
    f"torch.{name}": row for name, row in {**FACTORIES, **FOLLOWING, **COMBINING, **PLAIN}.items()
}
