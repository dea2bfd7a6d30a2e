"""The container becomes one that registers its modules, which are then trained and saved, too."""

from __future__ import annotations

import ast

from torchdevlint import knowledge
from torchdevlint.knowledge import written
from torchdevlint.knowledge.rows import ModuleType
from torchdevlint.mending.edits import Repair, Safety, after, before, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.mending.uses import is_used_without
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Put a list of modules into a `ModuleList`; one with other elements stays, or that is used as only a list can be.

    What is bound to a name that has a module must be a module (`nn.Module.__setattr__` raises else).
    """
    registering = written.MODULE_LIST
    match source.statement(finding.node):
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.List(elts=elements) as value):
            whole = all(isinstance(one, ast.Call) for one in elements) and elements != []
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.ListComp(elt=element) as value):
            whole = isinstance(element, ast.Call)
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.Dict(keys=keys, values=elements) as value):
            named = all(isinstance(k, ast.Constant) and str(k.value).isidentifier() for k in keys)
            whole = named and all(isinstance(one, ast.Call) for one in elements) and elements != []
            registering = written.MODULE_DICT
        case _:
            return None
    container = source.scopes.spelled(registering, value)
    if not finding.about or not whole or container is None:
        return None
    row = knowledge.DEFAULT.names.get(registering)
    if not isinstance(row, ModuleType) or not is_used_without(source, target, row.lacks):
        return None
    span = source.span(value)
    return unsafe(before(span, f"{container}("), after(span, ")"))
