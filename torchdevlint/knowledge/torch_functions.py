"""What functions of `torch`, `torch.nn.functional`, `torch.linalg`, `torch.special` and `torch.fft` do to devices."""

from __future__ import annotations

from torchdevlint.knowledge.rows import Combine, Convert, Follow, Make, Mix, Plain, RankRule, Row
from torchdevlint.knowledge.words import words
from torchdevlint.records import replace

_HOST_VECTOR = Make(rank=RankRule.VECTOR, always_host=True)

FACTORIES: dict[str, Row] = {
    # Numbers may be tensors, which are read.
    **dict.fromkeys(words("linspace logspace"), Make(rank=RankRule.ONE)),
    # It cannot be called without its coefficients.
    "signal.windows.general_cosine": Make(rank=RankRule.ONE),
    # They take no device, or are given data in which tensors may be.
    **dict.fromkeys(words("from_numpy frombuffer from_file"), _HOST_VECTOR),
    "Tensor": Make(rank=RankRule.VECTOR, legacy="cpu", every=True),
    "tensor": Convert(copies=True),
    "as_tensor": Convert(graph=True),
    "asarray": Convert(graph=True),
}

_UNKNOWN_RANK = Follow(rank=RankRule.UNKNOWN)
_PAIR = Follow(rank=RankRule.REDUCE, returns_pair_with_dim=True)

FOLLOWING: dict[str, Follow] = {
    # PyTorch has no samples of these, or none that call the function itself.
    "detach": Follow(graph=False),
    **dict.fromkeys(words("pca_lowrank svd_lowrank"), Follow(RankRule.UNKNOWN, count=3)),
    # What they return depends on the call: a pair with `dim`, a combination with a second tensor, several with a flag.
    "max": replace(_PAIR, binary=True),
    "min": replace(_PAIR, binary=True),
    **dict.fromkeys(words("median nanmedian"), _PAIR),
    "norm": replace(_UNKNOWN_RANK, out_mix=Mix.STRICT),  # a number at times
    # A parameter may be a tensor or a number, which no sample of one kind tells.
    "linalg.matrix_rank": replace(_UNKNOWN_RANK, out_mix=Mix.FREE),
    "linalg.pinv": Follow(),
    "narrow": Follow(),
    "tensor_split": Follow(count=-1),
    # It takes a tensor and sizes.
    "unravel_index": Follow(count=-1, graph=False),
}

COMBINING: dict[str, Combine] = {
    # PyTorch's samples call a function of their own.
    "where": Combine(operands=("condition", "input", "other")),
    # It takes any number of tensors, or a list of them, and compares their devices itself.
    "meshgrid": Combine((), Mix.STRICT, RankRule.VECTOR, variadic=True, count=-1),
    "einsum": Combine(operands=(), mix=Mix.STRICT, rank=RankRule.UNKNOWN, format=True),
    # With a small input the devices are compared by another operation than with a large one.
    "cdist": Combine(operands=("x1", "x2"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    # A number beside a tensor takes another overload.
    **dict.fromkeys(
        words("clamp clip"),
        Combine(
            operands=("input", "min", "max"),
            mix=Mix.STRICT,
            out_mix=Mix.ZERO_DIM,
            number_overload=("min", "max"),
        ),
    ),
    "repeat_interleave": Combine(("input", "repeats"), Mix.STRICT, RankRule.VECTOR),
    # They give a Python bool.
    "equal": Combine(mix=Mix.STRICT, rank=RankRule.SCALAR, graph=False),
    "allclose": Combine(rank=RankRule.SCALAR, graph=False),
}

# Functions of `torch` that return Python data or change a switch, and leave their arguments where they are.
PLAIN: dict[str, Row] = {
    "is_tensor": Plain(asks=True),
    **dict.fromkeys(words("onnx.is_in_onnx_export jit.is_scripting jit.is_tracing"), Plain(translated=True)),
    "use_deterministic_algorithms": Plain(repeats=True),
    **dict.fromkeys(words("is_storage is_complex is_floating_point is_nonzero numel"), Plain()),
    **dict.fromkeys(
        words("""get_default_dtype set_default_dtype get_num_threads set_num_threads set_num_interop_threads
        set_printoptions
        set_float32_matmul_precision seed initial_seed get_rng_state
        set_rng_state set_warn_always set_flush_denormal is_grad_enabled are_deterministic_algorithms_enabled
        can_cast promote_types result_type broadcast_shapes finfo iinfo typename is_inference
        set_deterministic_debug_mode autograd.set_detect_anomaly"""),
        Plain(),
    ),
}

TORCH_FUNCTIONS: dict[str, Row] = {
    f"torch.{name}": row for name, row in {**FACTORIES, **FOLLOWING, **COMBINING, **PLAIN}.items()
}
