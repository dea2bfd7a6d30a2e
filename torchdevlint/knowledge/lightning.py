"""PyTorch Lightning and Fabric: the framework moves modules and batches."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Arrives,
    Backward,
    Follow,
    FrameworkDevice,
    LoadFile,
    ModuleType,
    MoveHelper,
    ObjectType,
    Placing,
    Plain,
    Prepare,
    Row,
    TreeMap,
)
from torchdevlint.knowledge.words import words

_PLAIN = Plain()

_STAGES = words("train validation test predict")

# What the trainer hands to hooks (lightning/pytorch/core/hooks.py, module.py): batches that it has moved. The outputs
# of steps are what the script made of them, and may be anywhere.
FRAMEWORK_METHODS = (
    *((f"{stage}_step", (Arrives.PLACED,)) for stage in words("training validation test predict")),
    *((f"on_{stage}_batch_start", (Arrives.PLACED,)) for stage in _STAGES),
    *((f"on_{stage}_batch_end", (Arrives.ANYTHING, Arrives.PLACED)) for stage in _STAGES),
    ("on_after_batch_transfer", (Arrives.PLACED,)),
)

# Methods that the trainer calls before it has moved the module, or when it may have moved it back
# (lightning/pytorch/trainer/trainer.py, `_run`).
EARLY_METHODS = tuple(words("prepare_data setup configure_model teardown"))

_MODULE = ModuleType(
    abstract=True,
    inputs=(),
    output="opaque",
    placing=Placing.FRAMEWORK,
    framework_methods=FRAMEWORK_METHODS,
    early_methods=EARLY_METHODS,
    has_device=True,
)

_WANTED = (("accelerator", "gpu"), ("accelerator", "cuda"))

_TRAINER = ObjectType(
    "Trainer",
    methods={
        "fit": Plain(trains=True),
        **dict.fromkeys(words("validate test predict tune save_checkpoint"), _PLAIN),
    },
    placing=Placing.UNSEEN,
    unplaced=(("accelerator", "cpu"), ("gpus", 0), ("gpus", None)),
    native=_WANTED,
)

# What a callback is handed while the trainer runs (lightning/pytorch/callbacks/callback.py): by then the module has
# been placed, and so has the batch.
_TRAINER_AND_MODULE = (Arrives.ANYTHING, Arrives.MODULE)
_CALLBACK = ObjectType(
    "Callback",
    overrides={
        **{
            f"on_{stage}_{moment}": _TRAINER_AND_MODULE
            for stage in _STAGES
            for moment in words("start end epoch_start epoch_end")
        },
        **{f"on_{stage}_batch_start": (*_TRAINER_AND_MODULE, Arrives.PLACED) for stage in _STAGES},
        **{f"on_{stage}_batch_end": (*_TRAINER_AND_MODULE, Arrives.ANYTHING, Arrives.PLACED) for stage in _STAGES},
    },
)

_FABRIC = ObjectType(
    "Fabric",
    methods={
        **dict.fromkeys(
            words("setup setup_module setup_optimizers setup_dataloaders"), Prepare(chosen_by=("move_to_device",))
        ),
        "to_device": Prepare(tensors=True),
        **dict.fromkeys(words("all_gather all_reduce broadcast"), Follow()),
        "backward": Backward(),
        **dict.fromkeys(
            words("""launch clip_gradients print barrier seed_everything log log_dict save load load_raw
            no_backward_sync autocast call"""),
            _PLAIN,
        ),
    },
    attributes={
        "device": FrameworkDevice(),
        **dict.fromkeys(words("global_rank local_rank node_rank world_size is_global_zero logger loggers"), _PLAIN),
    },
    unplaced=(("accelerator", "cpu"),),
    native=_WANTED,
)

_MOVE = MoveHelper()

_PYTORCH: dict[str, Row] = {
    "LightningModule": _MODULE,
    "Trainer": _TRAINER,
    **dict.fromkeys(words("Callback callbacks.Callback callbacks.callback.Callback"), _CALLBACK),
    "seed_everything": _PLAIN,
    # lightning/pytorch/core/saving.py, `_default_map_location`
    "LightningModule.load_from_checkpoint": LoadFile(module=True, falls_back=True),
    "cli.LightningCLI": ObjectType("LightningCLI", unplaced=()),
}

LIGHTNING: dict[str, Row] = {
    **{f"{package}.{name}": row for package in ("lightning", "lightning.pytorch") for name, row in _PYTORCH.items()},
    **dict.fromkeys(("lightning.Fabric", "lightning.fabric.Fabric"), _FABRIC),
    **dict.fromkeys(
        (
            "lightning.fabric.utilities.move_data_to_device",
            "lightning.fabric.utilities.apply_func.move_data_to_device",
            "lightning.pytorch.utilities.move_data_to_device",
            "lightning.pytorch.utilities.apply_func.move_data_to_device",
        ),
        _MOVE,
    ),
    **dict.fromkeys(
        ("lightning_utilities.apply_to_collection", "lightning_utilities.core.apply_func.apply_to_collection"),
        TreeMap(function=2, tree=0),
    ),
}
