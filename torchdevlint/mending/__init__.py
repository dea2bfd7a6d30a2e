"""Fixes: for the finding of a rule, the edits of the text that mend it. Only who asks for fixes imports this package.

The module of a fix has the stem of its rule: `SAFETY` tells what the fix may be, and `mend` gives it for a finding.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
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


def repair(rule: Rule, finding: Finding, source: Source, width: int = WIDTH) -> Repair | None:
    """Return what mends a finding of a rule, None where there is no fix or it cannot be written there.

    A line that it makes longer than ``width``, and than the longest of the file, is broken.
    """
    mender = _mender(rule.code)
    found = mender.mend(finding, source) if mender is not None else None
    return fitted(source, found, width) if found is not None else None


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
