"""Factories, layers and losses have a row only where nothing that they do is in doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from simulated import simulated

torch = pytest.importorskip("torch")
pytest.importorskip("yaml")

from torch import nn  # noqa: E402 -- it was asked for above

from torchdevlint.harness.derive import factories, losses, modules  # noqa: E402 -- they import PyTorch
from torchdevlint.harness.derive.samples import Sample  # noqa: E402
from torchdevlint.harness.derive.schemas import Overload, Parameter  # noqa: E402
from torchdevlint.harness.derive.signatures import Offer  # noqa: E402
from torchdevlint.knowledge.rows import Like, Loss, Make, ModuleType, RankRule  # noqa: E402

pytestmark = pytest.mark.needs_torch

X, SIZE = Parameter("input", "Tensor"), Parameter("size", "SymInt[]")
OPTIONS = (Parameter("dtype", "ScalarType?", keyword_only=True), Parameter("device", "Device?", keyword_only=True))


@dataclass(frozen=True, slots=True)
class Made(Offer):
    """A function that no module has."""

    what: Any = None

    def function(self) -> Callable[..., Any]:
        return self.what


def factory(what: Callable[..., Any], *parameters: Parameter) -> Any:
    return dict(factories.rows([Made("torch.f", (Overload((*parameters, *OPTIONS)),), what)])).get("torch.f")


@simulated()
def test_a_factory_takes_the_default_device_or_follows_its_tensor() -> None:
    assert factory(torch.zeros, SIZE) == Make()
    assert factory(torch.zeros_like, X) == Like()
    assert factory(lambda size, device="cpu": torch.zeros(size, device=device), SIZE) is None
    assert factory(lambda x, device=None: torch.zeros(2, device=device), X) is None


@simulated()
def test_what_cannot_be_called_has_no_row() -> None:
    assert factory(torch.zeros, Parameter("name", "str"), SIZE) is None
    assert factory(torch.zeros, Parameter("size", "DimnameList")) is None


def loss(what: Callable[..., Any]) -> Any:
    parameters = Overload((Parameter("input", ""), Parameter("target", ""), Parameter("reduction", "")))
    samples: Any = SimpleNamespace(of=lambda _: [Sample((torch.ones(3), torch.ones(3)), {})])
    offer = Made(f"{losses.FUNCTIONS}f", (parameters,), what)
    return dict(losses.functions([offer], samples)).get(offer.name)


@simulated()
def test_the_target_of_a_loss_is_refused_elsewhere() -> None:
    assert loss(lambda x, y, reduction="mean": (x - y).sum()) == Loss()
    assert loss(lambda x, y, reduction="mean": x.sum()) is None
    assert loss(lambda x: x.sum()) is None


class Sums(nn.Module):
    def forward(self, x: Any) -> Any:
        return x.sum()


class OnHostOnly(nn.Module):
    def forward(self, x: Any) -> Any:
        if x.device.type == "cuda":
            raise ValueError
        return x


class ComesBack(nn.Module):
    def forward(self, x: Any) -> Any:
        return x.cpu()


def layer(kind: Any) -> Any:
    def samples(*_: Any, **__: Any) -> Iterator[Any]:
        given = SimpleNamespace(args=(), kwargs={})
        yield SimpleNamespace(constructor_input=given, forward_input=SimpleNamespace(args=(torch.ones(3),), kwargs={}))
        yield SimpleNamespace(constructor_input=given, forward_input=None)

    setattr(nn, kind.__name__, kind)
    info = SimpleNamespace(module_cls=kind, module_inputs_func=samples)
    return dict(modules.rows([info])).get(f"torch.nn.{kind.__name__}")


@simulated()
def test_a_layer_without_tensors_is_followed_where_its_result_is_there() -> None:
    assert layer(Sums) == ModuleType(holds_tensors=False, inputs=("x",), returns=RankRule.UNKNOWN)
    assert layer(OnHostOnly) is None
    assert layer(ComesBack) is None
