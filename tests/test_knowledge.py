"""Every row about `torch` is asked of the installed torch: that it exists, and what it says."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from torchdevlint.knowledge import DEFAULT, NAMES
from torchdevlint.knowledge.rows import (
    AddGroup,
    Combine,
    Conversion,
    Convert,
    Distribution,
    Follow,
    Freeze,
    GradMode,
    Like,
    LoadFile,
    Loss,
    Make,
    Mix,
    ModuleType,
    NoGrad,
    OptimizerType,
    RankRule,
    Row,
    SaveFile,
    StateOf,
    Visit,
)
from torchdevlint.knowledge.torch_further import FURTHER

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch

# Names that the CPU wheel lacks, and what gives them.
ELSEWHERE = {
    "torch.npu.": "torch_npu",
    "torch.utils.tensorboard.": "tensorboard",
}
# Methods that a vendor's package adds to tensors.
VENDOR_METHODS = {"hpu", "npu", "mlu", "musa"}


def resolve(name: str) -> Any:
    """Return the object of a dotted name."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise AttributeError(name)


def is_elsewhere(name: str) -> bool:
    return any(name.startswith(prefix) for prefix in ELSEWHERE)


# What is further known is compared operator by operator: tests/harness/test_agreement.py.
TORCH_ROWS = {
    name: row
    for name, row in DEFAULT.names.items()
    if name.startswith("torch.") and not is_elsewhere(name) and name not in FURTHER
}


def rows_of(*kinds: type[Row]) -> list[str]:
    return sorted(name for name, row in TORCH_ROWS.items() if isinstance(row, kinds))


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


def sgd() -> Any:
    return torch.optim.SGD([torch.nn.Parameter(rand(2))], lr=0.1)


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


# -- ranks -----------------------------------------------------------------------------------------------------------


def ranks(rule: RankRule, inputs: list[int], given: tuple[object, ...] = ()) -> range:
    """Return the ranks that a rule allows."""
    many = 99
    match rule:
        case RankRule.SAME:
            return range(inputs[0], inputs[0] + 1)
        case RankRule.SCALAR:
            return range(1)
        case RankRule.VECTOR:
            return range(1, many)
        case RankRule.ONE:
            return range(1, 2)
        case RankRule.BROADCAST:
            return range(max(inputs), max(inputs) + 1)
        case RankRule.PLUS_ONE:
            return range(inputs[0] + 1, inputs[0] + 2)
        case RankRule.MINUS_ONE:
            return range(max(inputs[0] - 1, 0), max(inputs[0] - 1, 0) + 1)
        case RankRule.REDUCE:
            return range(max(inputs[0] - 1, 0), inputs[0]) if given else range(1)
        case _:
            return range(many)


T = torch.Tensor
SQUARE = torch.eye(3) * 2 + 0.1
CUBE = torch.rand(2, 3, 4)
IMAGE = torch.rand(2, 4, 6, 6)
VECTOR = torch.rand(3)
INDEX = torch.tensor([0, 1, 1])
MASK = torch.tensor([True, False, True])

# Further arguments of functions that need them; several tuples where the rank depends on them.
FOLLOW_ARGUMENTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    **dict.fromkeys(
        (
            *("torch.max", "torch.min", "torch.median", "torch.nanmedian", "torch.sum", "torch.mean", "torch.prod"),
            *("torch.amax", "torch.amin", "torch.argmax", "torch.argmin", "torch.all", "torch.any", "torch.std"),
            *("torch.var", "torch.nanmean", "torch.nansum"),
        ),
        ((), (1,)),
    ),
    "torch.logsumexp": ((1,),),
    "torch.special.logsumexp": ((1,),),
    **dict.fromkeys(
        (
            *("torch.softmax", "torch.log_softmax", "torch.logcumsumexp", "torch.cumsum", "torch.cumprod"),
            *("torch.special.softmax", "torch.special.log_softmax", "torch.cummax", "torch.cummin"),
            *("torch.nn.functional.softmax", "torch.nn.functional.log_softmax", "torch.nn.functional.softmin"),
        ),
        ((1,),),
    ),
    **dict.fromkeys(("torch.dropout", "torch.alpha_dropout"), ((0.5, True),)),
    **dict.fromkeys(("torch.feature_alpha_dropout", "torch.feature_dropout"), ((0.5, True),)),
    "torch.flip": (((0,),),),
    "torch.roll": ((1,),),
    "torch.renorm": ((2, 0, 1.0),),
    **dict.fromkeys(
        ("torch.moveaxis", "torch.movedim", "torch.swapaxes", "torch.swapdims", "torch.transpose"), ((0, 1),)
    ),
    "torch.permute": (((1, 0),),),
    "torch.mvlgamma": ((1,),),
    "torch.matrix_power": ((2,),),
    "torch.linalg.matrix_power": ((2,),),
    "torch.threshold": ((0.1, 0.0),),
    "torch.nn.functional.threshold": ((0.1, 0.0),),
    "torch.nn.functional.threshold_": ((0.1, 0.0),),
    "torch.narrow": ((0, 0, 1),),
    "torch.unsqueeze": ((0,), (2,)),
    "torch.select": ((0, 1),),
    "torch.reshape": (((9,),),),
    "torch.tile": (((2, 2, 2),),),
    "torch.unflatten": ((0, (3, 1)),),
    "torch.broadcast_to": (((2, 3, 3),),),
    "torch.quantile": ((0.5,),),
    "torch.nanquantile": ((0.5,),),
    "torch.as_strided": (((9,), (1,)),),
    "torch.topk": ((1,),),
    "torch.kthvalue": ((1,),),
    "torch.chunk": ((2,),),
    "torch.split": ((1,),),
    "torch.split_with_sizes": (([1, 2],),),
    "torch.unsafe_split": ((1,),),
    "torch.unsafe_chunk": ((2,),),
    **dict.fromkeys(("torch.tensor_split", "torch.hsplit", "torch.vsplit"), ((3,),)),
    "torch.multinomial": ((1,),),
    "torch.nn.functional.pad": (((1, 1),),),
    **dict.fromkeys(("torch.nn.functional.avg_pool1d", "torch.nn.functional.max_pool1d"), ((2,),)),
}
# The tensor that a function is called with, where a square matrix will not do.
FOLLOW_INPUT: dict[str, Any] = {
    "torch.imag": SQUARE.to(torch.complex64),
    "torch.bitwise_not": INDEX,
    "torch.bernoulli": SQUARE / 4,
    "torch.view_as_real": SQUARE.to(torch.complex64),
    "torch.view_as_complex": torch.rand(3, 3, 2),
    "torch.vander": VECTOR,
    "torch.combinations": VECTOR,
    "torch.diagflat": VECTOR,
    "torch.dsplit": torch.rand(1, 1, 4),
    "torch.channel_shuffle": IMAGE,
    "torch.pixel_shuffle": IMAGE,
    "torch.pixel_unshuffle": IMAGE,
    "torch.nn.functional.one_hot": INDEX,
    "torch.nn.functional.unfold": IMAGE,
    "torch.nn.functional.fold": torch.rand(2, 4, 25),
    "torch.nn.functional.affine_grid": torch.rand(1, 3, 4),
    "torch.nn.functional.glu": IMAGE,
    "torch.meshgrid": VECTOR,
    "torch.unravel_index": INDEX,
}
FOLLOW_ARGUMENTS |= {
    "torch.channel_shuffle": ((2,),),
    "torch.pixel_shuffle": ((2,),),
    "torch.pixel_unshuffle": ((2,),),
    "torch.dsplit": ((2,),),
    "torch.unravel_index": (((2, 2),),),
    "torch.nn.functional.unfold": ((2,),),
    "torch.nn.functional.fold": (((6, 6), 2),),
    "torch.nn.functional.affine_grid": (((1, 1, 2, 2, 2), False),),
    "torch.nn.functional.channel_shuffle": ((2,),),
    "torch.nn.functional.pixel_shuffle": ((2,),),
    "torch.nn.functional.pixel_unshuffle": ((2,),),
    "torch.nn.functional.local_response_norm": ((2,),),
    "torch.nn.functional.upsample_nearest": ((12,),),
    "torch.nn.functional.upsample_bilinear": ((12,),),
    "torch.nn.functional.upsample": ((12,),),
    "torch.nn.functional.interpolate": ((12,),),
}
POOLED = re.compile(r"torch\.nn\.functional\.(adaptive_)?(lp|avg|max|fractional_max)_pool([123])d$")
SPATIAL = re.compile(r"torch\.nn\.functional\.(interpolate|upsample.*|local_response_norm|dropout[123]d|.*shuffle)$")


def follow_calls(name: str) -> list[tuple[Any, tuple[Any, ...], dict[str, Any]]]:
    """Return inputs and arguments with which a function can be called."""
    if pooled := POOLED.match(name):
        x = torch.rand((2, 4) + (6,) * int(pooled[3]))
        arguments: tuple[Any, ...] = (2.0, 2) if pooled[2] == "lp" else (2,)
        return [(x, arguments, {"output_size": 2} if pooled[2] == "fractional_max" else {})]
    if name == "torch.nn.functional.dropout1d":
        return [(CUBE, (), {})]
    if name == "torch.nn.functional.dropout3d":
        return [(torch.rand(1, 2, 3, 3, 3), (), {})]
    x = FOLLOW_INPUT.get(name, IMAGE if SPATIAL.match(name) else SQUARE)
    return [(x, arguments, {}) for arguments in FOLLOW_ARGUMENTS.get(name, ((),))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", rows_of(Follow))
def test_follow(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Follow)
    function = resolve(name)
    for x, arguments, keywords in follow_calls(name):
        given = x.clone().requires_grad_() if x.is_floating_point() and not name.endswith("_") else x.clone()
        try:
            result = function(given, *arguments, **keywords)
        except Exception:
            if name not in NAMES.derived:
                raise
            pytest.skip("it needs other arguments, which the derivation has")
        paired = row.returns_pair_with_dim and bool(arguments)
        if row.count or paired:
            count = 2 if paired else row.count
            assert len(result) == count or count == -1
            results = list(result)
        else:
            results = [result]
        for one in results:
            if row.count == 0 or row.rank is not RankRule.SAME or one is results[0]:
                assert one.dim() in ranks(row.rank, [x.dim()], arguments)
            if row.graph is False:
                assert not one.requires_grad or name.endswith("detach")


SHAPES = [(), (1,), (3,), (2, 2), (2, 3, 4), (3, 3, 3), (1, 2, 4, 4), (1, 2, 4, 4, 4)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", rows_of(Follow))
def test_rank_rules_hold_for_every_rank(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, Follow)
    function = resolve(name)
    for shape in SHAPES:
        for given in FOLLOW_ARGUMENTS.get(name, ((),)):
            try:
                result = function(torch.rand(shape), *given)
            except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AssertionError):
                continue  # not for tensors of this shape
            if torch.is_tensor(result):
                assert result.dim() in ranks(row.rank, [len(shape)], given)


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


# -- combinations ----------------------------------------------------------------------------------------------------


def rand(*sizes: int) -> Any:
    return torch.rand(sizes)


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
        if torch.is_tensor(value) and not row.format:
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


# -- what the CUDA kernels check ---------------------------------------------------------------------------------------


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


# -- modules -----------------------------------------------------------------------------------------------------------

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


# -- optimizers, files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in rows_of(OptimizerType) if name != "torch.optim.Optimizer"])
def test_optimizer_state(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, OptimizerType)
    weight = torch.nn.Parameter(rand(2, 2))
    optimizer = resolve(name)([weight], lr=0.1)
    assert row.eager_state is bool(optimizer.state.get(weight))


def test_every_optimizer_is_known() -> None:
    optim = torch.optim
    classes = {f"torch.optim.{name}" for name in dir(optim) if inspect.isclass(getattr(optim, name))}
    assert classes <= set(rows_of(OptimizerType))


@pytest.mark.parametrize("name", sorted(set(rows_of(OptimizerType)) - {"torch.optim.Optimizer"}))
def test_a_group_that_is_added_later_has_no_state_yet(name: str) -> None:
    assert isinstance(DEFAULT.optimizer["add_param_group"], AddGroup)
    optimizer, late = resolve(name)([torch.nn.Parameter(rand(2, 2))], lr=0.1), torch.nn.Parameter(rand(2, 2))
    optimizer.add_param_group({"params": [late]})
    assert not optimizer.state.get(late)


def test_state_of_an_optimizer_is_moved_through_its_attribute() -> None:
    assert [name for name, row in DEFAULT.optimizer.items() if isinstance(row, StateOf)] == ["state"]
    weight = torch.nn.Parameter(rand(2))
    optimizer = torch.optim.Adam([weight])
    weight.sum().backward()
    optimizer.step()
    assert all(torch.is_tensor(value) for value in optimizer.state[weight].values())


@pytest.mark.parametrize("name", rows_of(NoGrad, GradMode))
def test_modes_without_graphs(name: str) -> None:
    mode, weight = resolve(name), torch.nn.Parameter(rand(2))
    arguments = (False,) if isinstance(TORCH_ROWS[name], GradMode) else ()
    with mode(*arguments):
        assert not (weight * 2).requires_grad
    assert (weight * 2).requires_grad


@pytest.mark.parametrize("name", rows_of(GradMode))
def test_a_mode_that_is_switched_by_a_statement_stays(name: str) -> None:
    weight = torch.nn.Parameter(rand(2))
    try:
        resolve(name)(False)
        assert not (weight * 2).requires_grad
    finally:
        resolve(name)(True)
    assert (weight * 2).requires_grad


@pytest.mark.parametrize("name", rows_of(Conversion))
def test_a_conversion_that_replaces_parameters(name: str) -> None:
    module = torch.nn.Linear(2, 2)
    weight = module.weight
    assert module.double().weight is weight
    try:
        resolve(name)(True)
        assert module.float().weight is not weight
    finally:
        resolve(name)(False)


def methods_of(kind: type[Row]) -> list[str]:
    return [name for name, row in DEFAULT.module.items() if isinstance(row, kind)]


@pytest.mark.parametrize("name", methods_of(Freeze))
def test_freezing_a_module(name: str) -> None:
    module = torch.nn.Linear(2, 2)
    assert getattr(module, name)(False) is module
    assert not module(rand(2)).requires_grad
    assert getattr(module, name)()(rand(2)).requires_grad


@pytest.mark.parametrize("name", methods_of(Visit))
def test_visiting_a_module(name: str) -> None:
    row = DEFAULT.module[name]
    assert isinstance(row, Visit)
    module = torch.nn.Sequential(torch.nn.BatchNorm1d(2))
    seen: list[Any] = []
    getattr(module, name)(lambda visited: seen.append(visited) or visited)
    wanted = [*module.parameters(), *module.buffers()] if row.tensors else [module[0], module]
    assert {id(part) for part in wanted} <= {id(part) for part in seen}


@pytest.mark.parametrize("name", rows_of(LoadFile))
def test_position_of_map_location(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, LoadFile)
    assert list(inspect.signature(resolve(name)).parameters)[row.position] == row.keyword


@pytest.mark.parametrize("name", rows_of(SaveFile))
def test_position_of_saved_object(name: str) -> None:
    row = TORCH_ROWS[name]
    assert isinstance(row, SaveFile)
    parameters = list(inspect.signature(resolve(name)).parameters)
    assert (parameters[row.value], parameters[row.path]) in {("obj", "f"), ("m", "f")}


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
