"""The state of the module in the wrapper is taken."""

from __future__ import annotations

import ast

from torchdevlint.mending.edits import Repair, Safety, after, unsafe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Ask the module in the wrapper for its state, where the state that is too long is made."""
    call = source.call(finding.parts["made"])
    if call is None or not finding.about or not isinstance(call.func, ast.Attribute) or not is_plain(call.func.value):
        return None
    return unsafe(after(source.span(call.func.value), ".module"))
