"""Errors that were saved in a notebook: an author who went on behind one has seen it, and left it there on purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_DEVICE_ERRORS = ("RuntimeError", "TypeError")
"""What is raised where tensors on two devices meet, and where the host reads one of an accelerator."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_FAILING = re.compile(r"^-+>\s*\d+ (.*)$", re.MULTILINE)
"""A line of the source that a traceback of IPython points at."""


def failing_lines(cells: list[Any]) -> Iterator[str]:
    """Yield the lines, without indentation, through which the errors of cells came, if others were run behind them."""
    last = next((number for number in range(len(cells), 0, -1) if _outputs(cells[number - 1])), 0)
    for cell in cells[: last - 1]:
        for error in _errors(cell):
            frames = error.get("traceback")
            for frame in frames if isinstance(frames, list) else []:
                if isinstance(frame, str):
                    yield from (line.strip() for line in _FAILING.findall(_COLOUR.sub("", frame)))


def _errors(cell: Any) -> Iterator[Mapping[str, Any]]:
    for output in _outputs(cell):
        if isinstance(output, Mapping) and output.get("ename") in _DEVICE_ERRORS:
            yield output


def _outputs(cell: Any) -> list[Any]:
    outputs = cell.get("outputs") if isinstance(cell, Mapping) else None
    return outputs if isinstance(outputs, list) else []
