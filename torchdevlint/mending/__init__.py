"""Fixes: for the finding of a rule, the edits of the text that mend it. Only who asks for fixes imports this package.

The module of a fix has the stem of its rule: `SAFETY` tells what the fix may be, and `mend` gives it for a finding.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, cast

from torchdevlint.edits import Repair, Safety
from torchdevlint.mending.fitting import fitted
from torchdevlint.mending.source import Source
from torchdevlint.options import WIDTH

if TYPE_CHECKING:
    from torchdevlint.rule import Finding, Rule

__all__ = ["Source", "repair", "safety", "told"]


class _Mender(Protocol):
    """A module of this package that has the stem of a rule."""

    SAFETY: tuple[Safety, ...]

    @staticmethod
    def mend(finding: Finding, source: Source) -> Repair | None:
        """Return what mends a finding, None where that cannot be written there."""


@cache
def _stems() -> dict[str, str]:
    return {info.name[:6].upper(): info.name for info in pkgutil.iter_modules(__path__) if info.name[3:6].isdecimal()}


def _mender(code: str) -> _Mender | None:
    stem = _stems().get(code)
    return cast("_Mender", importlib.import_module(f"{__name__}.{stem}")) if stem is not None else None


def repair(
    rule: Rule, finding: Finding, source: Source, width: int = WIDTH, beside: Iterable[Finding] = ()
) -> Repair | None:
    """Return what mends a finding of a rule, None where there is no fix or it cannot be written there.

    What stands ``beside`` it, further places of the same fault in its line, is mended with it where that can be. A line
    that the fix makes longer than ``width``, and than the longest of the file, is broken.
    """
    mender = _mender(rule.code)
    found = mender.mend(finding, source) if mender is not None else None
    if mender is None or found is None:
        return None
    for other in beside:
        found = _together(found, mender.mend(other, source))
    return fitted(source, found, width)


def _together(one: Repair, other: Repair | None) -> Repair:
    """Return what does both repairs, or the first alone where that is not one thing to do."""
    if other is None or other.safety is not one.safety:
        return one
    edits = tuple(dict.fromkeys((*one.edits, *other.edits)))
    spans = sorted((e.span.line, e.span.column, e.span.end_line, e.span.end_column) for e in edits)
    apart = all(before[2:] < after[:2] for before, after in pairwise(spans))
    return Repair(one.safety, edits) if apart else one


_SAFE = "`torchdevlint check --fix` does so where the source shows how."
_UNSAFE = "`torchdevlint check --fix --unsafe-fixes` does so where the source shows how."
_TOLD = {
    (): "This is done by hand.",
    (Safety.SAFE,): _SAFE,
    (Safety.UNSAFE,): _UNSAFE,
    (Safety.SAFE, Safety.UNSAFE): f"{_SAFE.removesuffix('.')}, and `--unsafe-fixes` in more places.",
}


def told(rule: Rule) -> str:
    """Return the sentence that tells which command mends what a rule finds, if one does."""
    return _TOLD[safety(rule)]


def safety(rule: Rule) -> tuple[Safety, ...]:
    """Return what the fixes of a rule may be; a rule without any has none."""
    mender = _mender(rule.code)
    return mender.SAFETY if mender is not None else ()
