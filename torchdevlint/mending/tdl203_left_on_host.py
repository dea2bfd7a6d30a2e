"""The state is copied to the host, and the module stays where it is."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import instead
from torchdevlint.mending.edits import Repair, Safety, unsafe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Write a copy of the state for `model.cpu().state_dict()`; it is a plain dict."""
    call = source.call(finding.node)
    asked = source.scopes.parent(call) if call is not None else None
    whole = source.scopes.parent(asked) if asked is not None else None
    match whole:
        case ast.Call(func=ast.Attribute(attr=method), args=[], keywords=[]) if whole.func is asked:
            pass
        case _:
            return None
    assert call is not None
    taken = isinstance(source.scopes.parent(whole), ast.Attribute)  # two such expressions in one read badly
    if taken or not finding.about or not isinstance(call.func, ast.Attribute) or not is_plain(call.func.value):
        return None
    module = source.text_of(call.func.value)
    return unsafe(instead(source, whole, f"{{k: v.cpu() for k, v in {module}.{method}().items()}}"))
