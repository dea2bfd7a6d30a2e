"""The device check that CUDA makes before each operation, and the message with which it refuses.

Where an operation has a check of its own, the condition and the text stand in ATen's source and in torch 2.13's
binaries; for all others the table says whether the generated wrapper compares all devices, or TensorIterator does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchdevlint.harness.simulator.generate_rules import TABLE
from torchdevlint.harness.simulator.tags import ADOPTS, CPU, Tag, is_on_device


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor argument of an operation; ``written`` tells that the operation writes to it."""

    name: str
    tensor: torch.Tensor
    tag: Tag
    storage: Any
    written: bool = False


Check = Callable[[str, Sequence[Operand]], None]
_TABLE = json.loads(TABLE.read_text(encoding="utf-8"))
_RULES: dict[str, tuple[str, list[str]]] = _TABLE["rules"]
COPIES: frozenset[str] = frozenset(_TABLE["copies"])
"""The operations, with their overloads, that compare what they write to with a copy of what they were given."""

# these clone their first tensor and copy the second one into a part of it (ATen's `TensorShape.cpp`)
COPIES_INTO_A_COPY = frozenset(["as_strided_scatter", "diagonal_scatter", "select_scatter", "slice_scatter"])
# copies between devices, and what only asks about tensors or exchanges their storages
_FREE = frozenset(
    [
        "copy_",
        "copy",
        "_to_copy",
        "_copy_from",
        "_copy_from_and_resize",
        "set_",
        "resize_as_",
        "is_same_size",
        "is_set_to",
        "record_stream",
        "_has_same_storage_numel",
        "_has_compatible_shallow_copy_type",
        "_foreach_copy_",
        "dequantize",
        "new_empty_strided",
        # a value without dimensions of another device is read on the host (ATen's `Fill.cpp`)
        "fill",
        "fill_",
        # ends that are tensors are read on the host (ATen's `RangeFactories.cpp`)
        "linspace",
        "logspace",
        *COPIES_INTO_A_COPY,
    ]
)
# composed of an operation whose wrapper compares all devices
_COMPOSED_OF = {
    "addr_.default": "addr.out",
    "complex.default": "complex.out",
    "log_softmax.int_out": "_log_softmax.out",
    "logcumsumexp.out": "_logcumsumexp.out",
    "masked_scatter.default": "masked_scatter_.default",
    "polar.default": "polar.out",
    "put.default": "put_.default",
    "softmax.int_out": "_softmax.out",
    "sort.values": "sort.values_stable",
}
# ternary kernels of TensorIterator that take one CPU scalar at the most (`max_cpu_scalars_on_non_cpu` in ATen)
_ONE_HOST_SCALAR = frozenset(["addcmul", "addcmul_", "addcdiv", "addcdiv_", "lerp", "lerp_"])


def check(name: str, overload: str, operands: Sequence[Operand]) -> None:
    """Raise RuntimeError, with PyTorch's text, if CUDA refuses the operation for the devices of its operands."""
    if name in _FREE:
        return
    special = _SPECIAL.get(name)
    full_name = f"{name}.{overload}"
    full_name = _COMPOSED_OF.get(full_name, full_name)
    if special is not None:
        special(name, operands)
    elif name.startswith("_foreach_"):
        _check_rows(name, operands)
    elif full_name in _RULES:
        method, order = _RULES[full_name]
        _check_all(
            sorted(operands, key=lambda operand: order.index(operand.name) if operand.name in order else 99), method
        )
    elif full_name in COPIES:
        _check_written(operands)
    else:
        _check_iterator(name, operands)


def _check_written(operands: Sequence[Operand]) -> None:
    source = next(operand.tag for operand in operands if not operand.written)
    for operand in operands:
        if operand.written and ADOPTS not in (source, operand.tag) and operand.tag != source:
            raise RuntimeError(f"Expected out tensor to have device {source}, but got {operand.tag} instead")


def _check_all(operands: Sequence[Operand], method: str) -> None:
    """What the generated wrappers do: `c10::impl::check_and_update_common_device`."""
    common: Tag = None
    for operand in operands:
        if operand.tag is ADOPTS:
            continue
        if common is None:
            common = operand.tag
        elif operand.tag != common:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but got {operand.name} is on {operand.tag}, different "
                f"from other tensors on {common} (when checking argument in method {method})"
            )


def _check_iterator(name: str, operands: Sequence[Operand]) -> None:
    """What TensorIterator does: an input without dimensions may be on the CPU, an output may not."""
    common = next((operand.tag for operand in operands if is_on_device(operand.tag)), CPU)
    scalars = 0
    for operand in operands:
        if operand.tag is ADOPTS or operand.tag == common:
            continue
        if operand.tag == CPU and operand.tensor.dim() == 0 and not operand.written:
            scalars += 1
            if scalars > 1 and name in _ONE_HOST_SCALAR:
                raise RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!")
            continue
        raise _two_devices(common, operand.tag)


def _two_devices(first: Tag, second: Tag) -> RuntimeError:
    return RuntimeError(
        f"Expected all tensors to be on the same device, but found at least two devices, {first} and {second}!"
    )


def _named(operands: Sequence[Operand], *names: str) -> list[Operand]:
    return [operand for operand in operands if operand.name in names]


def _check_index(name: str, operands: Sequence[Operand]) -> None:
    """`x[i]` and `x[i] = v`: indices may be on the CPU; the values must be with x, unless without dimensions."""
    owner = _named(operands, "self")[0].tag
    for index in _named(operands, "indices"):
        if index.tag not in (CPU, ADOPTS, owner):
            shown = CPU if owner is ADOPTS else owner
            raise RuntimeError(f"indices should be either on cpu or on the same device as the indexed tensor ({shown})")
    for value in _named(operands, "values"):
        if value.tag not in (ADOPTS, owner) and value.tensor.dim() > 0:
            _check_iterator(name, _named(operands, "self", "values"))


def _check_index_fill(name: str, operands: Sequence[Operand]) -> None:
    """The index is given the dimensions of the tensor before the iterator compares; the value is read on the host."""
    owner, index = _named(operands, "self")[0].tag, _named(operands, "index")[0].tag
    if ADOPTS not in (owner, index) and owner != index:
        raise _two_devices(*((owner, index) if is_on_device(owner) else (index, owner)))


def _check_blocks(name: str, operands: Sequence[Operand]) -> None:
    if len({operand.tag for operand in operands} - {ADOPTS}) > 1:
        raise RuntimeError("torch.block_diag: input tensors must all be on the same device.")


def _check_masked_fill(name: str, operands: Sequence[Operand]) -> None:
    owner, mask = _named(operands, "self")[0].tag, _named(operands, "mask")[0].tag
    if owner == CPU and any(is_on_device(value.tag) for value in _named(operands, "value")):
        raise RuntimeError("masked_fill_: Expected inputs to be on same device")
    if ADOPTS not in (owner, mask) and owner != mask:
        raise RuntimeError(
            f"expected self and mask to be on the same device, but got mask on {mask} and self on {owner}"
        )


def _check_embedding(name: str, operands: Sequence[Operand]) -> None:
    """An embedding is an `index_select` of its weight, and that is what the message says."""
    weight, indices = _named(operands, "weight")[0], _named(operands, "indices")[0]
    pair = [replace(weight, name="self"), replace(indices, name="index")]
    _check_all(pair, "wrapper_CUDA__index_select")


def _check_stack(name: str, operands: Sequence[Operand]) -> None:
    _check_all(operands, "wrapper_CUDA_cat")


def type_name(tensor: torch.Tensor, tag: Tag) -> str:
    """The old name of the tensor's type, as `tensor.type()` returns it."""
    name = str(torch._C.TensorBase.type(tensor))
    return name.replace("torch.", "torch.cuda.", 1) if is_on_device(tag) else name


def _check_convolution(name: str, operands: Sequence[Operand]) -> None:
    owner, weight = _named(operands, "input")[0], _named(operands, "weight")[0]
    tail = " or input should be a MKLDNN tensor and weight is a dense tensor" if owner.tag == CPU else ""
    for role, operand in [("weight", weight), *(("bias", bias) for bias in _named(operands, "bias"))]:
        if ADOPTS in (owner.tag, operand.tag) or owner.tag == operand.tag:
            continue
        if owner.tag.type == operand.tag.type:  # the types are the same, so the kernel's wrapper is the one to complain
            _check_all(operands, "wrapper_CUDA__cudnn_convolution")
        raise RuntimeError(
            f"Input type ({type_name(owner.tensor, owner.tag)}) and {role} type "
            f"({type_name(operand.tensor, operand.tag)}) should be the same{tail}"
        )


def _check_packing(name: str, operands: Sequence[Operand]) -> None:
    """`pack_padded_sequence` reads the lengths on the host."""
    for lengths in _named(operands, "lengths"):
        if is_on_device(lengths.tag):
            scalar = str(torch._C.TensorBase.type(lengths.tensor)).split(".")[-1].removesuffix("Tensor")
            raise RuntimeError(
                "'lengths' argument should be a 1D CPU int64 tensor, but got "
                f"{lengths.tensor.dim()}D {lengths.tag} {scalar} tensor"
            )


def _check_rows(name: str, operands: Sequence[Operand]) -> None:
    """Operations on lists of tensors: as the operation on the first ones, the second ones, and so on."""
    lists: dict[str, list[Operand]] = {}
    for operand in operands:
        lists.setdefault(operand.name, []).append(operand)
    for place in range(max(len(each) for each in lists.values())):
        row = [each[place] if place < len(each) else each[0] for each in lists.values()]
        if any(is_on_device(operand.tag) for operand in row):
            _check_iterator(name, row)


_SPECIAL: dict[str, Check] = {
    "index": _check_index,
    "_unsafe_index": _check_index,
    "index_put": _check_index,
    "index_put_": _check_index,
    "_index_put_impl_": _check_index,
    "_unsafe_index_put": _check_index,
    "block_diag": _check_blocks,
    "index_fill": _check_index_fill,
    "index_fill_": _check_index_fill,
    "masked_fill": _check_masked_fill,
    "masked_fill_": _check_masked_fill,
    "embedding": _check_embedding,
    "stack": _check_stack,
    "_stack": _check_stack,
    "convolution": _check_convolution,
    "_convolution": _check_convolution,
    "convolution_overrideable": _check_convolution,
    "mkldnn_convolution": _check_convolution,
    "_pack_padded_sequence": _check_packing,
}

TABLED = frozenset(_RULES)
"""The operations, with their overloads, whose devices the generated wrappers compare."""
KNOWN = _FREE | frozenset(_SPECIAL)
"""The operations of which it is written here what ATen itself compares."""
