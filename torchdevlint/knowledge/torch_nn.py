"""The classes of `torch.nn`: which hold tensors, what their calls take and return, which wrap others."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    ContainerKind,
    Make,
    ModuleType,
    ParameterType,
    Plain,
    Prepare,
    RankRule,
    Replicas,
    Row,
    Switch,
    Transparent,
)
from torchdevlint.knowledge.words import words

_EMPTY = ModuleType(holds_tensors=False, returns=RankRule.SAME)
_LAYERS: dict[str, ModuleType] = {
    # PyTorch has no samples of these.
    **dict.fromkeys(
        words("""
        AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout Hardsigmoid RReLU
        Upsample UpsamplingBilinear2d UpsamplingNearest2d PixelShuffle PixelUnshuffle ChannelShuffle CrossMapLRN2d
        """),
        _EMPTY,
    ),
    **dict.fromkeys(words("Unflatten Fold Unfold"), ModuleType(holds_tensors=False)),
    "Flatten": ModuleType(holds_tensors=False, returns=RankRule.VECTOR),
    "Identity": ModuleType(holds_tensors=False, returns=RankRule.SAME, output="input"),
    **dict.fromkeys(words("CosineSimilarity PairwiseDistance"), ModuleType(holds_tensors=False, inputs=("x1", "x2"))),
    **dict.fromkeys(
        words("MaxUnpool1d MaxUnpool2d MaxUnpool3d"),
        ModuleType(holds_tensors=False, inputs=("input", "indices"), returns=RankRule.SAME),
    ),
    "LazyLinear": ModuleType(returns=RankRule.SAME),
    "SyncBatchNorm": ModuleType(
        returns=RankRule.SAME, switches=(Switch("affine", 3), Switch("track_running_stats", 4, buffers=True))
    ),
    **dict.fromkeys(
        words("LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d"),
        ModuleType(
            returns=RankRule.SAME, switches=(Switch("affine", 2), Switch("track_running_stats", 3, buffers=True))
        ),
    ),
    "EmbeddingBag": ModuleType(inputs=("input", "offsets", "per_sample_weights"), returns=RankRule.VECTOR),
    "RNNBase": ModuleType(inputs=("input", "hx"), returns=RankRule.SAME, output="pair"),
    # They return a pair where `return_indices` asks for it.
    **dict.fromkeys(words("MaxPool1d MaxPool2d MaxPool3d"), _EMPTY),
    **dict.fromkeys(words("FractionalMaxPool2d FractionalMaxPool3d"), ModuleType(holds_tensors=False)),
    # PyTorch's samples have not all of its masks.
    "MultiheadAttention": ModuleType(
        inputs=("query", "key", "value", "key_padding_mask", "", "attn_mask"),
        returns=RankRule.SAME,
        output="pair",
        moot=(("attn_mask", "is_causal"),),
    ),
    # A stack drops a mask that it finds to be causal, so that it may stay on the host (`_detect_is_causal_mask` in
    # torch/nn/modules/transformer.py, then `multi_head_attention_forward`); a single layer does not look.
    "Transformer": ModuleType(
        inputs=(
            *("src", "tgt", "", "", "memory_mask"),
            *("src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask"),
        ),
        returns=RankRule.SAME,
    ),
    "TransformerEncoder": ModuleType(inputs=("src", "", "src_key_padding_mask"), returns=RankRule.SAME),
    "TransformerEncoderLayer": ModuleType(
        inputs=("src", "src_mask", "src_key_padding_mask"), returns=RankRule.SAME, moot=(("src_mask", "is_causal"),)
    ),
    "TransformerDecoder": ModuleType(
        inputs=("tgt", "memory", "", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"),
        returns=RankRule.SAME,
    ),
    "TransformerDecoderLayer": ModuleType(
        inputs=("tgt", "memory", "tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"),
        returns=RankRule.SAME,
        moot=(("tgt_mask", "tgt_is_causal"), ("memory_mask", "memory_is_causal")),
    ),
    "LinearCrossEntropyLoss": ModuleType(inputs=("input", "target"), metric=True),
    "AdaptiveLogSoftmaxWithLoss": ModuleType(inputs=("input", "target"), output="opaque", metric=True),
    "Module": ModuleType(abstract=True, output="opaque", inputs=()),
    "Container": ModuleType(abstract=True, output="opaque", inputs=()),
    "Sequential": ModuleType(container=ContainerKind.SEQUENTIAL),
    "ModuleList": ModuleType(
        container=ContainerKind.LIST, lacks=frozenset(words("clear copy count index remove reverse sort"))
    ),
    "ParameterList": ModuleType(container=ContainerKind.LIST),
    "ModuleDict": ModuleType(
        container=ContainerKind.DICT, lacks=frozenset(words("copy fromkeys get popitem setdefault"))
    ),
    "ParameterDict": ModuleType(container=ContainerKind.DICT),
}

# What every module has beside the methods that rows tell of, and what the wrappers have beside that.
_OWN = frozenset(
    words("""
    T_destination call_super_init dump_patches forward get_buffer get_extra_state get_parameter get_submodule
    register_backward_hook register_forward_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_state_dict_post_hook
    register_state_dict_pre_hook set_extra_state set_submodule training module device_ids output_device dim scatter
    gather
    """)
)
_DATA_PARALLEL = ModuleType(
    inputs=(),
    output="opaque",
    scatters=True,
    replicas=Replicas.CALLED,
    prefix="module.",
    own=_OWN | frozenset(words("replicate parallel_apply src_device_obj")),
)
_DISTRIBUTED = ModuleType(
    inputs=(),
    output="opaque",
    scatters=True,
    has_device=True,
    replicas=Replicas.MADE,
    prefix="module.",
    own=_OWN
    | frozenset(
        words("""
        batched_grad_copy broadcast_bucket_size broadcast_buffers bucket_bytes_cap bucket_bytes_cap_default
        bucket_bytes_cap_list buffer_hook check_reduction delay_allreduce device_mesh device_type find_unused_parameters
        forward_sync_buffers gradient_as_bucket_view is_multi_device_module join join_device join_hook
        join_process_group logger mixed_precision modules_buffers modules_params named_module_buffers no_sync
        parallel_apply parameters_to_ignore process_group reducer register_comm_hook require_backward_grad_sync
        require_forward_param_sync skip_all_reduce_unused_params static_graph to_kwargs
        use_side_stream_for_tensor_copies will_sync_module_buffers
        """)
    ),
)
# torch/distributed/fsdp/_init_utils.py: `_move_module_to_device`, `_get_compute_device`
_FSDP = ModuleType(inputs=(), output="opaque", scatters=True, forwards_attributes=True, replicas=Replicas.MOVED)

_INIT = words("""
calculate_gain constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_ trunc_normal_
uniform_ xavier_normal_ xavier_uniform_ zeros_ constant kaiming_normal kaiming_uniform normal orthogonal uniform
xavier_normal xavier_uniform
""")

TORCH_NN: dict[str, Row] = {
    **{f"torch.nn.{name}": row for name, row in _LAYERS.items()},
    "torch.nn.DataParallel": _DATA_PARALLEL,
    "torch.nn.parallel.DistributedDataParallel": _DISTRIBUTED,
    "torch.distributed.fsdp.FullyShardedDataParallel": _FSDP,
    # torch/distributed/fsdp/_fully_shard: `_init_default_mesh` takes the accelerator, `_root_pre_forward` moves inputs
    "torch.distributed.fsdp.fully_shard": Prepare(scatters=True, chosen_by=("mesh", "offload_policy")),
    "torch.nn.Parameter": ParameterType(),
    "torch.nn.UninitializedParameter": ParameterType(),
    "torch.nn.Buffer": ParameterType(buffer=True),
    "torch.nn.UninitializedBuffer": ParameterType(buffer=True),
    **{f"torch.nn.init.{name}": Plain() for name in _INIT},
    "torch.nn.Transformer.generate_square_subsequent_mask": Make(RankRule.VECTOR, device=1),
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm": Transparent(synchronises=True),
    **dict.fromkeys(("torch.compile", "torch.jit.script", "torch.jit.trace", "torch.jit.freeze"), Transparent()),
    "torch.jit.ScriptModule": ModuleType(abstract=True, output="opaque", inputs=()),
}
