"""Accelerate: `prepare` moves modules, and loaders that it prepared move their batches."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Backward,
    Follow,
    FrameworkDevice,
    MoveHelper,
    ObjectType,
    Plain,
    Prepare,
    Row,
    SaveFile,
    Transparent,
)
from torchdevlint.knowledge.words import words

_PLAIN = Plain()

_ACCELERATOR = ObjectType(
    "Accelerator",
    methods={
        **dict.fromkeys(
            words("prepare prepare_model prepare_data_loader prepare_optimizer prepare_scheduler"), Prepare()
        ),
        **dict.fromkeys(words("gather gather_for_metrics reduce pad_across_processes"), Follow()),
        "unwrap_model": Transparent(),
        "save": SaveFile(),
        "backward": Backward(),
        **dict.fromkeys(
            words("""accumulate autocast no_sync print log init_trackers end_training wait_for_everyone
            clip_grad_norm_ clip_grad_value_ save_state load_state free_memory main_process_first
            local_main_process_first get_tracker register_for_checkpointing"""),
            _PLAIN,
        ),
    },
    attributes={
        "device": FrameworkDevice(),
        **dict.fromkeys(
            words("""is_main_process is_local_main_process is_last_process num_processes process_index
            local_process_index
            sync_gradients mixed_precision distributed_type gradient_accumulation_steps trackers"""),
            _PLAIN,
        ),
    },
    placed_by=("cpu", "device_placement"),
)

ACCELERATE: dict[str, Row] = {
    "accelerate.Accelerator": _ACCELERATOR,
    "accelerate.accelerator.Accelerator": _ACCELERATOR,
    "accelerate.utils.set_seed": _PLAIN,
    "accelerate.utils.send_to_device": MoveHelper(),
    "accelerate.utils.operations.send_to_device": MoveHelper(),
    "ignite.utils.convert_tensor": MoveHelper(),
}
