"""Measures what raises nothing: moves that move nothing, graphs that grow, parameters that no step changes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from torchdevlint.harness.jobs import Measures, Move

# what is seen first tells as much as all of it, and counting a growing graph is quadratic
_VISITS = 64
_DEPTH = 1


class Meters:
    """Collects measurements while a script runs; torch has to be there."""

    def __init__(self) -> None:
        """Begin with nothing measured."""
        self._torch: Any = importlib.import_module("torch")
        self._moves: list[Move] = []
        self._nodes: list[int] = []
        self._nbytes: list[int] = []
        self._modules: list[Any] = []
        self._before: list[list[Any]] = []
        self._trained = self._updated = 0

    def watch_steps(self) -> None:
        """Compare the watched modules before and after each step of any optimizer from now on."""
        optimizer = importlib.import_module("torch.optim.optimizer")
        optimizer.register_optimizer_step_pre_hook(lambda *_: self._before_step())
        optimizer.register_optimizer_step_post_hook(lambda *_: self._after_step())

    def measures(self) -> Measures:
        """Return what has been measured."""
        return Measures(tuple(self._moves), tuple(self._nodes), tuple(self._nbytes), self._trained, self._updated)

    def move(self, moved: Any, name: str) -> Callable[..., Any]:
        """Return the method of an object that moves it, which notes what it does."""
        method = getattr(moved, name)
        if isinstance(moved, self._torch.nn.Module):
            self._modules.append(moved)
            return method  # type: ignore[no-any-return]

        def measured(*arguments: object, **named: object) -> object:
            before = self._place(moved)
            result = method(*arguments, **named)
            self._moves.append(Move(before, self._place(moved), self._place(result)))
            return result

        return measured

    def put(self, value: Any) -> None:
        """Watch a module or parameter that was put into a module."""
        is_module = isinstance(value, self._torch.nn.Module)
        self._modules.append(value if is_module else self._torch.nn.ParameterList([value]))

    def total(self, value: object) -> None:
        """Count the nodes of the graph that a total or a container of tensors keeps alive, and the bytes in use."""
        if len(self._nodes) < _VISITS:
            self._nodes.append(self._count(value))
            self._nbytes.append(self._torch.cuda.memory_allocated())

    def _place(self, moved: Any) -> tuple[str, str]:
        # a packed sequence and its like hold their tensor as `data`
        tensor = moved if isinstance(moved, self._torch.Tensor) else getattr(moved, "data", moved)
        return str(getattr(tensor, "device", "")), str(getattr(tensor, "dtype", ""))

    def _count(self, value: object) -> int:
        waiting = [tensor.grad_fn for tensor in self._tensors(value) if tensor.grad_fn is not None]
        seen = set(waiting)
        while waiting:
            following = {node for node, _ in waiting.pop().next_functions if node is not None} - seen
            seen |= following
            waiting.extend(following)
        return len(seen)

    def _tensors(self, value: object, depth: int = 0) -> Iterator[Any]:
        if isinstance(value, self._torch.Tensor):
            yield value
        elif isinstance(value, Mapping):
            for element in value.values():
                yield from self._tensors(element, depth)
        elif hasattr(value, "__iter__") and not isinstance(value, str):
            for element in value:
                yield from self._tensors(element, depth)
        elif hasattr(value, "__dict__") and depth < _DEPTH:
            for element in vars(value).values():  # an object that keeps a total, such as a meter
                yield from self._tensors(element, depth + 1)

    def _before_step(self) -> None:
        self._before = [[p.detach().clone() for p in module.parameters()] for module in self._modules]

    def _after_step(self) -> None:
        for module, before in zip(self._modules, self._before, strict=True):
            parameters = list(module.parameters())
            self._trained += any(parameter.grad is not None for parameter in parameters)
            self._updated += not all(map(self._torch.equal, parameters, before))
