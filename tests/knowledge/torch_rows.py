"""What the rows about `torch` are compared with: the objects of their names, ranks, a few tensors."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from torchdevlint.knowledge import DEFAULT
from torchdevlint.knowledge.rows import RankRule, Row
from torchdevlint.knowledge.torch_further import FURTHER

torch = pytest.importorskip("torch")

# Names that the CPU wheel lacks, and what gives them.
ELSEWHERE = {
    "torch.npu.": "torch_npu",
    "torch.utils.tensorboard.": "tensorboard",
}

VECTOR = torch.rand(3)
INDEX = torch.tensor([0, 1, 1])
MASK = torch.tensor([True, False, True])


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


def rand(*sizes: int) -> Any:
    return torch.rand(sizes)


def sgd() -> Any:
    return torch.optim.SGD([torch.nn.Parameter(rand(2))], lr=0.1)
