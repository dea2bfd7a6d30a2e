"""Transfer functions: what each kind of row does to abstract values, one function a kind."""

from __future__ import annotations

from torchdevlint.transfers.checkpoints import keep
from torchdevlint.transfers.contexts import Contexts, entered
from torchdevlint.transfers.devices import choose_device, formatted_device, named, tested_slots
from torchdevlint.transfers.dispatch import apply, apply_for_object, build, call_object, copied, of_module, of_optimizer
from torchdevlint.transfers.loaders import dataset_tensors
from torchdevlint.transfers.losses import handed_out, perhaps_loss
from torchdevlint.transfers.modules import (
    as_parameter,
    call_typed_module,
    fill_container,
    freeze,
    hold,
    input_operands,
    register,
)
from torchdevlint.transfers.moves import move_module, move_object, move_opaque
from torchdevlint.transfers.optimizers import of_unseen_optimizer
from torchdevlint.transfers.tensors import IN_PLACE, follow, indexed, meet_assigned, operand, operate

__all__ = [
    "IN_PLACE",
    "Contexts",
    "apply",
    "apply_for_object",
    "as_parameter",
    "build",
    "call_object",
    "call_typed_module",
    "choose_device",
    "copied",
    "dataset_tensors",
    "entered",
    "fill_container",
    "follow",
    "formatted_device",
    "freeze",
    "handed_out",
    "hold",
    "indexed",
    "input_operands",
    "keep",
    "meet_assigned",
    "move_module",
    "move_object",
    "move_opaque",
    "named",
    "of_module",
    "of_optimizer",
    "of_unseen_optimizer",
    "operand",
    "perhaps_loss",
    "operate",
    "register",
    "tested_slots",
]
