"""What methods and attributes of a tensor do to devices: those of functions, and what only tensors have."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Backward,
    Cast,
    Combine,
    DeviceNumber,
    DeviceType,
    Follow,
    Like,
    Mix,
    Move,
    MoveKind,
    Plain,
    Query,
    RankRule,
    ReadHost,
    Row,
)
from torchdevlint.knowledge.torch_functions import COMBINING, FOLLOWING
from torchdevlint.knowledge.words import words
from torchdevlint.records import replace

# Functions of `torch` that tensors do not have as methods.
NOT_METHODS = frozenset(
    words("""
    cdist einsum meshgrid pca_lowrank svd_lowrank unravel_index
    """)
)

_FUNCTIONS: dict[str, Row] = {**FOLLOWING, **COMBINING}
_SHARED = {name: row for name, row in _FUNCTIONS.items() if "." not in name and name not in NOT_METHODS}

_IN_PLACE_UNKNOWN_RANK = Follow(rank=RankRule.UNKNOWN, in_place=True)
_CLAMP = replace(COMBINING["clamp"], in_place=True, rank=RankRule.SAME)
_FOLLOW = Follow()
_EVIDENCE = Plain(tensor_evidence=True)

# All that `to` of a tensor or a module takes.
TO_TAKES = ("device", "dtype", "tensor", "non_blocking", "copy", "memory_format")

TENSOR: dict[str, Row] = {
    **_SHARED,
    **dict.fromkeys(("clamp_", "clip_"), _CLAMP),
    # No sample raises a tensor to a power in place that is of the type of the result.
    "float_power_": Combine(("input", "exponent"), Mix.IN_PLACE, RankRule.SAME, in_place=True),
    # Moves; modules have these too, so they are no evidence.
    "to": Move(keywords=TO_TAKES),
    "cuda": Move(MoveKind.CUDA),
    "cpu": Move(MoveKind.CPU, type="cpu"),
    "type": Move(MoveKind.TYPE),
    "type_as": Move(MoveKind.TYPE_AS),
    "xpu": Move(MoveKind.OTHER_TYPE, type="xpu"),
    "ipu": Move(MoveKind.OTHER_TYPE, type="ipu"),
    "mtia": Move(MoveKind.OTHER_TYPE, type="mtia"),
    "hpu": Move(MoveKind.OTHER_TYPE, type="hpu"),
    "npu": Move(MoveKind.OTHER_TYPE, type="npu"),
    "mlu": Move(MoveKind.OTHER_TYPE, type="mlu"),
    "musa": Move(MoveKind.OTHER_TYPE, type="musa"),
    **dict.fromkeys(words("float double bfloat16 cfloat cdouble chalf"), Cast()),
    "half": Cast(half=True),
    **dict.fromkeys(words("int long short char byte bool"), Cast(whole=True)),
    # They are given data, or sizes or data.
    **dict.fromkeys(words("new_tensor new"), Like(rank=RankRule.UNKNOWN)),
    # The host reads.
    "numpy": ReadHost(tensor_evidence=True, forced="force"),
    "__array__": ReadHost(tensor_evidence=True),
    # Python data, of tensors alone or of arrays too; only the former is evidence.
    **dict.fromkeys(words("item tolist"), Plain(reads=True)),
    **dict.fromkeys(words("numel nelement"), Plain(tensor_evidence=True, counts=True)),
    **dict.fromkeys(
        words("""stride element_size storage_offset data_ptr is_contiguous
        is_floating_point is_complex is_signed untyped_storage retain_grad record_stream is_inference
        register_post_accumulate_grad_hook"""),
        _EVIDENCE,
    ),
    **dict.fromkeys(
        words("""is_pinned is_shared is_coalesced storage register_hook sparse_dim dense_dim is_set_to is_same_size"""),
        Plain(),
    ),
    **dict.fromkeys(words("dim ndimension"), Plain(tensor_evidence=True, ranks=True)),
    "get_device": DeviceNumber(),
    "backward": Backward(retaining="retain_graph"),
    "is_nonzero": Plain(tensor_evidence=True),
    "size": Plain(tensor_evidence=True, sizes=True),
    # PyTorch has no samples of these.
    **dict.fromkeys(words("coalesce to_dense to_sparse"), _FOLLOW),
    **dict.fromkeys(words("set_ apply_"), _IN_PLACE_UNKNOWN_RANK),
    "detach_": Follow(graph=False, in_place=True),
    "copy_": Combine(("input", "src"), Mix.FREE, RankRule.SAME, in_place=True),
    # It has the dimensions of the other, and those are at least its own.
    "expand_as": Combine(mix=Mix.FREE, rank=RankRule.BROADCAST),
    # They do more to their receiver than its result tells.
    "pin_memory": Follow(pins=True),
    "requires_grad_": Follow(in_place=True, demands=True),
}

TENSOR_ATTRIBUTES: dict[str, Row] = {
    **dict.fromkeys(words("T mT data grad real imag H mH"), _FOLLOW),
    "data": Follow(graph=False),
    "grad": Follow(graph=False, along=True),
    "shape": Plain(sizes=True),
    "ndim": Plain(ranks=True),
    "requires_grad": Plain(demands=True),
    **dict.fromkeys(
        words("""dtype is_leaf grad_fn layout itemsize nbytes is_sparse is_quantized
        is_cpu is_meta is_nested retains_grad output_nr"""),
        Plain(),
    ),
    "is_cuda": Query("cuda"),
    "is_mps": Query("mps"),
    "is_xpu": Query("xpu"),
    "device": DeviceType(),
}

# Kernels of the host for it are slow, and few before PyTorch 2.3.
HALF = frozenset(("torch.float16", "torch.half"))

# What `to` takes beside devices: https://docs.pytorch.org/docs/2.13/tensor_attributes.html
DTYPES = frozenset(
    f"torch.{name}"
    for name in words("""
    float32 float float64 double float16 half bfloat16 uint8 int8 int16 short int32 int int64 long bool uint16 uint32
    uint64 complex32 chalf complex64 cfloat complex128 cdouble quint8 qint8 qint32 float8_e4m3fn float8_e4m3fnuz
    float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 bit bits16 bits1x8 bits2x4 bits4x2 bits8
    quint2x4 quint4x2 int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7 jagged
    strided _mkldnn sparse_bsc sparse_bsr sparse_coo sparse_csc sparse_csr
    channels_last channels_last_3d contiguous_format preserve_format legacy_contiguous_format
    """)
)

# Methods and attributes that no array, list, dict, string or module has.
TENSOR_ONLY = frozenset(
    words("""
    unsqueeze unsqueeze_ squeeze_ detach detach_ numel nelement contiguous is_contiguous expand_as view_as reshape_as
    type_as requires_grad grad_fn is_cuda new_zeros new_ones new_full new_empty new_tensor masked_fill masked_fill_
    scatter_ scatter_add_ index_select index_add_ index_copy_ topk unbind permute softmax log_softmax sigmoid sigmoid_
    tanh_ relu_ add_ sub_ mul_ div_ clamp clamp_ fill_ zero_ copy_ normal_ uniform_ ndimension data_ptr element_size
    repeat_interleave logsumexp bmm matmul addmm retain_grad masked_select exp_ log_ sqrt_ pow_ floor_ round_
    narrow unflatten multinomial bernoulli_ random_ is_floating_point
    """)
)
