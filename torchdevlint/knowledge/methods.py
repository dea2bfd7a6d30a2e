"""Methods of modules and optimizers, and the names that prove what an object of unknown kind is."""

from __future__ import annotations

from collections.abc import Mapping

from torchdevlint.knowledge.rows import (
    AddGroup,
    Cast,
    Exchange,
    Freeze,
    GroupsOf,
    HoldParameters,
    LoadState,
    Mode,
    Move,
    MoveKind,
    Plain,
    Quiet,
    Register,
    RegisterKind,
    Row,
    StateOf,
    Step,
    Submodules,
    Visit,
)
from torchdevlint.knowledge.torch_tensor import TO_TAKES

_QUIET = Quiet()
_PLAIN = Plain()
_CAST = Cast()

# https://docs.pytorch.org/docs/2.13/generated/torch.nn.Module.html
MODULE: Mapping[str, Row] = {
    "to": Move(MoveKind.TO, keywords=TO_TAKES),
    "cuda": Move(MoveKind.CUDA),
    "cpu": Move(MoveKind.CPU),
    "xpu": Move(MoveKind.OTHER_TYPE, "xpu"),
    "ipu": Move(MoveKind.OTHER_TYPE, "ipu"),
    "mtia": Move(MoveKind.OTHER_TYPE, "mtia"),
    "npu": Move(MoveKind.OTHER_TYPE, "npu"),
    "to_empty": Move(MoveKind.TO, empties=True),
    **dict.fromkeys(("float", "double", "bfloat16"), _CAST),
    "half": Cast(half=True),
    "type": Move(MoveKind.TYPE),
    "train": Mode(),
    "eval": Mode(training=False),
    **dict.fromkeys(("share_memory", "compile", "zero_grad"), _QUIET),
    "requires_grad_": Freeze(),
    "apply": Visit(),
    "_apply": Visit(tensors=True),
    "register_forward_pre_hook": Register(RegisterKind.HOOK),
    "register_forward_hook": Register(RegisterKind.OUTPUT_HOOK),
    "parameters": HoldParameters(),
    "named_parameters": HoldParameters(),
    "buffers": HoldParameters(),
    "named_buffers": HoldParameters(),
    "state_dict": HoldParameters(state=True),
    "load_state_dict": LoadState(assigns="assign", proofs=("strict", "assign")),
    "children": Submodules(),
    "modules": Submodules(),
    "named_children": Submodules(named=True),
    "get_submodule": Submodules(one=True),
    "named_modules": Submodules(named=True),
    "register_buffer": Register(RegisterKind.BUFFER),
    "register_parameter": Register(RegisterKind.PARAMETER),
    "add_module": Register(RegisterKind.MODULE),
    "register_module": Register(RegisterKind.MODULE),
    # https://huggingface.co/docs/transformers/main_classes/model
    "resize_token_embeddings": Exchange(),
    "extra_repr": _PLAIN,
    "no_sync": _PLAIN,
}

# What only some modules have: those of another accelerator, of Transformers, and wrappers of several processes.
NOT_OF_ALL = frozenset({"npu", "resize_token_embeddings", "no_sync"})

# https://docs.pytorch.org/docs/2.13/optim.html
OPTIMIZER: Mapping[str, Row] = {
    "step": Step(),
    "zero_grad": _PLAIN,
    "state_dict": HoldParameters(state=True),
    "load_state_dict": LoadState(),
    "add_param_group": AddGroup(),
    "state": StateOf(),
    "param_groups": GroupsOf("params"),
}

# What modules have and no tensor, array, container or optimizer has.
MODULE_ONLY = frozenset(
    {
        "parameters",
        "named_parameters",
        "buffers",
        "named_buffers",
        "train",
        "eval",
        "modules",
        "named_modules",
        "children",
        "named_children",
        "register_buffer",
        "register_forward_hook",
        "to_empty",
    }
)

CALL = "forward"
TRAINING = "training"
OVERRIDES = ("to", "cuda", "cpu", "_apply", "children", "named_children")
STATE_OVERRIDES = (
    "_register_state_dict_hook",
    "_register_load_state_dict_pre_hook",
    "register_state_dict_post_hook",
    "register_load_state_dict_pre_hook",
    "_load_from_state_dict",
    "_save_to_state_dict",
)
