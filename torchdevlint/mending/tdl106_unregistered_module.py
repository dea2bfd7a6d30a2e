"""The container becomes one that registers its modules, which are then trained and saved, too."""

from __future__ import annotations

import ast

from torchdevlint.mending.edits import Repair, Safety, after, before, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Put a list of modules into a `ModuleList`; what has a comment of its own or other elements stays."""
    registering = "torch.nn.ModuleList"
    match source.statement(finding.node):
        case ast.Assign(targets=[ast.Attribute()], value=ast.List(elts=elements) as value):
            whole = all(isinstance(one, ast.Call) for one in elements) and elements != []
        case ast.Assign(targets=[ast.Attribute()], value=ast.ListComp(elt=element) as value):
            whole = isinstance(element, ast.Call)
        case ast.Assign(targets=[ast.Attribute()], value=ast.Dict(keys=keys, values=elements) as value):
            named = all(isinstance(k, ast.Constant) and str(k.value).isidentifier() for k in keys)
            whole = named and all(isinstance(one, ast.Call) for one in elements) and elements != []
            registering = "torch.nn.ModuleDict"
        case _:
            return None
    container = source.scopes.spelled(registering, value)
    if not finding.about or not whole or container is None:
        return None
    span = source.span(value)
    return unsafe(before(span, f"{container}("), after(span, ")"))
