"""A sampler gives each process a part of its own."""

from __future__ import annotations

import ast

from torchdevlint.knowledge import written
from torchdevlint.mending.calls import argument, argument_added
from torchdevlint.mending.edits import Edit, Repair, Safety, unsafe
from torchdevlint.mending.source import Source, is_plain, root_of
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Give the loader a sampler, which shuffles if the loader did."""
    call = source.call(finding.node)
    sampler = source.scopes.spelled(written.DISTRIBUTED_SAMPLER, call) if call is not None else None
    if call is None or sampler is None or len(call.args) != 1 or not is_plain(call.args[0]):
        return None
    data, shuffled = source.text_of(call.args[0]), argument(call, "shuffle")
    if shuffled is not None and not isinstance(shuffled, ast.Constant):
        return None
    kept = "" if shuffled is not None and shuffled.value else ", shuffle=False"
    given = _made(source, call, sampler, kept) or f"{sampler}({data}{kept})"
    if shuffled is None:
        added = argument_added(source, call, "sampler", given)
        return unsafe(added) if added is not None else None
    keyword = next(one for one in call.keywords if one.value is shuffled)
    return unsafe(Edit(source.span(keyword), f"sampler={given}"))


def _made(source: Source, call: ast.Call, sampler: str, kept: str) -> str | None:
    """Return the name of such a sampler of the same data that is made above, among the same statements."""
    data, statement = call.args[0], source.scopes.statement(call)
    assert statement is not None
    here, home = source.scopes.around(statement)[0], source.scopes.home(root_of(data).id, call)
    if home is None or len(source.scopes.bindings(home)[root_of(data).id]) > 1:
        return None
    wanted = f"{sampler}({source.text_of(data)}{kept})"
    block, number = source.scopes.block(statement)
    for one in block[:number]:
        target = one.targets[0] if isinstance(one, ast.Assign) and source.text_of(one.value) == wanted else None
        if isinstance(target, ast.Name) and len(source.scopes.bindings(here)[target.id]) == 1:
            return target.id
    return None
