"""Rows of classes: of optimizers by what they keep, of distributions by what their parameters must share."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from torchdevlint.harness.derive.observing import Answer, Unfolding
from torchdevlint.harness.derive.schemas import checked
from torchdevlint.harness.simulator import is_device_error
from torchdevlint.knowledge.rows import Combine, Mix, OptimizerType, Row

OPTIMIZERS, DISTRIBUTIONS = "torch.optim", "torch.distributions"
_SIZE = 3


def rows() -> Iterator[tuple[str, Row]]:
    """Yield the rows of classes of which something is certain."""
    for name, kind in _classes(torch.optim, torch.optim.Optimizer):
        optimizer = _optimizer(kind)
        if optimizer is not None:
            yield f"{OPTIMIZERS}.{name}", optimizer
    for name, kind in _classes(torch.distributions, torch.distributions.Distribution):
        distribution = _distribution(kind)
        if distribution is not None:
            yield f"{DISTRIBUTIONS}.{name}", distribution


def _classes(module: Any, base: Any) -> Iterator[tuple[str, Any]]:
    for name in sorted(dir(module)):
        kind = getattr(module, name)
        if inspect.isclass(kind) and issubclass(kind, base) and kind is not base:
            yield name, kind


# -- optimizers --------------------------------------------------------------------------------------------------------


def _optimizer(kind: Any) -> OptimizerType | None:
    """What an optimizer keeps: state from the beginning, after a step, or after a step only with one of its options."""
    eager = _keeps_state(kind, steps=0)
    if eager is None or eager:
        return OptimizerType(eager_state=True) if eager else None
    kept = _keeps_state(kind, steps=1)
    if kept is None or kept:
        return OptimizerType() if kept else None
    options = [name for name in _options(kind) if _keeps_state(kind, 1, **{name: 0.5})]
    return OptimizerType(stateless_without=options[0]) if len(options) == 1 else None


def _options(kind: Any) -> list[str]:
    """The options that are numbers and zero where they are not given."""
    parameters = inspect.signature(kind).parameters.values()
    return [each.name for each in parameters if type(each.default) in (int, float) and each.default == 0]


def _keeps_state(kind: Any, steps: int, **options: float) -> bool | None:
    """Whether an optimizer has state of a parameter after some steps; None where it cannot make them."""
    weight = torch.nn.Parameter(torch.ones(2, 2))
    try:
        optimizer = kind([weight], **options)
        for _ in range(steps):
            weight.grad = torch.ones(2, 2)
            optimizer.step(lambda: torch.ones(()))
    except Exception:  # noqa: BLE001 -- it wants other parameters or gradients
        return None
    return bool(optimizer.state.get(weight))


# -- distributions -----------------------------------------------------------------------------------------------------


def _distribution(kind: Any) -> Combine | None:
    """The parameters of a distribution that must share a device, in the order of its constructor."""
    names = [name for name in inspect.signature(kind).parameters if name != "validate_args"]
    for chosen in _parameters(kind, names):
        values = {name: _value(kind.arg_constraints[name]) for name in chosen}
        if len(chosen) > 1 and all(value is not None for value in values.values()) and _use(kind, values) is Answer.RAN:
            return _meeting(kind, names, values)
    return None


def _parameters(kind: Any, names: list[str]) -> Iterator[list[str]]:
    """Choices of parameters: those that every distribution of the kind has, then with one of the others."""
    signature = inspect.signature(kind).parameters
    constraints = kind.arg_constraints
    known = [name for name in names if isinstance(constraints, dict) and name in constraints]
    required = [name for name in known if signature[name].default is inspect.Parameter.empty]
    yield required
    yield from ([*required, name] for name in known if name not in required)


def _value(constraint: Any) -> torch.Tensor | None:
    """A tensor that satisfies a constraint; None for those that depend on other parameters."""
    vectors = [torch.full((_SIZE,), number) for number in (0.5, 5.0, 1 / _SIZE)]
    return next((made for made in (*vectors, torch.eye(_SIZE)) if _satisfies(constraint, made)), None)


def _satisfies(constraint: Any, value: torch.Tensor) -> bool:
    try:
        return bool(constraint.check(value).all())
    except (IndexError, NotImplementedError, RuntimeError, ValueError):
        return False


def _use(kind: Any, values: Mapping[str, torch.Tensor]) -> Answer:
    """Sample a distribution and ask it for a density: how it ended, where one of both is enough to have run."""
    value = torch.full((_SIZE,), 0.5)
    answers = set()
    for given in (None, value, value.cuda()):
        try:
            with torch.random.fork_rng(devices=[]):
                made = kind(**values, validate_args=False)
                made.sample() if given is None else made.log_prob(given)
            answers.add(Answer.RAN)
        except Exception as error:  # noqa: BLE001 -- whatever a distribution does
            answers.add(Answer.REFUSED if is_device_error(error) else Answer.FAILED)
    return next(answer for answer in (Answer.RAN, Answer.REFUSED, Answer.FAILED) if answer in answers)


def _meeting(kind: Any, names: list[str], values: Mapping[str, torch.Tensor]) -> Combine | None:
    lenient = False
    with Unfolding() as unfolding:
        for chosen in values:
            on_host = {name: value if name == chosen else value.cuda() for name, value in values.items()}
            on_device = {name: value.cuda() if name == chosen else value for name, value in values.items()}
            if _use(kind, on_host) is not Answer.REFUSED or _use(kind, on_device) is not Answer.REFUSED:
                return None
            for others in (on_host, {name: value.flatten()[0] for name, value in on_host.items()}):
                with_a_scalar = {**others, chosen: values[chosen].flatten()[0]}
                lenient = lenient or _use(kind, with_a_scalar) is not Answer.REFUSED
    operands = [name if name in values else "" for name in names]
    while not operands[-1]:
        operands.pop()
    row = Combine(tuple(operands), Mix.ZERO_DIM if lenient else Mix.STRICT)
    return row if unfolding.heard <= checked() else None
