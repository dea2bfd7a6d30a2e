"""Streams and events of the simulated device: work is done at once, and only late copies to the host are waited for."""

from __future__ import annotations

import time
from typing import Any

import torch

from torchdevlint.harness.simulator.devices import Runtime
from torchdevlint.harness.simulator.tags import Device


class Stream:
    """Stands for `torch.cuda.Stream`."""

    runtime: Runtime
    cuda_stream = 0
    stream_id = 0

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        """A stream of the device, or of the current one."""
        self.device = Device("cuda", self.runtime.index_of(device))
        self.device_index = self.device.index
        self.priority = priority
        self._entered: list[Any] = []

    def synchronize(self) -> None:
        """Wait on the host."""
        self.runtime.note_wait("Stream.synchronize")

    def query(self) -> bool:
        """All work is done: only the copies that the host must wait for are not."""
        return not self.runtime.pending

    def is_capturing(self) -> bool:
        """CUDA graphs are not simulated."""
        return False

    def wait_stream(self, stream: Any) -> None:
        """The device waits, not the host."""

    def wait_event(self, event: Any) -> None:
        """The device waits, not the host."""

    def record_event(self, event: Any = None) -> Any:
        """Record an event, a new one by default."""
        recorded = Event() if event is None else event
        recorded.record(self)
        return recorded

    def __enter__(self) -> Stream:  # noqa: PYI034 -- `Self` is newer than Python 3.10
        """Make it the current stream, as newer versions allow."""
        region = _StreamRegion(self)
        region.__enter__()
        self._entered.append(region)
        return self

    def __exit__(self, *error: object) -> None:
        """Return to the stream before."""
        self._entered.pop().__exit__(*error)


class Event:
    """Stands for `torch.cuda.Event`."""

    runtime: Runtime

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        """An event that is not recorded yet."""
        self._timing = enable_timing
        self._time: float | None = None

    def record(self, stream: Any = None) -> None:
        """Take the time."""
        self.runtime.initialise()
        self._time = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """The device waits, not the host."""

    def synchronize(self) -> None:
        """Wait on the host."""
        self.runtime.note_wait("Event.synchronize")

    def query(self) -> bool:
        """All work is done: only the copies that the host must wait for are not."""
        return not self.runtime.pending

    def elapsed_time(self, end_event: Event) -> float:
        """The milliseconds between two recorded events; raises as PyTorch does if there are none."""
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time is None or end_event._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._time - self._time) * 1000


class _AnyEvent(Event):
    """Stands for `torch.Event`, whose first argument is a device."""

    def __init__(self, device: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)


class _StreamRegion:
    """Stands for `torch.cuda.stream(...)`: the stream, and its device, are the current ones."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is None:
            return
        current = self.stream.runtime.current
        self._before = (current.index, getattr(current, "stream", None))
        current.index, current.stream = self.stream.device.index, self.stream

    def __exit__(self, *error: object) -> None:
        if self.stream is not None:
            current = self.stream.runtime.current
            current.index, current.stream = self._before


def patch_streams(runtime: Runtime) -> None:
    """Replace streams and events."""
    Stream.runtime = runtime
    Event.runtime = runtime

    def current_stream(device: Any = None) -> Any:
        index = runtime.index_of(device)
        stream = getattr(runtime.current, "stream", None)
        return stream if stream is not None and stream.device.index == index else Stream(index)

    def set_stream(stream: Any) -> None:
        if stream is not None:
            _StreamRegion(stream).__enter__()

    torch.Stream, torch.Event = Stream, _AnyEvent
    cuda = torch.cuda
    for module in (cuda, cuda.streams):
        module.Stream, module.Event = Stream, Event
    cuda.stream = cuda.StreamContext = _StreamRegion
    cuda.current_stream = current_stream
    cuda.default_stream = lambda device=None: Stream(runtime.index_of(device))
    cuda.set_stream = set_stream
