"""Rows of functions that make tensors: where they are made, and of how many dimensions."""

from __future__ import annotations

import pytest

from torchdevlint.knowledge import DEFAULT
from torchdevlint.knowledge.rows import Convert, Like, Make, RankRule

torch = pytest.importorskip("torch")

from torch_rows import TORCH_ROWS, ranks, resolve, rows_of  # noqa: E402 -- it imports PyTorch

pytestmark = pytest.mark.needs_torch

MAKE_CALLS: dict[str, list[str]] = {
    **{name: [f"{name}(2, 3)", f"{name}((2, 3))"] for name in rows_of(Make)},
    **{
        name: [f"{name}(3)"]
        for name in (
            *("torch.arange", "torch.randperm", "torch.fft.fftfreq", "torch.fft.rfftfreq", "torch.tril_indices"),
            *[name for name in rows_of(Make) if "window" in name],
        )
    },
    "torch.range": ["torch.range(0, 3)"],
    "torch.linspace": ["torch.linspace(0, 1, 3)"],
    "torch.logspace": ["torch.logspace(0, 1, 3)"],
    "torch.eye": ["torch.eye(3)", "torch.eye(3, 2)"],
    "torch.tril_indices": ["torch.tril_indices(3, 3)"],
    "torch.triu_indices": ["torch.triu_indices(3, 3)"],
    "torch.full": ["torch.full((2, 3), 1.0)"],
    "torch.empty_strided": ["torch.empty_strided((2, 3), (3, 1))"],
    "torch.empty_permuted": ["torch.empty_permuted((2, 3), (0, 1))"],
    "torch.randint": ["torch.randint(5, (2, 3))", "torch.randint(0, 5, (2, 3))"],
    "torch.scalar_tensor": ["torch.scalar_tensor(2.0)"],
    "torch.from_numpy": ["torch.from_numpy(numpy.zeros((2, 3)))"],
    "torch.frombuffer": ["torch.frombuffer(bytearray(8), dtype=torch.float32)"],
    "torch.from_file": [],
    "torch.nn.Transformer.generate_square_subsequent_mask": [
        "torch.nn.Transformer.generate_square_subsequent_mask(3)",
    ],
    "torch.signal.windows.general_cosine": ["torch.signal.windows.general_cosine(4, a=[0.5, 0.5])"],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", rows_of(Make))
def test_make(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Make)
    if row.legacy == "cuda":
        pytest.skip("needs CUDA")
    scope = {"torch": torch, "numpy": pytest.importorskip("numpy")}
    ignores_default_device = row.always_host or row.legacy or name in {"torch.range", "torch.Tensor"}
    for call in MAKE_CALLS[name]:
        made = eval(call, scope)  # noqa: S307
        expected = range(2, 3) if row.rank is RankRule.SHAPE else ranks(row.rank, [])
        assert made.dim() in expected, call
        with torch.device("meta"):
            assert eval(call, scope).device.type == ("cpu" if ignores_default_device else "meta"), call  # noqa: S307


@pytest.mark.parametrize("name", rows_of(Like))
def test_like(name: str) -> None:
    other = torch.zeros(2, 3, device="meta")
    extra = {"torch.full_like": (1.0,), "torch.randint_like": (5,)}.get(name, ())
    made = resolve(name)(other, *extra)
    assert (made.dim(), made.device.type) == (2, "meta")


@pytest.mark.parametrize("name", rows_of(Convert))
def test_convert(name: str) -> None:
    convert = resolve(name)
    assert convert([1.0]).device.type == "cpu"
    with torch.device("meta"):
        assert convert([1.0]).device.type == "meta"


@pytest.mark.parametrize("name", sorted(name for name, row in DEFAULT.tensor.items() if isinstance(row, Like)))
def test_like_methods(name: str) -> None:
    row = DEFAULT.tensor[name]
    assert isinstance(row, Like)
    other = torch.zeros(3, device="meta")
    arguments = {"new_full": ((2, 3), 1.0), "new_empty_strided": ((2, 3), (3, 1)), "new_tensor": ([1.0],)}
    made = getattr(other, name)(*arguments.get(name, (2, 3)))
    assert made.device.type == "meta"
    assert row.rank is RankRule.UNKNOWN or made.dim() == 2
