"""Rows of losses: targets and weights, which must be where the prediction is, and what may mix without dimensions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from torchdevlint.harness.derive.observing import Answer, Mixed, Observations, mixtures, observe
from torchdevlint.harness.derive.samples import Samples
from torchdevlint.harness.derive.schemas import checked
from torchdevlint.harness.derive.signatures import Offer
from torchdevlint.knowledge.rows import Loss, ModuleType, RankRule, Row

FUNCTIONS = "torch.nn.functional."
LAYERS = "torch.nn."
_TARGETS = ("target", "targets", "positive", "negative")
"""What PyTorch calls the parameters of its losses that a prediction is compared with."""
_WEIGHT = "weight"
"""How the names of those end that a loss is multiplied with."""


def functions(offers: Iterable[Offer], samples: Samples) -> Iterator[tuple[str, Loss]]:
    """Yield the rows of functions that are losses."""
    for offer in offers:
        names = {each.name for _, each in offer.parameters()}
        if offer.name.startswith(FUNCTIONS) and "reduction" in names and names.intersection(_TARGETS):
            row = _row(observe(offer, samples))
            if row is not None:
                yield offer.name, row


def _row(seen: Observations) -> Loss | None:
    names = list(dict.fromkeys(name for ran in seen.ran for name in ran.ranks))
    if len(names) < 2 or len(seen.offer.overloads) != 1 or seen.operations - checked():
        return None
    mixed = [*seen.mixed, *(test for ran in seen.ran for test in mixtures(seen.offer, ran.bound))]
    if not all(_is_needed(mixed, name) for name in names):
        return None
    parameters = [each.name if each.name in names else "" for each in seen.offer.overloads[0].parameters]
    targets = tuple(name for name in _TARGETS if name in names)
    weights = tuple(name for name in names if name.endswith(_WEIGHT))
    answers = {Answer.RAN: set[int](), Answer.REFUSED: set[int](), Answer.FAILED: set[int]()}
    for test in mixed:
        if test.on_host <= set(targets) and not any(_dimensions(test)):
            answers[test.answer].add(min(max(test.ranks[names[0]]), 1))
    return Loss(
        tuple(parameters[: max(map(parameters.index, names)) + 1]),
        targets,
        strict=bool(answers[Answer.REFUSED]) and not answers[Answer.RAN],
        expands=answers[Answer.REFUSED] == {1} and answers[Answer.RAN] == {0},
        weights=weights,
        strict_weights=tuple(name for name in weights if not _may_mix(mixed, name)),
    )


def _dimensions(test: Mixed) -> Iterator[int]:
    yield from (max(test.ranks[name]) for name in test.on_host)


def _is_needed(mixed: list[Mixed], name: str) -> bool:
    """Whether an operand with dimensions is always refused where the others are not."""
    alone = [test.answer for test in mixed if test.on_host == {name} and any(_dimensions(test))]
    return set(alone) == {Answer.REFUSED}


def _may_mix(mixed: list[Mixed], name: str) -> bool:
    return any(test.on_host == {name} and test.answer is Answer.RAN for test in mixed)


def modules(row_of: Callable[[str], Row | None]) -> Iterator[tuple[str, ModuleType]]:
    """Yield the rows of classes that call a loss; ``row_of`` gives the row of a function, by its name."""
    for name in sorted(dir(torch.nn)):
        kind = getattr(torch.nn, name)
        if inspect.isclass(kind) and issubclass(kind, torch.nn.modules.loss._Loss):
            row = row_of(FUNCTIONS + _function(kind))
            if isinstance(row, Loss):
                yield LAYERS + name, _module(kind, row)


def _function(kind: Any) -> str:
    """Return the name of the function that a class of a loss calls, or an empty one."""
    called = set(re.findall(r"\bF\.(\w+)\(", inspect.getsource(kind.forward)))
    return called.pop() if len(called) == 1 else ""


def _module(kind: Any, row: Loss) -> ModuleType:
    operands = tuple(inspect.signature(kind.forward).parameters)[1:]
    built = next(each for each in kind.__mro__ if "args" not in inspect.signature(each).parameters)
    own = [name if name in row.weights else "" for name in inspect.signature(built).parameters]
    while own and not own[-1]:
        own.pop()
    loss = Loss(
        operands,
        row.targets,
        strict=row.strict,
        expands=row.expands,
        weights=tuple(name for name in row.weights if name in own),
        strict_weights=tuple(name for name in row.strict_weights if name in own),
        optional_host=row.optional_host,
        constructor=tuple(own),
    )
    return ModuleType(holds_tensors=False, inputs=operands, returns=RankRule.REDUCTION, loss=loss)
