"""One line about a device error: the finding at the line that failed, or else what kind of error it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchdevlint.engine import Diagnostic, analyse
from torchdevlint.harness.fixtures import partners
from torchdevlint.harness.scripts import Place
from torchdevlint.options import NotAnalysed, Options
from torchdevlint.positions import Span

_APART = (
    r"same device|same type|should be the same|[Dd]evice type|(two|different) devices|on device"
    r"|too many CPU scalars|expected device|must be cuda|a cuda device|torch\.cuda\.\w+Tensor"
)
_ABSENT = "there is no such device"
_FEW = "there are not so many devices"
_NOT_SIMULATED = "this cannot be simulated, and a GPU may do it"
_KINDS = (
    (r"to numpy|__array__|CUDA array", "an accelerator tensor is read on the host"),
    (r"indices should be either on|indexed tensor", "a tensor on the host is indexed by one on an accelerator"),
    (r"deserialize object on", "a checkpoint is loaded to a device that is not there"),
    (r"not compiled with CUDA|No CUDA GPUs|NVIDIA driver|no accelerator|none is available", _ABSENT),
    (r"invalid device ordinal", _FEW),
    (r"for generator but found", "a random generator is on another device than what it is to fill"),
    (r"cannot pin", "only tensors on the host can be pinned"),
    (r"Cannot re-initialize CUDA in forked|CUDA error: initialization error", "CUDA is used in a forked process"),
    (r"'lengths' argument should be", "lengths are read on the host and are on an accelerator"),
    (r"must have its parameters and buffers on device", "a wrapped module is not on its first device"),
    (_APART, "operands are on different devices"),
)


def kind(error: BaseException) -> str | None:
    """Return what kind of device error an exception is, or None for any other exception."""
    if any(base.__name__ == "SimulationError" for base in type(error).__mro__):
        return _NOT_SIMULATED
    if not isinstance(error, RuntimeError | TypeError | AssertionError | ValueError):
        return None
    return next((text for pattern, text in _KINDS if re.search(pattern, str(error))), None)


def explain(error: BaseException, places: Sequence[Place]) -> str | None:
    """Return one line about a device error, or None for other errors.

    ``places`` are the lines of the traceback in the user's files, the innermost last.
    """
    what = kind(error)
    if what is None:
        return None
    if not places:
        return f"torchdevlint: {what}"
    last = places[-1]
    if what == _FEW:  # nothing in the source says how many there are
        return f"torchdevlint: {last.file.name}, line {last.line}: {what}; `--devices` sets how many are simulated"
    if what == _NOT_SIMULATED:  # nothing is wrong in the source
        return f"torchdevlint: {last.file.name}, line {last.line}: {what}"
    for place in reversed(places):
        found = _finding(place, what)
        if found is not None:
            here = place is last and found.line == place.line
            fails = f"line {last.line}" if last.file == place.file else f"{last.file.name}, line {last.line}"
            where = f"line {found.line}" if here else f"line {found.line}, which fails at {fails}"
            return f"torchdevlint: {place.file.name}, {where}: {found.code} {found.message}"
    return f"torchdevlint: {last.file.name}, line {last.line}: {what}; no rule reports this line"


def _finding(place: Place, what: str) -> Diagnostic | None:
    """Return the finding on the line, or else one whose operands meet there, or whose message names it as a partner."""
    try:
        reported = analyse(place.file.read_text("utf-8"), options=Options(filename=place.file.name, details=True))
    except (NotAnalysed, OSError, UnicodeError):
        return None
    # A device that is not there is the subject of portability, and of nothing else.
    found = [one for one in reported if one.code.startswith("TDL5") == (what == _ABSENT)]
    on_it = (one for one in found if one.line <= place.line <= one.end_line)
    meeting = (one for one in found for step in one.trace if step.fails and _covers(step.span, place.line))
    naming = (one for one in found if place.line in partners(one.message))
    return next(on_it, None) or next(meeting, None) or next(naming, None)


def _covers(span: Span, line: int) -> bool:
    return span.line <= line <= span.end_line
