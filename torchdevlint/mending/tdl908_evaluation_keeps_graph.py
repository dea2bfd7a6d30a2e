"""The loop runs without a graph."""

from __future__ import annotations

from torchdevlint.knowledge import written
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.mending.statements import within
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Put the loop into a block that builds none."""
    loop = source.statement(finding.parts["loop"])
    without = source.scopes.spelled(written.NO_GRAD, loop) if loop is not None else None
    edits = within(source, loop, f"with {without}()") if without is not None else None
    return safe(*edits) if edits is not None else None
