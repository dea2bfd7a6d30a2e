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
        if (
            given in source.devices
            and source.scopes.reach(given, node) is not None
            and not _changes(source, given, node)
        ):
            return source.text_of(given)
    return None


def _changes(source: Source, given: ast.expr, node: ast.AST) -> bool:
    """Tell whether the variable that an expression begins with is bound anew below the first of two places."""
    first = min(given.lineno, getattr(node, "lineno", given.lineno))
    names = [one.id for one in ast.walk(given) if isinstance(one, ast.Name)]
    homes = [(name, source.scopes.home(name, node)) for name in names]
    within = source.scopes.around(node)[0]
    return any(home is within and max(source.scopes.bindings(home)[name]) >= first for name, home in homes)


def beside(source: Source, other: ast.expr | None, node: ast.expr) -> str | None:
    """Return the device of another value as it can be asked for at a node, None where that is another value there."""
    if other is None or not is_plain(other):
        return None
    root = next(one for one in ast.walk(other) if isinstance(one, ast.Name))
    scopes = source.scopes
    home = scopes.home(root.id, node)
    if home is None or home is not scopes.home(root.id, other) or home is not scopes.around(node)[0]:
        return None
    met = scopes.statement(other)
    first, last = sorted((node.lineno, met.lineno if met is not None else node.lineno))
    bound = scopes.bindings(home)[root.id]
    if min(bound) >= node.lineno or any(first <= line < last for line in bound) or _is_set(home, other):
        return None
    return f"{source.text_of(other)}.device"


def _is_set(scope: ast.AST, node: ast.expr) -> bool:
    """Tell whether a scope sets the attribute that an expression asks for."""
    text = ast.unparse(node)
    return any(
        isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and ast.unparse(one) == text
        for one in ast.walk(scope)
    )


def known_at(source: Source, node: ast.expr) -> str | None:
    """Return the device variable of the script, or the device of an input that a layer takes, for use at a node."""
    inputs = (text for one in source.fed if (text := beside(source, one, node)) is not None)
    return source.device_at(node) or next(inputs, None)


def for_literal(source: Source, literal: ast.expr) -> Edit | None:
    """Return the edit that writes the script's device variable instead of a literal, or of the device it is made."""
    device, made = known_at(source, literal), _made(source, literal)
    if device is None or (made is None and _is_device(source, source.scopes.parent(literal))):
        return None
    return instead(source, made if made is not None else literal, device)


def with_fallback(source: Source, literal: ast.expr) -> Edit | None:
    """Return the edit that lets the host stand in for a literal where there is no accelerator.

    Only where a variable is bound to the literal, or to the device that it names.
    """
    bound = source.scopes.parent(_made(source, literal) or literal)
    available = source.scopes.spelled("torch.cuda.is_available", literal)
    if not isinstance(bound, ast.Assign) or available is None:
        return None
    host = source.quoted("cpu", literal)
    return instead(source, literal, f"{source.text_of(literal)} if {available}() else {host}")


def _made(source: Source, literal: ast.expr) -> ast.Call | None:
    """Return the call that makes an object of a literal alone which stands for the device."""
    call = source.scopes.parent(literal)
    alone = isinstance(call, ast.Call) and call.args == [literal] and not call.keywords
    return call if isinstance(call, ast.Call) and alone and _is_device(source, call) else None


def _is_device(source: Source, call: ast.AST | None) -> bool:
    """Tell whether a call makes an object that stands for a device."""
    return isinstance(call, ast.Call) and ast.unparse(call.func) == source.scopes.spelled("torch.device", call)
