"""A sampler gives each process a part of its own."""

from __future__ import annotations

import ast

from torchdevlint.knowledge import written
from torchdevlint.mending.calls import argument, argument_added
from torchdevlint.mending.edits import Edit, Repair, Safety, unsafe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding

SAFETY = (Safety.UNSAFE,)


def mend(finding: Finding, source: Source) -> Repair | None:
    """Give the loader a sampler, which shuffles if the loader did."""
    call = source.call(finding.node)
    sampler = source.scopes.spelled(written.DISTRIBUTED_SAMPLER, call) if call is not None else None
    if call is None or sampler is None or len(call.args) != 1 or not is_plain(call.args[0]):
        return None
    data, shuffled = source.text_of(call.args[0]), argument(call, "shuffle")
    made = _made(source, call, sampler, data)
    if shuffled is None:
        added = argument_added(source, call, "sampler", made or f"{sampler}({data}, shuffle=False)")
        return unsafe(added) if added is not None else None
    if not isinstance(shuffled, ast.Constant):
        return None
    keyword = next(one for one in call.keywords if one.value is shuffled)
    kept = "" if shuffled.value else ", shuffle=False"
    return unsafe(Edit(source.span(keyword), f"sampler={made or f'{sampler}({data}{kept})'}"))


def _made(source: Source, call: ast.Call, sampler: str, data: str) -> str | None:
    """Return the name of a sampler of the same data that was made above and given to nothing."""
    statement = source.scopes.statement(call)
    assert statement is not None
    block, number = source.scopes.block(statement)
    scope = source.scopes.around(call)[0]
    for one in block[:number]:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function, args=[first, *_])):
                alone = source.scopes.bindings(scope)[name] == [one.lineno]
                if alone and source.text_of(function) == sampler and source.text_of(first) == data:
                    return name
    return None
