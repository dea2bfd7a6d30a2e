"""The classes of `torch.nn`: which hold tensors, what their calls take and return, which wrap others."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    ContainerKind,
    Loss,
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
from torchdevlint.knowledge.torch_functional import FUNCTIONAL_LOSSES
from torchdevlint.knowledge.words import words

_EMPTY = ModuleType(holds_tensors=False, returns=RankRule.SAME)
_EMPTY_UNKNOWN = ModuleType(holds_tensors=False)
_SAME = ModuleType(returns=RankRule.SAME)
_RNN = ModuleType(inputs=("input", "hx"), output="pair")
_TWO_INPUTS = ModuleType(holds_tensors=False, inputs=("x1", "x2"))
_LAYERS: dict[str, ModuleType] = {
    **dict.fromkeys(
        words("""
        CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish RReLU ReLU
        ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d LPPool3d
        AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d MaxPool1d MaxPool2d MaxPool3d
        CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d
        ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d
        AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout
        Upsample UpsamplingBilinear2d UpsamplingNearest2d
        PixelShuffle PixelUnshuffle ChannelShuffle LocalResponseNorm CrossMapLRN2d
        """),
        _EMPTY,
    ),
    **dict.fromkeys(words("Unflatten Fold Unfold FractionalMaxPool2d FractionalMaxPool3d"), _EMPTY_UNKNOWN),
    "Flatten": ModuleType(holds_tensors=False, returns=RankRule.VECTOR),
    "Identity": ModuleType(holds_tensors=False, returns=RankRule.SAME, output="input"),
    **dict.fromkeys(words("CosineSimilarity PairwiseDistance"), _TWO_INPUTS),
    **dict.fromkeys(
        words("MaxUnpool1d MaxUnpool2d MaxUnpool3d"),
        ModuleType(holds_tensors=False, inputs=("input", "indices"), returns=RankRule.SAME),
    ),
    **dict.fromkeys(
        words("""
        Linear LazyLinear
        Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d
        LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d
        """),
        _SAME,
    ),
    **dict.fromkeys(
        words("""
        BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm
        """),
        ModuleType(
            returns=RankRule.SAME, switches=(Switch("affine", 3), Switch("track_running_stats", 4, buffers=True))
        ),
    ),
    **dict.fromkeys(
        words("LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d"),
        ModuleType(
            returns=RankRule.SAME, switches=(Switch("affine", 2), Switch("track_running_stats", 3, buffers=True))
        ),
    ),
    "GroupNorm": ModuleType(returns=RankRule.SAME, switches=(Switch("affine", 3),)),
    "LayerNorm": ModuleType(returns=RankRule.SAME, switches=(Switch("elementwise_affine", 2),)),
    "RMSNorm": ModuleType(returns=RankRule.SAME, switches=(Switch("elementwise_affine", 2),)),
    **dict.fromkeys(
        words("InstanceNorm1d InstanceNorm2d InstanceNorm3d"),
        ModuleType(
            holds_tensors=False,
            returns=RankRule.SAME,
            switches=(Switch("affine", 3, on=False), Switch("track_running_stats", 4, on=False, buffers=True)),
        ),
    ),
    "PReLU": _SAME,
    "Embedding": ModuleType(returns=RankRule.PLUS_ONE),
    "EmbeddingBag": ModuleType(inputs=("input", "offsets", "per_sample_weights"), returns=RankRule.VECTOR),
    "Bilinear": ModuleType(inputs=("input1", "input2")),
    **dict.fromkeys(words("RNN LSTM GRU RNNBase"), _RNN),
    **dict.fromkeys(words("RNNCell GRUCell"), ModuleType(inputs=("input", "hx"), returns=RankRule.SAME)),
    "LSTMCell": _RNN,
    "MultiheadAttention": ModuleType(
        inputs=("query", "key", "value", "key_padding_mask", "", "attn_mask"), returns=RankRule.SAME, output="pair"
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
    "TransformerEncoderLayer": ModuleType(inputs=("src", "src_mask", "src_key_padding_mask"), returns=RankRule.SAME),
    "TransformerDecoder": ModuleType(
        inputs=("tgt", "memory", "", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"),
        returns=RankRule.SAME,
    ),
    "TransformerDecoderLayer": ModuleType(
        inputs=("tgt", "memory", "tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"),
        returns=RankRule.SAME,
    ),
    "LinearCrossEntropyLoss": ModuleType(inputs=("input", "target"), metric=True),
    "AdaptiveLogSoftmaxWithLoss": ModuleType(inputs=("input", "target"), output="opaque", metric=True),
    "Module": ModuleType(abstract=True, output="opaque", inputs=()),
    "Container": ModuleType(abstract=True, output="opaque", inputs=()),
    "Sequential": ModuleType(container=ContainerKind.SEQUENTIAL),
    "ModuleList": ModuleType(container=ContainerKind.LIST),
    "ParameterList": ModuleType(container=ContainerKind.LIST),
    "ModuleDict": ModuleType(container=ContainerKind.DICT),
    "ParameterDict": ModuleType(container=ContainerKind.DICT),
}


def _loss(functional: str, *constructor: str) -> ModuleType:
    """Return the row of the loss class whose forward is that function."""
    loss = FUNCTIONAL_LOSSES[functional]
    operands = tuple(name for name in loss.operands if name and name not in loss.weights)
    return ModuleType(
        holds_tensors=False,
        inputs=operands,
        returns=RankRule.REDUCTION,
        loss=Loss(
            operands=operands,
            targets=loss.targets,
            strict=loss.strict,
            expands=loss.expands,
            weights=loss.weights if constructor else (),
            strict_weights=loss.strict_weights if constructor else (),
            optional_host=loss.optional_host,
            constructor=constructor,
        ),
    )


# A weight given to the constructor becomes a buffer of the loss.
_LOSSES: dict[str, ModuleType] = {
    "L1Loss": _loss("l1_loss"),
    "MSELoss": _loss("mse_loss"),
    "SmoothL1Loss": _loss("smooth_l1_loss"),
    "HuberLoss": _loss("huber_loss"),
    "KLDivLoss": _loss("kl_div"),
    "SoftMarginLoss": _loss("soft_margin_loss"),
    "HingeEmbeddingLoss": _loss("hinge_embedding_loss"),
    "PoissonNLLLoss": _loss("poisson_nll_loss"),
    "GaussianNLLLoss": _loss("gaussian_nll_loss"),
    "MarginRankingLoss": _loss("margin_ranking_loss"),
    "CosineEmbeddingLoss": _loss("cosine_embedding_loss"),
    "TripletMarginLoss": _loss("triplet_margin_loss"),
    "TripletMarginWithDistanceLoss": _loss("triplet_margin_with_distance_loss"),
    "MultiLabelMarginLoss": _loss("multilabel_margin_loss"),
    "CTCLoss": _loss("ctc_loss"),
    "CrossEntropyLoss": _loss("cross_entropy", "weight"),
    "NLLLoss": _loss("nll_loss", "weight"),
    "NLLLoss2d": _loss("nll_loss", "weight"),
    "BCELoss": _loss("binary_cross_entropy", "weight"),
    "BCEWithLogitsLoss": _loss("binary_cross_entropy_with_logits", "weight", "", "", "", "pos_weight"),
    "MultiLabelSoftMarginLoss": _loss("multilabel_soft_margin_loss", "weight"),
    "MultiMarginLoss": _loss("multi_margin_loss", "", "", "weight"),
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
_FSDP = ModuleType(inputs=(), output="opaque", scatters=True, forwards_attributes=True)

_INIT = words("""
calculate_gain constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_ trunc_normal_
uniform_ xavier_normal_ xavier_uniform_ zeros_ constant kaiming_normal kaiming_uniform normal orthogonal uniform
xavier_normal xavier_uniform
""")

TORCH_NN: dict[str, Row] = {
    **{f"torch.nn.{name}": row for table in (_LAYERS, _LOSSES) for name, row in table.items()},
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
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm": Transparent(synchronises=True),
    **dict.fromkeys(("torch.compile", "torch.jit.script", "torch.jit.trace", "torch.jit.freeze"), Transparent()),
    "torch.jit.ScriptModule": ModuleType(abstract=True, output="opaque", inputs=()),
}
