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
            words("prepare prepare_model prepare_data_loader prepare_optimizer prepare_scheduler"),
            Prepare(chosen_by=("device_placement",)),
        ),
        **dict.fromkeys(words("gather gather_for_metrics reduce pad_across_processes"), Follow()),
        **dict.fromkeys(words("unwrap_model skip_first_batches"), Transparent()),
        "save": SaveFile(),
        "backward": Backward(),
        **dict.fromkeys(words("accumulate no_sync"), Plain(modules=True)),
        **dict.fromkeys(
            words("""autocast print log init_trackers end_training wait_for_everyone
            clip_grad_norm_ clip_grad_value_ save_state load_state free_memory main_process_first
            local_main_process_first get_tracker register_for_checkpointing
            get_state_dict save_model set_trigger check_trigger split_between_processes join_uneven_inputs profile
            on_main_process on_local_main_process on_last_process on_process register_save_state_pre_hook
            register_load_state_pre_hook"""),
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
    # Handlers may tell how several processes are wrapped: the wrapper then moves the inputs of the module.
    placed_by=("cpu", "device_placement", "kwargs_handlers"),
)

# Without `cpu=True` it takes the accelerator that is there (accelerate/state.py, `PartialState.__init__`).
_STATE = ObjectType(
    "PartialState",
    methods=dict.fromkeys(words("wait_for_everyone split_between_processes print destroy_process_group"), _PLAIN),
    attributes={
        "device": FrameworkDevice(),
        **dict.fromkeys(words("is_main_process process_index local_process_index num_processes"), _PLAIN),
    },
    placed_by=("cpu",),
)

ACCELERATE: dict[str, Row] = {
    "accelerate.Accelerator": _ACCELERATOR,
    "accelerate.accelerator.Accelerator": _ACCELERATOR,
    "accelerate.utils.set_seed": _PLAIN,
    "accelerate.utils.send_to_device": MoveHelper(),
    "accelerate.utils.operations.send_to_device": MoveHelper(),
    "accelerate.skip_first_batches": Transparent(),
    "accelerate.data_loader.skip_first_batches": Transparent(),
    **dict.fromkeys(("accelerate.PartialState", "accelerate.state.PartialState"), _STATE),
}
