"""Files that lie beside the code: a scan for what is put together from the path of the file itself, without evaluation.

It is asked for few files. Scopes are not told apart: where in doubt it says that a path is one of these.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from torchdevlint.interpreter import reading
from torchdevlint.names import dotted

ITSELF = "__file__"
_NAMES = ("basename", "name", "stem")
"""Functions and attributes that give the last part of a path."""


def beside(module: cst.Module, paths: list[cst.CSTNode]) -> set[cst.CSTNode]:
    """Return the expressions of paths that begin with the path of the file."""
    bound = [pair for node in reading.walk(module) for pair in _bindings(node)]
    known: set[str] = {ITSELF}
    while True:
        more = {name for name, value in bound if name not in known and _uses(value, known)}
        if not more:
            return {path for path in paths if _uses(path, known)}
        known |= more


def _bindings(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    match node:
        case cst.Assign(targets=targets, value=value):
            yield from ((name, value) for target in targets if (name := dotted(target.target)))
        case cst.AnnAssign(target=target, value=cst.CSTNode() as value) if name := dotted(target):
            yield name, value
        case _:
            return


def _uses(value: cst.CSTNode, known: set[str]) -> bool:
    """Tell whether a path is put together from a known one; the mere name of a file leads nowhere."""
    if isinstance(value, cst.Name | cst.Attribute) and dotted(value) in known:
        return True
    if isinstance(value, cst.Attribute) and value.attr.value in _NAMES:
        return False
    if isinstance(value, cst.Call) and dotted(value.func).rpartition(".")[2] in _NAMES:
        return False
    return any(_uses(child, known) for child in reading.children(value))
