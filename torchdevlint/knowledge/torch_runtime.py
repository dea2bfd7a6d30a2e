"""What runs a training: optimizers, schedulers, data, checkpoints, device switches, autocast, processes."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Autocast,
    Backward,
    Begin,
    Collate,
    Collective,
    Conversion,
    Count,
    CurrentDevice,
    DatasetType,
    Debugging,
    DefaultDevice,
    DeviceContext,
    DeviceType,
    Draw,
    EnvironmentRow,
    Follow,
    GeneratorType,
    GradMode,
    LoaderType,
    LoadFile,
    Make,
    NoGrad,
    ObjectType,
    OfProcess,
    OptimizerType,
    Plain,
    Precision,
    Query,
    Quiet,
    RankRule,
    Register,
    RegisterKind,
    Row,
    SaveFile,
    SetDevice,
    StartMethod,
    StartProcesses,
    TreeMap,
    WorkerInfo,
)
from torchdevlint.knowledge.words import words
from torchdevlint.records import replace

_PLAIN = Plain()
_LAZY = OptimizerType()

# Those of PyTorch are derived from it, but for the base class, and for one whose gradients are sparse.
_OPTIMIZERS: dict[str, Row] = {
    **dict.fromkeys(("torch.optim.Optimizer", "torch.optim.SparseAdam"), _LAZY),
    **dict.fromkeys(
        words("""
        transformers.AdamW transformers.Adafactor transformers.optimization.AdamW transformers.optimization.Adafactor
        bitsandbytes.optim.Adam8bit bitsandbytes.optim.AdamW8bit bitsandbytes.optim.PagedAdamW8bit
        lion_pytorch.Lion torch_optimizer.RAdam torch_optimizer.AdaBound torch_optimizer.Lamb
        """),
        _LAZY,
    ),
}

_SCHEDULER = ObjectType(
    "LRScheduler",
    methods=dict.fromkeys(words("step state_dict load_state_dict get_last_lr get_lr print_lr"), _PLAIN),
    attributes=dict.fromkeys(words("last_epoch base_lrs"), _PLAIN),
)

_SCHEDULERS: dict[str, Row] = {
    f"torch.optim.lr_scheduler.{name}": _SCHEDULER
    for name in words("""
    ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR LRScheduler
    LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR StepLR
    """)
}

_DATA: dict[str, Row] = {
    "DataLoader": LoaderType(collated=6, shuffle="shuffle", samplers=("sampler", "batch_sampler")),
    "random_split": Draw(),
    **dict.fromkeys(("default_collate", "dataloader.default_collate"), Collate()),
    "Dataset": DatasetType(),
    "IterableDataset": DatasetType(),
    "TensorDataset": DatasetType(tensors=True, whole=True),
    "Subset": DatasetType(part="dataset"),
    "ConcatDataset": DatasetType(),
    "ChainDataset": DatasetType(),
    **dict.fromkeys(
        words("""Sampler SequentialSampler RandomSampler SubsetRandomSampler WeightedRandomSampler BatchSampler
        DistributedSampler"""),
        _PLAIN,
    ),
    "distributed.DistributedSampler": _PLAIN,
    "get_worker_info": WorkerInfo(),
}

_FILES: dict[str, Row] = {
    "torch.load": LoadFile(),
    "torch.jit.load": LoadFile(module=True),
    **dict.fromkeys(
        ("torch.hub.load_state_dict_from_url", "torch.utils.model_zoo.load_url"),
        LoadFile(position=2, published="https://download.pytorch.org/"),
    ),
    "torch.save": SaveFile(),
    "torch.jit.save": SaveFile(),
}

_TYPES = words("FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor")
_TYPES += ["ByteTensor", "BoolTensor"]

# Calls that place nothing and leave their arguments where they are.
_CUDA_PLAIN = words("""
empty_cache manual_seed manual_seed_all seed seed_all initial_seed is_initialized ipc_collect get_arch_list
get_rng_state get_rng_state_all set_rng_state set_rng_state_all is_bf16_supported
""")

# Those of them that measure or steer what an accelerator does: there is no point in them on the host.
_CUDA_NATIVE = words("""
memory_allocated max_memory_allocated
memory_reserved max_memory_reserved memory_cached max_memory_cached memory_stats memory_summary memory_snapshot
reset_peak_memory_stats reset_max_memory_allocated reset_max_memory_cached set_stream utilization
set_per_process_memory_fraction Event Stream stream nvtx.range nvtx.mark nvtx.range_push nvtx.range_pop
set_sync_debug_mode list_gpu_processes CUDAGraph graph make_graphed_callables cudart
profiler.start profiler.stop profiler.profile
""")

_GENERATOR = ObjectType(
    "Generator",
    methods={
        "manual_seed": Quiet(),
        **dict.fromkeys(words("seed initial_seed get_state set_state"), _PLAIN),
    },
)
# Calls that do so too, and initialise CUDA.
_CUDA_BEGIN = words("""
init synchronize get_device_name get_device_properties get_device_capability mem_get_info current_stream default_stream
can_device_access_peer
""")

_DEVICES: dict[str, Row] = {
    "torch.device": DeviceType(),
    "torch.cuda.is_available": Query("cuda", begins=True),
    "torch.cuda.device_count": Count("cuda"),
    "torch.cuda.current_device": CurrentDevice("cuda", begins=True),
    "torch.cuda.set_device": SetDevice("cuda", begins=True),
    "torch.cuda.device": DeviceContext(),
    "torch.cuda.device_of": DeviceContext(),
    **{f"torch.cuda.{name}": _PLAIN for name in _CUDA_PLAIN},
    **{f"torch.cuda.{name}": Plain(native=True) for name in _CUDA_NATIVE},
    # https://docs.pytorch.org/docs/2.13/generated/torch.autograd.profiler.emit_nvtx.html
    "torch.autograd.profiler.emit_nvtx": Plain(native=True),
    **{f"torch.cuda.{name}": Begin() for name in _CUDA_BEGIN},
    **{f"torch.cuda.{name}": Make(rank=RankRule.VECTOR, legacy="cuda") for name in _TYPES},
    **{f"torch.{name}": Make(rank=RankRule.VECTOR, legacy="cpu") for name in _TYPES},
    "torch.backends.mps.is_available": Query("mps"),
    "torch.backends.mps.is_built": _PLAIN,
    "torch.backends.cuda.is_built": _PLAIN,
    "torch.backends.cudnn.is_available": Query("cuda"),
    "torch.mps.is_available": Query("mps"),
    "torch.mps.device_count": Count("mps"),
    "torch.xpu.is_available": Query("xpu"),
    "torch.xpu.device_count": Count("xpu"),
    "torch.xpu.current_device": CurrentDevice("xpu"),
    "torch.xpu.set_device": SetDevice("xpu"),
    "torch.npu.is_available": Query("npu"),
    "torch.npu.device_count": Count("npu"),
    "torch.npu.current_device": CurrentDevice("npu"),
    "torch.npu.set_device": SetDevice("npu"),
    "torch.mtia.is_available": Query("mtia"),
    "torch.mtia.device_count": Count("mtia"),
    **{
        f"torch.{backend}.{name}": _PLAIN
        for backend in ("mps", "xpu", "npu", "accelerator")
        for name in ("empty_cache", "synchronize")
    },
    **{f"torch.{backend}.{name}": _PLAIN for backend in ("mps", "xpu", "npu") for name in ("manual_seed", "seed")},
    "torch.accelerator.is_available": Query("accelerator"),
    "torch.accelerator.device_count": Count("accelerator"),
    "torch.accelerator.current_accelerator": CurrentDevice(),
    "torch.accelerator.current_device_index": CurrentDevice(),
    "torch.accelerator.current_device_idx": CurrentDevice(),
    "torch.accelerator.set_device_index": SetDevice("accelerator"),
    "torch.accelerator.set_device_idx": SetDevice("accelerator"),
    "torch.accelerator.device_index": DeviceContext(),
    "torch.get_default_device": CurrentDevice(),
    "torch.set_default_device": DefaultDevice(),
    "torch.set_default_tensor_type": DefaultDevice(legacy=True),
    "torch.Generator": GeneratorType(_GENERATOR),
    "torch.manual_seed": GeneratorType(_GENERATOR, placed=False),
    "torch.random.manual_seed": GeneratorType(_GENERATOR, placed=False),
}

_SCALER = ObjectType(
    "GradScaler",
    methods={
        "scale": Follow(),
        **dict.fromkeys(
            words("""step update unscale_ state_dict load_state_dict get_scale is_enabled get_growth_factor
            get_backoff_factor get_growth_interval"""),
            _PLAIN,
        ),
    },
)

# https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
_ANOMALY = "each gradient is searched for NaN"

# https://docs.pytorch.org/docs/2.13/amp.html; the old names warn since 2.4
_AUTOCAST = Precision("torch.amp.autocast", keyword="device_type", enabled=2)
_SCALING = Precision("torch.amp.GradScaler", keyword="device", default="cuda", enabled=5)

_MODES: dict[str, Row] = {
    **dict.fromkeys(("torch.no_grad", "torch.inference_mode"), NoGrad()),
    "torch.enable_grad": _PLAIN,
    "torch.set_grad_enabled": GradMode(),
    "torch.autograd.set_grad_enabled": GradMode(),
    "torch.autograd.backward": Backward(),
    **dict.fromkeys(("torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline"), EnvironmentRow()),
    "torch.nn.modules.module.register_module_forward_pre_hook": Register(RegisterKind.HOOK),
    "torch.nn.modules.module.register_module_forward_hook": Register(RegisterKind.OUTPUT_HOOK),
    "torch.__future__.set_overwrite_module_params_on_conversion": Conversion(),
    **dict.fromkeys(("torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast"), Autocast(_AUTOCAST)),
    "torch.cuda.amp.autocast": Autocast(replace(_AUTOCAST, old=True), "cuda", 0),
    "torch.cpu.amp.autocast": Autocast(replace(_AUTOCAST, old=True), "cpu", 0),
    "torch.amp.GradScaler": replace(_SCALER, precision=_SCALING),
    "torch.cuda.amp.GradScaler": replace(_SCALER, precision=replace(_SCALING, old=True)),
    "torch.autograd.detect_anomaly": Debugging(_ANOMALY),
    "torch.autograd.set_detect_anomaly": Debugging(_ANOMALY, "mode"),
    "torch.random.fork_rng": _PLAIN,
    "torch.profiler.profile": ObjectType("profile", methods={"step": _PLAIN, "export_chrome_trace": _PLAIN}),
    "torch.profiler.record_function": _PLAIN,
}

# https://docs.pytorch.org/docs/2.13/distributed.html#collective-functions
_COLLECTIVES: dict[str, Row] = {
    "all_reduce": Collective(("tensor",), 2),
    "broadcast": Collective(("tensor",), 2),
    "reduce": Collective(("tensor",), 3),
    "all_gather": Collective(("tensor_list", "tensor"), 2),
    "all_gather_into_tensor": Collective(("output_tensor", "input_tensor"), 2),
    "gather": Collective(("tensor", "gather_list"), 3),
    "scatter": Collective(("tensor", "scatter_list"), 3),
    "reduce_scatter": Collective(("output", "input_list"), 3),
    "reduce_scatter_tensor": Collective(("output", "input"), 3),
    "all_to_all": Collective(("output_tensor_list", "input_tensor_list"), 2),
    "all_to_all_single": Collective(("output", "input"), 4),
    **dict.fromkeys(("send", "recv", "isend", "irecv"), Collective(("tensor",), 2)),
}

_PROCESSES: dict[str, Row] = {
    "torch.distributed.init_process_group": EnvironmentRow(argument="nccl", processes="world_size", rank="rank"),
    "torch.distributed.get_rank": OfProcess(),
    "torch.distributed.get_node_local_rank": OfProcess(on_machine=True),
    **{f"torch.distributed.{name}": row for name, row in _COLLECTIVES.items()},
    **{
        f"torch.distributed.{name}": _PLAIN
        for name in words("""
        get_world_size is_available is_initialized is_nccl_available is_torchelastic_launched
        barrier destroy_process_group new_group get_backend all_gather_object
        broadcast_object_list gather_object scatter_object_list
        """)
    },
}

_UTILITIES: dict[str, Row] = {
    **dict.fromkeys(
        words("""torch.multiprocessing.spawn torch.multiprocessing.start_processes torch.multiprocessing.Process
        multiprocessing.Process"""),
        StartProcesses(),
    ),
    **{f"{module}.set_start_method": StartMethod() for module in ("torch.multiprocessing", "multiprocessing")},
    "torch.utils._pytree.tree_map": TreeMap(),
    "torch.utils.tensorboard.SummaryWriter": ObjectType(
        "SummaryWriter",
        methods=dict.fromkeys(
            words("""add_scalar add_scalars add_image add_images add_histogram add_text add_graph add_hparams add_figure
            add_embedding add_video add_pr_curve flush close"""),
            _PLAIN,
        ),
    ),
}

TORCH_RUNTIME: dict[str, Row] = {
    **_OPTIMIZERS,
    **_SCHEDULERS,
    **{f"torch.utils.data.{name}": row for name, row in _DATA.items()},
    **_FILES,
    **_DEVICES,
    **_MODES,
    **_PROCESSES,
    **_UTILITIES,
}

IMPLIES_ACCELERATOR = frozenset(
    words("""
    triton cupy apex tensorrt torch_tensorrt pycuda flash_attn flash_attn_2_cuda xformers deepspeed bitsandbytes
    numba.cuda transformer_engine spconv MinkowskiEngine torchsparse nvdiffrast tinycudann mamba_ssm causal_conv1d
    nvidia.dali vllm diff_gaussian_rasterization
    cudf cugraph cugraph_dgl cugraph_pyg cuml pylibcugraph rmm msamp
    """)
)

# Endings of the names of compiled CUDA extensions (`deform_conv_cuda`, `from . import _C`).
EXTENSIONS = ("_cuda", "_C", "_gpu", "_cuda_ext", "_cuda_kernel")
