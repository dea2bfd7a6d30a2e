"""The losses of the replicas become one number."""

from __future__ import annotations

import ast

from torchdevlint.mending.edits import Repair, Safety, after, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Take the mean of what the wrapper gives."""
    gathered = source.call(finding.parts["gathered"])
    bound = source.scopes.parent(gathered) if gathered is not None else None
    if gathered is None or not isinstance(bound, ast.Assign) or not isinstance(bound.targets[0], ast.Name):
        return None
    return safe(after(source.span(gathered), ".mean()"))
