"""Every row about `torch` is asked of the installed torch: that it exists, under each of its names."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from torchdevlint.knowledge import DEFAULT
from torchdevlint.knowledge.rows import Combine, Follow

torch = pytest.importorskip("torch")

from torch_rows import TORCH_ROWS, is_elsewhere, rand, resolve, sgd  # noqa: E402 -- it imports PyTorch

pytestmark = pytest.mark.needs_torch

# Methods that a vendor's package adds to tensors.
VENDOR_METHODS = {"hpu", "npu", "mlu", "musa"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(TORCH_ROWS))
def test_name_exists(name: str) -> None:
    resolve(name)


def test_methods_exist() -> None:
    missing = {name for name in DEFAULT.tensor if not hasattr(torch.Tensor, name)}
    assert missing == VENDOR_METHODS
    assert [
        name for name in (*DEFAULT.tensor_attributes, *DEFAULT.tensor_only) if not hasattr(torch.Tensor, name)
    ] == []


def test_module_and_optimizer_methods_exist() -> None:
    assert [name for name in DEFAULT.module_only if not hasattr(torch.nn.Module, name)] == []
    assert {name for name in DEFAULT.module if not hasattr(torch.nn.Module, name)} == {
        "npu",
        "no_sync",
        "resize_token_embeddings",
    }
    assert [name for name in DEFAULT.optimizer if not hasattr(sgd(), name)] == []


def test_evidence_of_a_module_is_nobody_elses() -> None:
    others = (torch.zeros(1), sgd(), [], {}, "", 0.5, set())
    assert [name for name in sorted(DEFAULT.module_only) for other in others if hasattr(other, name)] == []


def test_evidence_of_a_tensor_is_nobody_elses() -> None:
    numpy = pytest.importorskip("numpy")
    others: tuple[object, ...] = (numpy.zeros(1), [], {}, "", 0.5, torch.nn.Module(), set())
    claimed = set(DEFAULT.tensor_only)
    claimed |= {name for name, row in DEFAULT.tensor.items() if getattr(row, "tensor_evidence", False)}
    claimed -= {"size", "__array__"}  # `size` of an array is no method
    assert [name for name in sorted(claimed) for other in others if hasattr(other, name)] == []


@pytest.mark.parametrize("alias", [pair for pair in DEFAULT.aliases if pair[0].startswith("torch.")], ids=str)
def test_alias_leads_to_the_same_object(alias: tuple[str, str]) -> None:
    prefix, canonical = alias
    if is_elsewhere(prefix) or prefix == "torch.utils.tree_map":
        pytest.skip("not in this wheel")
    if not prefix.endswith("."):
        assert resolve(prefix) is resolve(canonical)
        return
    module = resolve(prefix[:-1])
    for name in DEFAULT.names:
        if name.startswith(canonical) and "." not in name[len(canonical) :]:
            own = getattr(module, name[len(canonical) :], None)
            known = resolve(name)
            if own is not None and not inspect.ismodule(known) and inspect.isclass(known):
                assert own is known, name


def test_in_place_methods_return_their_receiver() -> None:
    skipped = {"set_", "apply_", "resize_", "resize_as_", "as_strided_", "bernoulli_"}
    for name, row in DEFAULT.tensor.items():
        if isinstance(row, Follow) and row.in_place and name not in skipped:
            assert name.endswith("_"), name
        if isinstance(row, Combine) and row.in_place:
            assert name.endswith("_"), name
    x = rand(3, 3)
    assert all(getattr(x, name)() is x for name in ("requires_grad_", "detach_", "zero_", "exp_", "share_memory_"))


def test_import_needs_no_torch() -> None:
    source = Path(inspect.getfile(type(DEFAULT))).parent
    for path in source.glob("*.py"):
        assert not re.search(r"^\s*(import|from) torch\b", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_dtype_layout_and_memory_format_is_no_device() -> None:
    kinds = (torch.dtype, torch.memory_format, torch.layout)
    assert {f"torch.{name}" for name in dir(torch) if isinstance(getattr(torch, name), kinds)} == DEFAULT.dtypes
