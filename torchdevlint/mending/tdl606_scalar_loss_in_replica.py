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
    backward = source.call(finding.node)
    match bound, backward:
        case ast.Assign(targets=[ast.Name(id=name)]), ast.Call(func=ast.Attribute(value=ast.Name(id=loss))):
            same = name == loss
        case _:
            return None
    return safe(after(source.span(gathered), ".mean()")) if gathered is not None and same else None
