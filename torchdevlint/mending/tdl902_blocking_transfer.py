"""The move does not wait."""

from __future__ import annotations

from torchdevlint.mending.calls import argument_added
from torchdevlint.mending.edits import Repair, Safety, safe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.SAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Pass the argument."""
    added = argument_added(source, source.call(finding.node), "non_blocking", "True")
    return safe(added) if added is not None else None
