"""Texts for a device in a fix: that of the other side of a meeting, and the script's own variable."""

from __future__ import annotations

import ast

from torchdevlint.lattice import Possibility
from torchdevlint.mending.calls import argument, instead
from torchdevlint.mending.edits import Edit
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.why import Role

_PLACING = (Role.MOVED, Role.PLACED, Role.CREATED)


def sent_to(source: Source, there: object, node: ast.AST) -> str | None:
    """Return the variable by which a possibility got to its device, where it can be used at a node."""
    if not isinstance(there, Possibility) or there.why is None:
        return None
    step = there.why.of(*_PLACING)
    call = source.call(step.node) if step is not None else None
    for given in (argument(call, "device"), *call.args) if call is not None else ():
        if given in source.devices and source.scopes.reach(given, node) is not None:
            return source.text_of(given)
    return None


def beside(source: Source, other: ast.expr | None, node: ast.AST) -> str | None:
    """Return the device of another value as it can be asked for at a node above that value, None where it cannot."""
    if other is None or not is_plain(other):
        return None
    root = other
    while isinstance(root, ast.Attribute):
        root = root.value
    assert isinstance(root, ast.Name)
    scopes, home = source.scopes, source.scopes.home(root.id, node)
    if home is None or home is not scopes.home(root.id, other) or home is not scopes.around(node)[0]:
        return None
    line = getattr(node, "lineno", 0)
    if not all(bound < line for bound in scopes.bindings(home)[root.id]) or _is_set(home, other):
        return None
    return f"{source.text_of(other)}.device"


def _is_set(scope: ast.AST, node: ast.expr) -> bool:
    """Tell whether a scope sets the attribute that an expression asks for."""
    text = ast.unparse(node)
    return any(
        isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and ast.unparse(one) == text
        for one in ast.walk(scope)
    )


def for_literal(source: Source, literal: ast.expr | None) -> Edit | None:
    """Return the edit that writes the script's device variable instead of a literal."""
    device = source.device_at(literal) if literal is not None else None
    return instead(source, literal, device) if literal is not None and device is not None else None


def with_fallback(source: Source, literal: ast.expr) -> Edit | None:
    """Return the edit that lets the host stand in for a literal where there is no accelerator.

    Only where a variable is bound to the literal, or to the device that it names.
    """
    around = source.scopes.parent(literal)
    if isinstance(around, ast.Call) and around.args == [literal] and not around.keywords:
        around = source.scopes.parent(around)
    available = source.scopes.spelled("torch.cuda.is_available", literal)
    if not isinstance(around, ast.Assign) or available is None:
        return None
    text = source.text_of(literal)
    host = f"{text[0]}cpu{text[0]}" if text[:1] in "'\"" else source.quoted("cpu")
    return instead(source, literal, f"{text} if {available}() else {host}")
