"""The mode that sees every operation, forward and backward: checks the devices before, tags the results after."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from torchdevlint.harness.simulator import tags
from torchdevlint.harness.simulator.checks import COPIES_INTO_A_COPY, Operand, check
from torchdevlint.harness.simulator.devices import Runtime
from torchdevlint.harness.simulator.errors import SimulationError
from torchdevlint.harness.simulator.report import DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, Kind
from torchdevlint.harness.simulator.tags import ADOPTS, CPU, Device, Tag, is_on_device

# operations whose result the host needs: a value, or a shape that depends on values
_WAITS = frozenset(
    [
        "_local_scalar_dense",
        "nonzero",
        "masked_select",
        "equal",
        "_unique",
        "_unique2",
        "unique_dim",
        "unique_consecutive",
        "is_nonzero",
        "repeat_interleave",
        "bincount",
    ]
)
# their second result is read on the host, so it is made there
_SECOND_ON_HOST = frozenset({"_pack_padded_sequence"})
_INDEXING = frozenset({"index", "_unsafe_index"})
# their results are beside their first tensor
_BESIDE_FIRST = _INDEXING | COPIES_INTO_A_COPY
# made where the call asks for it, wherever the tensors are that say how
_RANGES = frozenset({"linspace", "logspace"})
_MASKS = (torch.bool, torch.uint8)


@dataclass(frozen=True, slots=True)
class _Operation:
    """What is known of an operation before it is called."""

    name: str
    overload: str
    arguments: tuple[str, ...]
    written: frozenset[str]
    takes_device: bool


@cache
def _describe(function: Any) -> _Operation:
    schema = function._schema
    arguments = tuple(argument.name for argument in schema.arguments)
    written = frozenset(argument.name for argument in schema.arguments if argument.is_write)
    name = schema.name.split("::")[-1]
    return _Operation(name, schema.overload_name or "default", arguments, written, "device" in arguments)


def _operands(name: str, value: Any, written: bool) -> Iterator[Operand]:
    """The tensors in an argument; those without a storage in the host's memory are none of CUDA's."""
    if isinstance(value, torch.Tensor):
        storage = tags.storage_within_native(value)
        if storage is not None:
            yield Operand(name, value, tags.tag_of_storage(storage), storage, written)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _operands(name, each, written)


def _stay_on_host(operands: Sequence[Operand]) -> None:
    """Leave on the host what has no device yet and meets host tensors only; a 0-dim one may be a wrapped number."""
    if any(operand.tag == CPU and operand.tensor.dim() > 0 for operand in operands):
        for operand in operands:
            if operand.tag is ADOPTS:
                tags.tag_storage(operand.storage, CPU)


def _is_non_blocking(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """The value of `copy_`'s third argument."""
    return bool(kwargs.get("non_blocking", args[2] if len(args) > 2 and isinstance(args[2], bool) else False))


class DeviceRules(TorchDispatchMode):
    """Applies CUDA's device rules to every operation of a thread."""

    def __init__(self, runtime: Runtime) -> None:
        """Apply the rules of the runtime's machine."""
        super().__init__()
        self._runtime = runtime

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Spare each operation a wrapper for `torch.compile`, which is not simulated."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Call the operation, or raise what CUDA raises instead."""
        with tags.Native():
            return self._call(func, args, dict(kwargs or {}))

    def _call(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        operation = _describe(function)
        operands = [
            operand
            for name, value in [*zip(operation.arguments, args, strict=False), *kwargs.items()]
            for operand in _operands(name, value, name in operation.written)
        ]
        device = next((operand.tag for operand in operands if is_on_device(operand.tag)), None)
        requested = self._requested(operation, kwargs)
        if device is not None:
            self._before(operation, operands, device, _is_non_blocking(args, kwargs))
        else:
            _stay_on_host(operands)
        self._check_generator(kwargs.get("generator"), device, requested)
        if device is not None and self._comes_late(operation, operands, args, kwargs):
            return args[0]
        result = function(*args, **kwargs)
        if operation.name != "set_":
            self._tag_results(operation, operands, result, self._place(operation, operands, device, requested))
        return result

    def _requested(self, operation: _Operation, kwargs: dict[str, Any]) -> Device | None:
        """The device that the script or the call asks for; one that PyTorch here lacks is taken out of the call."""
        device = kwargs.get("device")
        if operation.takes_device and device is not None and device.type == "cuda":
            kwargs["device"] = CPU
            kwargs.pop("pin_memory", None)
            return self._runtime.resolve(device)
        return self._runtime.current.requested

    def _before(self, operation: _Operation, operands: list[Operand], device: Device, non_blocking: bool) -> None:
        """Refuse, wait for the device, and give a device to the tensors that adopt one."""
        self._runtime.check_usable()
        if operation.name == "_pack_padded_sequence" or any(operand.tag != device for operand in operands):
            check(operation.name, operation.overload, operands)
        if operation.name in _WAITS:
            self._runtime.note_wait(operation.name)
        self._note_copies(operation, operands, non_blocking)
        for operand in operands:
            if operand.tag is ADOPTS and operand.name != "lengths":
                tags.tag_storage(operand.storage, device)

    def _comes_late(
        self, operation: _Operation, operands: list[Operand], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> bool:
        """Whether the copy to the host is one that arrives when the host waits; then it is put off."""
        if operation.name != "copy_" or not (self._runtime.machine.asynchronous and _is_non_blocking(args, kwargs)):
            return False
        destination, source = operands
        # only such memory is written behind the host's back
        pinned = tags.is_pinned(destination.storage)
        if destination.tag != CPU or not pinned:
            return False
        self._runtime.pending.append((destination.tensor, source.tensor.clone()))
        return True

    def _note_copies(self, operation: _Operation, operands: list[Operand], non_blocking: bool) -> None:
        note = self._runtime.ledger.note
        if operation.name in _INDEXING and is_on_device(operands[0].tag):
            for operand in operands[1:]:
                if operand.tag == CPU:
                    note(HOST_TO_DEVICE, operand.tensor.nbytes, "index")
                if operand.tensor.dtype in _MASKS:  # the host must know how many elements there are
                    self._runtime.note_wait("index")
        elif operation.name == "copy_" and len(operands) == 2:
            destination, source = operands[0].tag, operands[1].tag
            if ADOPTS not in (destination, source) and destination != source:
                kind = kind_of_copy(source, destination)
                if kind != DEVICE_TO_DEVICE and not non_blocking:
                    self._runtime.note_wait("copy_")
                note(kind, operands[1].tensor.nbytes, "copy_")

    def _check_generator(self, generator: Any, device: Device | None, requested: Device | None) -> None:
        if generator is None:
            return
        expected = device or requested or CPU
        found = self._runtime.generator_device(generator)
        if expected.type != found.type:
            raise RuntimeError(f"Expected a '{expected.type}' device type for generator but found '{found.type}'")

    def _place(
        self, operation: _Operation, operands: list[Operand], device: Device | None, requested: Device | None
    ) -> Tag:
        """Where the results are."""
        if requested is not None:
            return requested
        if operation.name in _BESIDE_FIRST:
            return operands[0].tag if operands else CPU
        if operation.takes_device and operation.name in _RANGES:
            return CPU
        if device is not None:
            return device
        return ADOPTS if all(operand.tag is ADOPTS for operand in operands) else CPU

    def _tag_results(self, operation: _Operation, operands: list[Operand], result: Any, common: Tag) -> None:
        if common == CPU:
            return
        old = {operand.storage._cdata for operand in operands}
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        if operation.name in _SECOND_ON_HOST:
            results = results[:1]
        places: Iterator[Tag] = itertools.repeat(common)
        if operation.name.startswith("_foreach_"):  # each result is beside the tensor of the first list in its row
            places = (operand.tag for operand in operands if operand.name == operands[0].name)
        for tensor, place in zip(_tensors(results), places, strict=False):
            storage = tags.storage_within_native(tensor)
            if storage is None:
                if is_on_device(place) and tensor.layout != torch.strided:
                    raise SimulationError(f"sparse tensors on a device cannot be simulated ({operation.name})")
            elif storage._cdata not in old and tags.tag_of_storage(storage) == CPU and place != CPU:
                tags.tag_storage(storage, place)


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def kind_of_copy(source: Device, destination: Device) -> Kind:
    """What a copy from one place to another is called in the report."""
    if source == CPU:
        return HOST_TO_DEVICE
    return DEVICE_TO_HOST if destination == CPU else DEVICE_TO_DEVICE


def apply_rules(runtime: Runtime) -> None:
    """Apply the rules in this thread and in each that starts later; modes are kept per thread."""
    start = threading.Thread.start

    def start_with_rules(thread: threading.Thread) -> None:
        run = thread.run

        def run_with_rules() -> None:
            with DeviceRules(runtime):
                run()

        thread.run = run_with_rules  # type: ignore[method-assign]
        start(thread)

    threading.Thread.start = start_with_rules  # type: ignore[assignment, method-assign]
    DeviceRules(runtime).__enter__()
