"""Runs PyTorch's own samples of operations and modules under the simulation, all on the device or mixed."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from torchdevlint.harness.simulator import is_device_error


@dataclass
class Outcome:
    """The names of the samples that ran, and what went wrong with the others."""

    ran: int = 0
    wrong: dict[str, str] = field(default_factory=dict)

    def note(self, name: str, problem: str | None) -> None:
        self.ran += 1
        if problem is not None:
            self.wrong.setdefault(name, problem[:200].replace("\n", " "))


def _moved(value: Any) -> Any:
    from torch.utils._pytree import tree_map

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided:
            return leaf.detach().cuda().requires_grad_(leaf.requires_grad)
        return leaf

    return tree_map(move, value)


def _tensors(value: Any) -> list[torch.Tensor]:
    from torch.utils._pytree import tree_leaves

    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided]


def _backward(result: Any) -> None:
    losses = [each.sum() for each in _tensors(result) if each.requires_grad and each.is_floating_point()]
    if losses:
        total = losses[0]
        for loss in losses[1:]:
            total = total + loss
        total.backward()


def _problem(function: Callable[[], Any], inputs: Any) -> str | None:
    """What is wrong with a run whose inputs are all on the device."""
    try:
        result = function()
        _backward(result)
    except Exception as error:  # noqa: BLE001 -- collected, not hidden
        return f"{type(error).__name__}: {error}"
    if any(each.device.type != "cuda" for each in _tensors(result)):
        return "a result is on the host"
    if any(each.grad is not None and each.grad.device.type != "cuda" for each in _tensors(inputs)):
        return "a gradient is on the host"
    return None


def _missed(function: Callable[[], Any]) -> str | None:
    """What is wrong with a run whose inputs are mixed."""
    try:
        function()
    except RuntimeError as error:
        return None if is_device_error(error) else f"{type(error).__name__}: {error}"
    return "no error"


def _samples(operation: Any, number: int) -> Iterator[Any]:
    """The first samples that run on the CPU as it is."""
    if torch.float32 not in operation.dtypes:
        return
    samples = operation.sample_inputs("cpu", torch.float32, requires_grad=operation.supports_autograd)
    for sample in itertools.islice(samples, number):
        try:
            operation(sample.input, *sample.args, **sample.kwargs)
        except Exception:  # noqa: BLE001, S112 -- samples that need what is not here
            continue
        yield sample


def operations_on_the_device() -> Outcome:
    """Forward and backward of a sample of each operation, with all its tensors on the device."""
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    outcome = Outcome()
    for operation in op_db:
        for sample in _samples(operation, 2):
            values, args, kwargs = _moved((sample.input, sample.args, sample.kwargs))
            if "device" in kwargs:
                kwargs["device"] = "cuda"

            def call(operation: Any = operation, values: Any = values, args: Any = args, kwargs: Any = kwargs) -> Any:
                return operation(values, *args, **kwargs)

            outcome.note(operation.formatted_name, _problem(call, (values, args, kwargs)))
    return outcome


def operations_on_both() -> Outcome:
    """Forward of a sample of each operation, with its first tensor on the device and another on the host."""
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    outcome = Outcome()
    for operation in op_db:
        for sample in _samples(operation, 2):
            others = [each for each in _tensors((sample.args, sample.kwargs)) if each.dim() > 0]
            if not others or not isinstance(sample.input, torch.Tensor) or sample.input.dim() == 0:
                continue
            values = _moved(sample.input)

            def call(operation: Any = operation, values: Any = values, sample: Any = sample) -> Any:
                return operation(values, *sample.args, **sample.kwargs)

            outcome.note(operation.formatted_name, _missed(call))
    return outcome


def _module_runs() -> Iterator[tuple[str, Any, Any]]:
    """A name, a module, and the inputs of its forward for each kind of module."""
    from torch.testing._internal.common_modules import module_db

    for info in module_db:
        for training in (True,):
            inputs = info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=True, training=training
            )
            for each in itertools.islice(inputs, 1):
                constructor, forward = each.constructor_input, each.forward_input
                if forward is None:
                    continue
                module = info.module_cls(*constructor.args, **constructor.kwargs).train(training)
                try:
                    copy.deepcopy(module)(*forward.args, **forward.kwargs)
                except Exception:  # noqa: BLE001, S112 -- samples that need what is not here
                    continue
                yield info.name, module, forward


def modules_on_the_device() -> Outcome:
    """Forward and backward of a sample of each module that was moved to the device, as its inputs were."""
    warnings.simplefilter("ignore")
    outcome = Outcome()
    for name, module, forward in _module_runs():
        args, kwargs = _moved((forward.args, forward.kwargs))
        module.cuda()

        def call(module: Any = module, args: Any = args, kwargs: Any = kwargs) -> Any:
            return module(*args, **kwargs)

        outcome.note(name, _problem(call, (args, kwargs)))
    return outcome


def modules_on_both() -> Outcome:
    """Forward of a sample of each module with parameters that was moved to the device, with inputs on the host."""
    warnings.simplefilter("ignore")
    outcome = Outcome()
    for name, module, forward in _module_runs():
        if not list(module.parameters()):
            continue
        module.cuda()

        def call(module: Any = module, forward: Any = forward) -> Any:
            return module(*forward.args, **forward.kwargs)

        outcome.note(name, _missed(call))
    return outcome
