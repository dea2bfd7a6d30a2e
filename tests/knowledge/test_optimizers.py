"""Rows of optimizers, of modes and of files."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from torchdevlint.knowledge import DEFAULT
from torchdevlint.knowledge.rows import (
    AddGroup,
    Conversion,
    Freeze,
    GradMode,
    LoadFile,
    NoGrad,
    OptimizerType,
    Row,
    SaveFile,
    StateOf,
    Visit,
)

torch = pytest.importorskip("torch")

from torch_rows import TORCH_ROWS, rand, resolve, rows_of  # noqa: E402 -- it imports PyTorch

pytestmark = pytest.mark.needs_torch


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
