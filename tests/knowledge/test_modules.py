"""Rows of modules: what they hold, take and return."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from torchdevlint.knowledge.rows import ModuleType

torch = pytest.importorskip("torch")

from torch_rows import INDEX, TORCH_ROWS, rand, ranks, resolve, rows_of  # noqa: E402 -- it imports PyTorch

pytestmark = pytest.mark.needs_torch

CONSTRUCTOR: dict[str, tuple[Any, ...]] = {
    "AdaptiveLogSoftmaxWithLoss": (8, 10, [4]),
    "Bilinear": (2, 3, 4),
    "LinearCrossEntropyLoss": (3, 4),
    "ChannelShuffle": (2,),
    "CrossMapLRN2d": (2,),
    "CircularPad1d": (1,),
    "Embedding": (3, 2),
    "EmbeddingBag": (3, 2),
    "Fold": ((4, 4), 2),
    "FractionalMaxPool2d": (2, 3),
    "FractionalMaxPool3d": (2, 3),
    "GroupNorm": (2, 4),
    "LayerNorm": (4,),
    "RMSNorm": (4,),
    "LocalResponseNorm": (2,),
    "Linear": (2, 3),
    "MultiheadAttention": (4, 2),
    "PixelShuffle": (2,),
    "PixelUnshuffle": (2,),
    "RNNBase": ("LSTM", 2, 3),
    "Threshold": (0.1, 0.0),
    "Transformer": (8, 2, 1, 1, 8),
    "TransformerEncoderLayer": (8, 2, 8),
    "TransformerDecoderLayer": (8, 2, 8),
    "Unflatten": (1, (2, 2)),
    "Unfold": (2,),
    "LazyLinear": (3,),
}
PATTERNS: list[tuple[str, tuple[Any, ...]]] = [
    (r"Lazy(Conv|ConvTranspose)\dd$", (3, 1)),
    (r"Lazy\w+Norm\dd$", ()),
    (r"Conv(Transpose)?\dd$", (2, 3, 1)),
    (r"(Batch|Instance|Sync)\w*Norm(\dd)?$", (3,)),
    (r"Adaptive\w+Pool\dd$", (2,)),
    (r"LPPool\dd$", (2, 2)),
    (r"\w+Pool\dd$", (2,)),
    (r"MaxUnpool\dd$", (2,)),
    (r"ConstantPad\dd$", (1, 0.0)),
    (r"\w+Pad\dd$", (1,)),
    (r"(RNN|LSTM|GRU)(Cell)?$", (2, 3)),
]
MODULES = [
    name
    for name in rows_of(ModuleType)
    if name.startswith("torch.nn.") and name.count(".") == 2 and name != "torch.nn.DataParallel"
]


def constructor_arguments(name: str) -> tuple[Any, ...]:
    short = name.rsplit(".", 1)[1]
    return CONSTRUCTOR.get(short) or next((given for pattern, given in PATTERNS if re.match(pattern, short)), ())


def build(name: str) -> Any:
    """Return an instance of a class of `torch.nn`."""
    short = name.rsplit(".", 1)[1]
    nn = torch.nn
    if short in {"TransformerEncoder", "TransformerDecoder"}:
        return getattr(nn, short)(getattr(nn, f"{short}Layer")(8, 2, 8), 1)
    if short in {"Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"}:
        return getattr(nn, short)(scale_factor=2)
    return getattr(nn, short)(*constructor_arguments(name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODULES)
def test_module_holds_tensors(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, ModuleType)
    module = build(name)
    held = bool([*module.parameters(), *module.buffers()])
    if not (row.abstract or row.container.name != "NONE"):
        assert row.holds_tensors is held
    names = list(inspect.signature(type(module)).parameters)
    for switch in row.switches:
        assert names[switch.position] == switch.name
        only = {other.name: other is switch for other in row.switches}
        assert [*type(module)(*constructor_arguments(name), **only).state_dict()]
    if row.switches:
        empty = type(module)(*constructor_arguments(name), **dict.fromkeys(only, False))
        assert not [*empty.parameters(), *empty.buffers()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODULES)
def test_module_inputs(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, ModuleType)
    if row.abstract or name in {"torch.nn.RNNBase", "torch.nn.NLLLoss2d"} or row.container.name in {"LIST", "DICT"}:
        return
    parameters = list(inspect.signature(resolve(name).forward).parameters)[1:]
    for position, own in enumerate(row.inputs):
        if own:
            assert parameters[position].strip("_") in ({own, "x", "input", "log_input"} if position == 0 else {own})
    if row.loss:
        assert row.loss.operands == row.inputs
        constructor = list(inspect.signature(resolve(name)).parameters)
        for position, weight in enumerate(row.loss.constructor):
            assert not weight or constructor[position] == weight
        assert set(row.loss.weights) <= set(row.loss.constructor)
        missing = {part for part in constructor if "weight" in part} - set(row.loss.constructor)
        assert not missing


MODULE_CALLS: dict[str, Any] = {
    "Linear": rand(2, 2),
    "Conv2d": rand(1, 2, 4, 4),
    "ConvTranspose2d": rand(1, 2, 4, 4),
    "BatchNorm2d": rand(1, 3, 4, 4),
    "BatchNorm1d": rand(2, 3),
    "InstanceNorm2d": rand(1, 3, 4, 4),
    "LayerNorm": rand(2, 3, 4),
    "GroupNorm": rand(2, 4, 2),
    "RMSNorm": rand(2, 4),
    "PReLU": rand(2, 3),
    "Embedding": INDEX,
    "ReLU": rand(2),
    "Softmax2d": rand(1, 2, 3, 3),
    "MaxPool2d": rand(1, 1, 4, 4),
    "AdaptiveAvgPool2d": rand(1, 1, 4, 4),
    "Dropout": rand(2, 3),
    "Flatten": rand(2, 3, 4),
    "Upsample": rand(1, 1, 4, 4),
    "PixelShuffle": rand(1, 4, 2, 2),
    "PixelUnshuffle": rand(1, 4, 2, 2),
    "ZeroPad2d": rand(1, 1, 4, 4),
    "TransformerEncoderLayer": rand(2, 3, 8),
    "TransformerEncoder": rand(2, 3, 8),
    "GRUCell": rand(2, 2),
    "RNNCell": rand(2, 2),
    "CrossMapLRN2d": rand(1, 4, 3, 3),
    "ChannelShuffle": rand(1, 4, 3, 3),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("short", sorted(MODULE_CALLS))
def test_module_output(short: str) -> None:
    row = TORCH_ROWS[f"torch.nn.{short}"]
    assert isinstance(row, ModuleType)
    x = MODULE_CALLS[short]
    assert build(f"torch.nn.{short}")(x).dim() in ranks(row.returns, [x.dim()])


@pytest.mark.parametrize(("short", "x"), [("LSTM", rand(3, 1, 2)), ("GRU", rand(3, 1, 2)), ("LSTMCell", rand(1, 2))])
def test_module_pair(short: str, x: Any) -> None:
    row = TORCH_ROWS[f"torch.nn.{short}"]
    assert isinstance(row, ModuleType)
    assert row.output == "pair"
    assert len(build(f"torch.nn.{short}")(x)) == 2
