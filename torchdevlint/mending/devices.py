"""Texts for a device in a fix: that of the other side of a meeting, and the script's own variable."""

from __future__ import annotations

import ast
from bisect import bisect_left

from torchdevlint import knowledge
from torchdevlint.knowledge import written
from torchdevlint.lattice import Possibility
from torchdevlint.mending.calls import argument, instead
from torchdevlint.mending.edits import Edit
from torchdevlint.mending.scopes import Scope
from torchdevlint.mending.source import MAX_ASKED, Source, is_plain, root_of
from torchdevlint.mending.uses import value_of
from torchdevlint.why import Role

_PLACING = (Role.MOVED, Role.PLACED, Role.CREATED)
_SENDING = (*_PLACING, Role.MOVED_TO_HOST)


def sent_to(source: Source, there: object, node: ast.AST) -> str | None:
    """Return the variable by which a possibility got to its device, where it can be used at a node."""
    if not isinstance(there, Possibility) or there.why is None:
        return None
    step = there.why.of(*_PLACING)
    call = source.call(step.node) if step is not None else None
    for given in (argument(call, "device"), *call.args) if call is not None else ():
        text = source.devices.get(given) if given is not None else None
        if given is None or text is None or not _is_usable(source, given, node):
            continue
        first = min(given.lineno, getattr(node, "lineno", given.lineno))
        scope, name = source.scopes.around(node)[0], root_of(given).id
        if source.scopes.bindings(scope).get(name, [0])[-1] < first:
            return text
    return None


def _is_usable(source: Source, given: ast.expr, node: ast.AST) -> bool:
    """Tell whether the variable that an expression begins with can be used at a node.

    An attribute of an object can be used in another method of its class, but not where that builds the object.
    """
    scopes, name = source.scopes, root_of(given).id
    home, there = scopes.home(name, node), scopes.home(name, given)
    if there is None or not scopes.is_bound(name, node):
        return False
    attribute = not isinstance(given, ast.Name)
    if home is not there:
        owner = scopes.owner(home)
        return attribute and owner is not None and owner is scopes.owner(there) and not _builds(home)
    return not (attribute and _builds(home)) or given.lineno <= getattr(node, "lineno", 0)


def _builds(scope: Scope | None) -> bool:
    return isinstance(scope, ast.FunctionDef) and scope.name == "__init__"


def device_at(source: Source, node: ast.AST) -> str | None:
    """Return the device variable of the script that can be used at a node; None where there is none, or several."""
    for scope in source.scopes.around(node):
        owner = source.scopes.owner(scope)
        given = [*_by_home(source).get(scope, {}).items(), *(_by_home(source).get(owner, {}).items() if owner else ())]
        usable = set()
        for text, one in given[:MAX_ASKED]:
            if source.scopes.home(root_of(one).id, node) is scope and _is_usable(source, one, node):
                usable.add(text)
        if usable:
            return usable.pop() if len(usable) == 1 else None
    return None


def _by_home(source: Source) -> dict[Scope, dict[str, ast.expr]]:
    """Return the device variables of the script by the scope that binds them; attributes by the class of it, too."""
    return source.cached(_found_by_home)


def _found_by_home(source: Source) -> dict[Scope, dict[str, ast.expr]]:
    found: dict[Scope, dict[str, ast.expr]] = {}
    for one, text in sorted(source.devices.items(), key=lambda given: given[0].lineno):
        home = source.scopes.home(root_of(one).id, one)
        owner = source.scopes.owner(home) if isinstance(one, ast.Attribute) else None
        for scope in (home, owner):
            if scope is not None:
                found.setdefault(scope, {}).setdefault(text, one)
    return found


def beside(source: Source, other: ast.expr | None, node: ast.expr) -> str | None:
    """Return the device of another value as it can be asked for at a node, None where that is another value there."""
    if other is None or not is_plain(other):
        return None
    scopes, name = source.scopes, root_of(other).id
    home = scopes.home(name, node)
    if home is None or home is not scopes.home(name, other) or home is not scopes.around(node)[0]:
        return None
    met = scopes.statement(other)
    first, last = sorted((node.lineno, met.lineno if met is not None else node.lineno))
    bound = scopes.bindings(home)[name]
    changed = bisect_left(bound, first) < bisect_left(bound, last)
    if bound[0] >= node.lineno or changed or (other.__class__ is ast.Attribute and source.index.setting(home, other)):
        return None
    return f"{source.text_of(other)}.device"


def input_beside(source: Source, other: ast.expr | None, there: object, node: ast.expr) -> str | None:
    """Return the device of the input of a method by whose own methods another value was made, for use at a node.

    None of those may be a move. What is reckoned of two values is where one of them is.
    """
    if isinstance(other, ast.BinOp):
        sides = (input_beside(source, side, there, node) for side in (other.left, other.right))
        return next((text for text in sides if text is not None), None)
    why = there.why if isinstance(there, Possibility) else None
    moves = {source.call(step.node) for step in why.chain() if step.role in _SENDING} if why is not None else set()
    while isinstance(other, ast.Subscript):
        other = other.value
    made = value_of(source, other) if other is not None else None
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made not in moves:
        method, made = made.func.attr, made.func.value
        if isinstance(made, ast.Name):
            known = method in knowledge.DEFAULT.tensor and made.id in _inputs(source.scopes.around(node)[0])
            return beside(source, made, node) if known else None
    return None


def _given(function: Scope) -> set[str]:
    """Return the names of what a function takes."""
    given = function.args if isinstance(function, ast.FunctionDef) else None
    return {one.arg for one in (*given.args, *given.kwonlyargs)} if given is not None else set()


def _inputs(method: Scope) -> set[str]:
    """Return the names of what a method takes, but its object."""
    given = method.args if isinstance(method, ast.FunctionDef) else None
    return _given(method) - {one.arg for one in given.args[:1]} if given is not None else set()


def known_at(source: Source, node: ast.expr) -> str | None:
    """Return the device variable of the script, or the device of an input that a layer takes, for use at a node.

    Neither is one that a literal of the script decides; and an input is what the function around is given, because
    what the script makes itself may be on the host.
    """
    given = _given(source.scopes.around(node)[0])
    fed = (one for one in source.fed_beside(node) if not source.is_literal(one) and root_of(one).id in given)
    inputs = (text for one in fed if (text := beside(source, one, node)) is not None)
    return device_at(source, node) or next(inputs, None)


def for_literal(source: Source, literal: ast.expr) -> Edit | None:
    """Return the edit that writes the script's device variable instead of a literal, or of the device it is made.

    Not where the variable may be another accelerator than the one of that number.
    """
    device, made = known_at(source, literal), _made(source, literal)
    if device is None or (made is None and _is_device(source, source.scopes.parent(literal))):
        return None
    if isinstance(literal, ast.Constant) and source.names_another(device, literal.value):
        return None
    return instead(source, made if made is not None else literal, device)


def with_fallback(source: Source, literal: ast.expr) -> Edit | None:
    """Return the edit that lets the host stand in for a literal where there is no accelerator.

    Only where a variable is bound to the literal, or to the device that it names.
    """
    bound = source.scopes.parent(_made(source, literal) or literal)
    available = source.scopes.spelled(written.CUDA_AVAILABLE, literal)
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
    return isinstance(call, ast.Call) and ast.unparse(call.func) == source.scopes.spelled(written.DEVICE, call)
