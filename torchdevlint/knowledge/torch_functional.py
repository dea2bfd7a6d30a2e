"""What functions of `torch.nn.functional`, `torch.nn.utils` and `torch.autograd` do to devices."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Build,
    Carrier,
    Combine,
    Differentiate,
    Follow,
    Loss,
    Mix,
    ObjectType,
    Plain,
    RankRule,
    Row,
    RunForward,
    Transparent,
    Unpack,
)
from torchdevlint.knowledge.words import words
from torchdevlint.records import replace

_FOLLOW = Follow()
_UNKNOWN_RANK = Follow(rank=RankRule.UNKNOWN)

_FOLLOWING: dict[str, Row] = {
    # It has another name in PyTorch's schemas.
    "logsigmoid": Follow(),
    # These return a pair where `return_indices` asks for it.
    **dict.fromkeys(
        words("""max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
        fractional_max_pool2d fractional_max_pool3d"""),
        Follow(),
    ),
}

_COMBINING: dict[str, Row] = {
    # What is looked up is an index, which the samples hand over in another order.
    "embedding": Combine(("input", "weight"), Mix.STRICT, RankRule.PLUS_ONE, index=("input",)),
}

_LOSSES: dict[str, Row] = {
    # PyTorch's samples give them no weight.
    "mse_loss": Loss(expands=True, weights=("weight",)),
    "huber_loss": Loss(strict=True, weights=("weight",)),
    # Targets that are classes and those that are probabilities are compared by two operations.
    "cross_entropy": Loss(("input", "target", "weight"), strict=True, weights=("weight",), strict_weights=("weight",)),
    # cuDNN wants the targets on the host, the other kernel where the input is.
    "ctc_loss": Loss(
        ("log_probs", "targets", "input_lengths", "target_lengths"),
        targets=("targets",),
        strict=True,
        optional_host=("targets", "input_lengths", "target_lengths"),
    ),
}

PACKED_SEQUENCE = ObjectType(
    "PackedSequence",
    attributes={
        "data": _UNKNOWN_RANK,
        "batch_sizes": Plain(),
        "sorted_indices": _UNKNOWN_RANK,
        "unsorted_indices": _UNKNOWN_RANK,
        "is_cuda": Plain(),
    },
    methods={"is_pinned": Plain()},
    carrier=Carrier.COPY,
)

_PACK = Build(PACKED_SEQUENCE, follows=True)

_UTILS: dict[str, Row] = {
    **dict.fromkeys(words("clip_grad_value_ vector_to_parameters"), Plain()),
    # The norm is where the first gradient is.
    **dict.fromkeys(words("clip_grad_norm_ clip_grad_norm"), Follow(rank=RankRule.SCALAR, graph=False)),
    # `pad_sequence` copies into a tensor made where the first sequence is.
    "rnn.pad_sequence": Combine(("sequences",), Mix.FREE, RankRule.PLUS_ONE, sequence=True),
    "rnn.pack_padded_sequence": replace(_PACK, host=(1, "lengths")),
    "rnn.pack_sequence": _PACK,
    "rnn.pad_packed_sequence": Unpack(),
    "rnn.PackedSequence": _PACK,
    **dict.fromkeys(words("spectral_norm weight_norm remove_weight_norm remove_spectral_norm"), Transparent()),
    **dict.fromkeys(words("parametrizations.spectral_norm parametrizations.weight_norm"), Transparent()),
    "parameters_to_vector": _UNKNOWN_RANK,
}

TORCH_FUNCTIONAL: dict[str, Row] = {
    **{
        f"torch.nn.functional.{name}": row for table in (_FOLLOWING, _COMBINING, _LOSSES) for name, row in table.items()
    },
    **{f"torch.nn.utils.{name}": row for name, row in _UTILS.items()},
    "torch.autograd.grad": Differentiate(),
    "torch.autograd.Function.apply": RunForward(),
    "torch.autograd.Variable": _FOLLOW,
}
