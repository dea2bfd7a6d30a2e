"""What is gathered is detached and copied to the host, where it is read."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import applied
from torchdevlint.mending.edits import Repair, Safety, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Detach and copy what is appended; what computes with it on the accelerator may want it there."""
    match source.call(finding.node):
        case ast.Call(args=[value], keywords=[]) if not isinstance(value, ast.Starred):
            return unsafe(*applied(source, value, ".detach().cpu()" if finding.parts["graph"] else ".cpu()"))
        case _:
            return None
