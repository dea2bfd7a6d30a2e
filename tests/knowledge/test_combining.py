"""Rows of functions of several tensors: which arguments are tensors, and what their kernels compare."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from torchdevlint.knowledge import DEFAULT, NAMES
from torchdevlint.knowledge.rows import Combine, Distribution, Loss, Mix, RankRule

torch = pytest.importorskip("torch")

from torch_rows import INDEX, MASK, TORCH_ROWS, VECTOR, rand, ranks, resolve, rows_of  # noqa: E402 -- it imports PyTorch

pytestmark = pytest.mark.needs_torch


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", rows_of(Distribution))
def test_distribution(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Distribution)
    kind = resolve(name)
    assert list(inspect.signature(kind).parameters)[: len(row.parameters.operands)] == list(row.parameters.operands)
    further = {"MultivariateNormal": [torch.eye(3)], "Uniform": [VECTOR + 1]}
    several = len(row.parameters.operands) > 1 and "logits" not in row.parameters.operands
    given = [torch.full((3,), 0.5), *further.get(name.rpartition(".")[2], [torch.full((3,), 0.5)] if several else [])]
    made = kind(*given)
    assert made.sample().dim() == 1 + row.events
    assert made.sample((2,)).dim() == 2 + row.events
    assert made.log_prob(made.sample()).dim() in (0, 1)
    assert resolve("torch.distributions.kl_divergence")(made, kind(*given)).dim() in (0, 1)
    for method in set(row.type.methods) - {"perplexity", "cdf", "icdf", "sample_n"}:
        assert callable(getattr(made, method))
    assert any(hasattr(made, attribute) for attribute in row.type.attributes)


def arguments(*given: Any, **named: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return given, named


_TWO = arguments(rand(2, 3), rand(2, 3))
_INTEGERS = arguments(torch.ones(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.long))
_MATRICES = arguments(rand(2, 2), rand(2, 2))
_INDEXED = arguments(rand(2, 2), 0, torch.zeros(2, 2, dtype=torch.long), rand(2, 2))
_ROWS = arguments(rand(2, 2), 0, torch.tensor([0, 1]), rand(2, 2))
_IMAGES = {size: (rand(1, 2, *[5] * size), rand(2, 2, *[2] * size), rand(2)) for size in (1, 2, 3)}

SAMPLES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    **{name: _TWO for name in rows_of(Combine) if TORCH_ROWS[name] in (Combine(), Combine(graph=False))},
    **{name: arguments(VECTOR, VECTOR + 1) for name in rows_of(Combine) if name.startswith("torch.distributions.")},
    "torch.distributions.MultivariateNormal": arguments(rand(2), torch.eye(2)),
    "torch.distributions.LowRankMultivariateNormal": arguments(rand(2), torch.eye(2), rand(2)),
    "torch.distributions.GeneralizedPareto": arguments(VECTOR, VECTOR, VECTOR),
    "torch.index_fill": arguments(rand(2, 2), 0, torch.tensor([0, 1]), 1.0),
    **{name: _TWO for name in rows_of(Combine) if TORCH_ROWS[name] == Combine(mix=Mix.STRICT)},
    **{f"torch.{name}": _INTEGERS for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm")},
    **{f"torch.{name}": _INTEGERS for name in ("bitwise_left_shift", "bitwise_right_shift")},
    **{f"torch.{name}": _TWO for name in ("pow", "float_power", "heaviside", "complex", "polar", "dist")},
    **{
        f"torch.{name}": _TWO
        for name in ("equal", "allclose", "isin", "cross", "linalg.cross", "clamp_min", "clamp_max")
    },
    **{f"torch.{name}": arguments(VECTOR, VECTOR, VECTOR) for name in ("lerp", "addcmul", "addcdiv", "clamp", "clip")},
    "torch.where": arguments(MASK, rand(2, 3), rand(3)),
    **{
        f"torch.{name}": _MATRICES
        for name in ("inner", "tensordot", "matmul", "linalg.matmul", "mm", "cdist", "linalg.solve")
    },
    "torch.bmm": arguments(rand(2, 2, 2), rand(2, 2, 2)),
    "torch.mv": arguments(rand(2, 2), rand(2)),
    **{f"torch.{name}": arguments(VECTOR, VECTOR) for name in ("dot", "vdot", "outer", "ger")},
    "torch.addmm": arguments(rand(2), rand(2, 2), rand(2, 2)),
    "torch.addmv": arguments(rand(2), rand(2, 2), rand(2)),
    "torch.addbmm": arguments(rand(2), rand(3, 2, 2), rand(3, 2, 2)),
    "torch.baddbmm": arguments(rand(2), rand(3, 2, 2), rand(3, 2, 2)),
    "torch.meshgrid": arguments(VECTOR, VECTOR, indexing="ij"),
    "torch.einsum": arguments("ij,jk->ik", rand(2, 2), rand(2, 2)),
    **{name: arguments([rand(2, 2), rand(2, 2)]) for name in rows_of(Combine) if TORCH_ROWS[name].sequence},
    "torch.gather": arguments(rand(2, 2), 0, torch.zeros(2, 2, dtype=torch.long)),
    "torch.scatter": _INDEXED,
    "torch.scatter_add": _INDEXED,
    "torch.scatter_reduce": arguments(*_INDEXED[0], reduce="sum"),
    "torch.index_select": arguments(rand(2, 2), 0, torch.tensor([0, 1])),
    "torch.index_add": _ROWS,
    "torch.index_copy": _ROWS,
    "torch.index_reduce": arguments(*_ROWS[0], "mean"),
    "torch.take": arguments(VECTOR, INDEX),
    "torch.take_along_dim": arguments(rand(2, 2), torch.zeros(2, 2, dtype=torch.long), 0),
    "torch.masked_select": arguments(VECTOR, MASK),
    "torch.masked_fill": arguments(VECTOR, MASK, 0.0),
    "torch.masked_scatter": arguments(VECTOR, MASK, VECTOR),
    "torch.searchsorted": arguments(VECTOR, rand(2)),
    "torch.bucketize": arguments(rand(2, 2), VECTOR),
    "torch.bincount": arguments(INDEX, VECTOR),
    "torch.repeat_interleave": arguments(VECTOR, INDEX),
    "torch.nn.functional.linear": arguments(rand(2, 3), rand(4, 3), rand(4)),
    **{f"torch.nn.functional.conv{size}d": arguments(*_IMAGES[size]) for size in _IMAGES},
    **{f"torch.nn.functional.conv_transpose{size}d": arguments(*_IMAGES[size]) for size in _IMAGES},
    "torch.nn.functional.bilinear": arguments(rand(2, 3), rand(2, 4), rand(5, 3, 4), rand(5)),
    "torch.nn.functional.embedding": arguments(INDEX, rand(3, 2)),
    "torch.nn.functional.embedding_bag": arguments(INDEX, rand(3, 2), torch.tensor([0, 2])),
    "torch.nn.functional.grid_sample": arguments(rand(1, 1, 3, 3), rand(1, 2, 2, 2), align_corners=False),
    "torch.nn.functional.scaled_dot_product_attention": arguments(*[rand(1, 1, 3, 2)] * 3),
    "torch.nn.functional.batch_norm": arguments(rand(3, 2), rand(2), rand(2), rand(2), rand(2)),
    "torch.nn.functional.instance_norm": arguments(rand(3, 2, 4), rand(2), rand(2), rand(2), rand(2)),
    "torch.nn.functional.layer_norm": arguments(rand(3, 2), (2,), rand(2), rand(2)),
    "torch.nn.functional.group_norm": arguments(rand(3, 2), 1, rand(2), rand(2)),
    "torch.nn.functional.rms_norm": arguments(rand(3, 2), (2,), rand(2)),
    "torch.nn.functional.prelu": arguments(rand(3, 2), rand(2)),
    "torch.nn.functional.cosine_similarity": _TWO,
    "torch.nn.functional.pairwise_distance": _TWO,
    "torch.stft": arguments(rand(20), 4, None, None, rand(4), return_complex=True),
    "torch.istft": arguments(torch.ones(3, 21, dtype=torch.cfloat), 4, None, None, torch.ones(4)),
    "torch.nn.functional.max_unpool1d": arguments(rand(1, 1, 2), torch.tensor([[[0, 2]]]), 2),
    "torch.nn.functional.max_unpool2d": arguments(rand(1, 1, 1, 2), torch.tensor([[[[0, 2]]]]), 2),
    "torch.nn.functional.max_unpool3d": arguments(*[torch.zeros(1, 1, 1, 1, 1), torch.zeros(1, 1, 1, 1, 1).long()], 2),
}


OF_DISTRIBUTIONS = {"torch.distributions.kl_divergence"}
_COMBINED = [name for name in rows_of(Combine) if name in SAMPLES or name not in NAMES.derived]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(set(_COMBINED) - OF_DISTRIBUTIONS))
def test_combine(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Combine)
    given, named = SAMPLES[name]
    for position, value in enumerate(given):
        if torch.is_tensor(value) and not row.format and not row.variadic:
            assert row.operands[position], f"the argument {position} is a tensor"
    wanted = [v.clone().requires_grad_() if torch.is_tensor(v) and v.is_floating_point() else v for v in given]
    if name.endswith(("masked_scatter", "norm")):  # running statistics take no gradient
        wanted = list(given)
    result = resolve(name)(*wanted, **named)
    if isinstance(result, torch.distributions.Distribution):
        assert result.sample().dim() == 1
        return
    if isinstance(result, bool):
        assert row.rank is RankRule.SCALAR
        return
    first = given[0][0] if row.sequence else given[0]
    result = result if torch.is_tensor(result) else result[0]
    if row.format:
        return
    operands = [v.dim() for v in given if torch.is_tensor(v)] or [first.dim()]
    assert result.dim() in ranks(row.rank, operands)
    if row.graph is False:
        assert not result.requires_grad


def parameter_names(name: str) -> list[str]:
    """Return the names of a function's parameters, from its signature or from its documentation."""
    function = resolve(name)
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:
        described = re.search(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)", function.__doc__ or "")
        assert described, name
        inside = re.sub(r"\([^()]*\)", "", described[1])
        return [part.split("=")[0].split(":")[0].strip() for part in inside.split(",")]


# What the documentation of a function calls its parameters, where that is no help.
UNDOCUMENTED = {
    *("torch.clamp_max", "torch.clamp_min", "torch.masked_fill", "torch.masked_scatter", "torch.searchsorted"),
    *("torch.einsum", "torch.true_divide"),
}


@pytest.mark.parametrize("name", [name for name in rows_of(Combine, Loss) if name not in NAMES.derived])
def test_operands_are_parameters(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Combine | Loss)
    if name in UNDOCUMENTED:
        pytest.skip("no signature")
    names = [part for part in parameter_names(name) if part not in {"*", "/"}]
    for position, operand in enumerate(row.operands):
        if operand:
            assert names[position] == operand
    for weight in getattr(row, "weights", ()):
        assert weight in names


@cache
def native_functions() -> dict[str, str]:
    """Return for each native function with a CUDA kernel "check" or "nocheck": whether devices are compared.

    Without ``device_check: NoCheck`` the generated code compares the devices of all tensor arguments, whatever
    their rank; with it, `TensorIterator` or the kernel itself does.
    """
    torchgen = pytest.importorskip("torchgen")
    source = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
    blocks: dict[str, str] = {}
    for block in source.read_text(encoding="utf-8").split("\n- func: ")[1:]:
        blocks[block.partition("(")[0]] = block
    found = {}
    for name, block in blocks.items():
        delegate = re.search(r"structured_delegate: (\S+)", block)
        kernels = blocks[delegate[1]] if delegate else block
        if re.search(r"^    [^#\n]*\bCUDA\b[^#\n]*:", kernels, re.MULTILINE):
            found[name] = "nocheck" if "device_check: NoCheck" in block else "check"
    return found


def tensors_of(name: str, source: str) -> int:
    return len(re.findall(r"\bTensor(?:\?|\(a!\))?(?:\[\])?\b", source))


# Kernels that compare devices themselves: "expected self and mask to be on the same device".
OWN_CHECK = {"index_fill", "index_fill_", "linalg_vecdot", "masked_fill", "masked_fill_", "copy_", "index_put_"}


@pytest.mark.parametrize("method", [False, True], ids=["functions", "methods"])
def test_mixing_agrees_with_native_functions(method: bool) -> None:
    checks = native_functions()
    rows = {name: row for name, row in DEFAULT.tensor.items() if isinstance(row, Combine)}
    if not method:
        rows = {
            name.removeprefix("torch.").removeprefix("nn.functional.").replace(".", "_"): row
            for name, row in TORCH_ROWS.items()
            if isinstance(row, Combine)
        }
    compared = 0
    wrong = []
    for name, row in rows.items():
        overloads = [full for full in checks if full.split(".")[0] == name and not full.endswith(("out", "Scalar"))]
        kinds = {checks[full] for full in overloads if "Scalar" not in full and "value" not in full}
        if name in OWN_CHECK or len(kinds) != 1:
            continue
        compared += 1
        if (kinds == {"check"} and row.mix is not Mix.STRICT) or (kinds == {"nocheck"} and row.mix is Mix.STRICT):
            wrong.append((name, kinds, row.mix))
    assert wrong == []
    assert compared > 40


LOSS_KERNELS = {"cross_entropy": "nll_loss_forward", "nll_loss": "nll_loss_forward"}
LOSS_KERNELS |= {"multilabel_margin_loss": "multilabel_margin_loss_forward"}


@pytest.mark.parametrize("name", rows_of(Loss))
def test_strict_losses_agree_with_native_functions(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Loss)
    short = name.removeprefix("torch.nn.functional.")
    check = native_functions().get(LOSS_KERNELS.get(short, short))
    if check is None or short == "ctc_loss":
        pytest.skip("made of other operations")
    assert row.strict is (check == "check")
