"""Transfer functions: what each kind of row does to abstract values, one function a kind."""

from __future__ import annotations

from torchdevlint.transfers import refusals
from torchdevlint.transfers.additions import late, put_in
from torchdevlint.transfers.checkpoints import handed_back, handed_on, keep_in
from torchdevlint.transfers.contexts import Contexts, entered, is_grad_mode
from torchdevlint.transfers.datasets import forget as forget_transforms
from torchdevlint.transfers.datasets import has_samples, is_as_built, sample
from torchdevlint.transfers.datasets import tensors as dataset_tensors
from torchdevlint.transfers.devices import (
    asked_slots,
    attributes_in,
    choose_device,
    formatted_device,
    legacy_type,
    named,
    parse,
    tested_slots,
)
from torchdevlint.transfers.dispatch import apply, apply_for_object, call_object
from torchdevlint.transfers.distributions import drawn
from torchdevlint.transfers.environment import halved, set_variable
from torchdevlint.transfers.evaluation import evaluated
from torchdevlint.transfers.frameworks import device_symbol, moving_batches
from torchdevlint.transfers.groups import called_alone, told_by
from torchdevlint.transfers.hooks import after_hooks, hooked
from torchdevlint.transfers.layers import call_typed_module, input_operands, meet_added
from torchdevlint.transfers.leaves import demanded
from torchdevlint.transfers.losses import handed_out, perhaps_loss
from torchdevlint.transfers.modules import (
    as_parameter,
    constructed,
    fill_container,
    freeze,
    hold,
    holds_tensors,
    of_module,
    register,
)
from torchdevlint.transfers.moves import move_object, move_opaque
from torchdevlint.transfers.operands import operand, parameters
from torchdevlint.transfers.operations import IN_PLACE, follow, meet_assigned, operate
from torchdevlint.transfers.optimizers import ask_group, of_optimizer, of_unseen_optimizer
from torchdevlint.transfers.placing import built_in, contained, copied, lent, move_module, parts, placed, taken
from torchdevlint.transfers.ranks import indexed
from torchdevlint.transfers.reads import told
from torchdevlint.transfers.states import changed, picked, state_tensor
from torchdevlint.transfers.visits import rebound

__all__ = [
    "IN_PLACE",
    "Contexts",
    "after_hooks",
    "apply",
    "apply_for_object",
    "as_parameter",
    "ask_group",
    "asked_slots",
    "attributes_in",
    "built_in",
    "call_object",
    "call_typed_module",
    "called_alone",
    "changed",
    "choose_device",
    "constructed",
    "contained",
    "copied",
    "dataset_tensors",
    "demanded",
    "device_symbol",
    "drawn",
    "entered",
    "evaluated",
    "fill_container",
    "follow",
    "forget_transforms",
    "formatted_device",
    "freeze",
    "halved",
    "handed_back",
    "handed_on",
    "handed_out",
    "has_samples",
    "hold",
    "holds_tensors",
    "hooked",
    "indexed",
    "input_operands",
    "is_as_built",
    "is_grad_mode",
    "keep_in",
    "late",
    "legacy_type",
    "lent",
    "meet_added",
    "meet_assigned",
    "move_module",
    "move_object",
    "move_opaque",
    "moving_batches",
    "named",
    "of_module",
    "of_optimizer",
    "of_unseen_optimizer",
    "operand",
    "operate",
    "parameters",
    "parse",
    "parts",
    "perhaps_loss",
    "picked",
    "placed",
    "put_in",
    "rebound",
    "refusals",
    "register",
    "sample",
    "set_variable",
    "state_tensor",
    "taken",
    "tested_slots",
    "told",
    "told_by",
]
