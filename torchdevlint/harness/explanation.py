"""One line about a device error: the finding at the line that failed, or else what kind of error it is."""

from __future__ import annotations

import re

from torchdevlint.engine import Diagnostic, analyse
from torchdevlint.harness.fixtures import partners
from torchdevlint.harness.scripts import Place
from torchdevlint.options import NotAnalysed, Options

_KINDS = (
    (r"to numpy|__array__|CUDA array", "an accelerator tensor is read on the host"),
    (r"indices should be either on|indexed tensor", "a tensor on the host is indexed by one on an accelerator"),
    (r"deserialize object on a", "a checkpoint is loaded to a device that is not there"),
    (r"not compiled with CUDA|No CUDA GPUs|NVIDIA driver|no accelerator|none is available", "there is no such device"),
    (r"invalid device ordinal", "there are not so many devices"),
    (r"for generator but found", "a random generator is on another device than what it is to fill"),
    (r"cannot pin", "only tensors on the host can be pinned"),
    (r"Cannot re-initialize CUDA in forked", "CUDA is used in a forked process"),
    (r"must have its parameters and buffers on device", "a wrapped module is not on its first device"),
    (r"same device|same type|[Dd]evice type|at least two devices|on device", "operands are on different devices"),
)


def kind(error: BaseException) -> str | None:
    """Return what kind of device error an exception is, or None for any other exception."""
    if any(base.__name__ == "SimulationError" for base in type(error).__mro__):
        return "this cannot be simulated, and a GPU may do it"
    if not isinstance(error, RuntimeError | TypeError | AssertionError | ValueError):
        return None
    return next((text for pattern, text in _KINDS if re.search(pattern, str(error))), None)


def explain(error: BaseException, place: Place | None) -> str | None:
    """Return one line about a device error that was raised at a place of the user's, or None for other errors."""
    what = kind(error)
    if what is None:
        return None
    if place is None:
        return f"torchdevlint: {what}"
    found = _finding(place)
    if found is None:
        return f"torchdevlint: {place.file.name}, line {place.line}: {what}; no rule reports this line"
    where = f"line {found.line}" if found.line == place.line else f"line {found.line}, which fails at line {place.line}"
    return f"torchdevlint: {place.file.name}, {where}: {found.code} {found.message}"


def _finding(place: Place) -> Diagnostic | None:
    """Return the finding on the line, or else one whose message names it as its partner."""
    try:
        found = analyse(place.file.read_text("utf-8"), options=Options(filename=place.file.name))
    except (NotAnalysed, OSError, UnicodeError):
        return None
    on_it = (one for one in found if one.line <= place.line <= one.end_line)
    naming = (one for one in found if place.line in partners(one.message))
    return next(on_it, None) or next(naming, None)
