"""What a file does with a name or an attribute: where it is bound, and what becomes of it."""

from __future__ import annotations

import ast

from torchdevlint import knowledge
from torchdevlint.knowledge.rows import Move
from torchdevlint.mending.source import Source, is_plain, root_of


def is_read_later(source: Source, name: str, call: ast.Call) -> bool:
    """Tell whether a call is a statement of its own, and what it would bind to a variable of its function is read.

    Below it, or above it in a loop around that does not bind the variable anew.
    """
    statement = source.scopes.parent(call)
    scope = source.scopes.around(call)[0]
    bound = source.scopes.bindings(scope).get(name, [])
    if not isinstance(statement, ast.Expr) or not bound or bound[0] >= call.lineno:
        return False
    if source.index.is_read(scope, name, (call.end_lineno or call.lineno) + 1, len(source.lines)):
        return True
    loop = source.scopes.parent(statement)
    while loop is not None and loop is not scope:
        if isinstance(loop, ast.For | ast.While):
            last = loop.end_lineno or loop.lineno
            anew = source.index.is_bound(scope, name, loop.lineno, last)
            if not anew and source.index.is_read(scope, name, loop.lineno, call.lineno - 1):
                return True
        loop = source.scopes.parent(loop)
    return False


def is_set_once(source: Source, target: ast.Attribute) -> bool:
    """Tell whether a method that builds an object is the only place where its class sets an attribute.

    The base class has been built by then, and the class has nothing else of that name.
    """
    method, *_ = scopes = source.scopes.around(target)
    owner = scopes[1] if len(scopes) > 1 else None
    if not isinstance(method, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return False
    begun = source.index.first_line_of_attribute(method, method.name)
    alone = len(source.index.setting(owner, target)) == 1 and target.attr not in source.scopes.bindings(owner)
    return alone and begun is not None and begun < target.lineno


def is_used_without(source: Source, target: ast.Attribute, lacks: frozenset[str]) -> bool:
    """Tell whether the class of an attribute, or else the file, binds it once, and asks it for nothing of some names.

    A part of it that is a slice is not bound either: what registers modules binds one at a time.
    """
    scopes = source.scopes.around(target)
    owner = next((one for one in scopes if isinstance(one, ast.ClassDef)), scopes[-1])
    for use in source.index.attributes(owner, target.attr):
        match source.scopes.parent(use):
            case ast.Attribute(attr=name) if name in lacks:
                return False
            case ast.Subscript(slice=ast.Slice(), ctx=ast.Store()):
                return False
            case _ if use is not target and isinstance(use.ctx, ast.Store):
                return False
            case _:
                pass
    return True


def value_of(source: Source, name: ast.expr) -> ast.expr | None:
    """Return what is bound to a name or attribute, where its scope or class does that once."""
    if not is_plain(name):
        return None
    if isinstance(name, ast.Name):
        scope = source.scopes.home(name.id, name)
    else:
        scope = next((one for one in source.scopes.around(name) if isinstance(one, ast.ClassDef)), None)
    places = source.index.setting(scope, name) if scope is not None else []
    statement = source.scopes.parent(places[0]) if len(places) == 1 else None
    if isinstance(statement, ast.Assign) and statement.targets == places:
        return statement.value
    return None


def is_copied(source: Source, call: ast.Call) -> bool:
    """Tell whether all that a call gives is copied into something, as far as the function shows that uses it."""
    reads = _reads_of(source, call)
    return _reaches(source, source.copied, call) or (
        reads != [] and all(_reaches(source, source.copied, one) for one in reads)
    )


def is_restored(source: Source, call: ast.Call) -> bool:
    """Tell whether an optimizer takes a part of what a call gives: it counts its steps in tensors on the host.

    What an optimizer loads is copied to where its parameters are, but those (`_process_value_according_to_param_policy`
    of `torch/optim/optimizer.py`).
    """
    return any(_reaches(source, source.restored, one) for one in _reads_of(source, call))


def replaces_moved(source: Source, call: ast.Call) -> bool:
    """Tell whether a part of what a call gives is bound in the place of what the function moves elsewhere."""
    for read in _reads_of(source, call):
        part = source.scopes.parent(read)
        statement = source.scopes.parent(part) if isinstance(part, ast.Subscript) else None
        if not isinstance(statement, ast.Assign) or statement.value is not part:
            continue
        scope = source.scopes.around(read)[0]
        bound = (one for target in statement.targets for one in source.index.setting(scope, target))
        others = (source.scopes.parent(one) for one in bound)
        if any(isinstance(other, ast.Assign) and _moves(other.value) for other in others):
            return True
    return False


def _moves(node: ast.AST) -> bool:
    methods = (
        one.func.attr for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
    )
    return any(isinstance(knowledge.DEFAULT.tensor.get(method), Move) for method in methods)


def is_copied_from(source: Source, call: ast.Call) -> bool:
    """Tell whether something of what a call gives is in an argument whose tensors are copied into something."""
    return any(_stands_in(source, source.copied, one) for one in _reads_of(source, call))


def _stands_in(source: Source, taken: frozenset[ast.expr], node: ast.AST | None) -> bool:
    """Tell whether an expression is one of those that are taken, or stands in one."""
    while node is not None and not isinstance(node, ast.stmt):
        if node in taken:
            return True
        node = source.scopes.parent(node)
    return False


def _reads_of(source: Source, call: ast.Call) -> list[ast.expr]:
    """Return where a variable is read that holds what a call gives; none where it may hold something else there."""
    name = _name_of(source, call)
    scope = source.scopes.around(call)[0]
    if name is None or isinstance(scope, ast.ClassDef):
        return []
    reads = source.index.reads(scope, name)
    targets = source.index.setting(scope, ast.Name(name))
    if len(source.scopes.bindings(scope)[name]) == 1:
        return list(reads)
    if len(targets) != len(source.scopes.bindings(scope)[name]):
        return []  # something else than an assignment binds it, too
    others = [target for target in targets if source.scopes.parent(target) is not source.scopes.parent(call)]
    return [read for read in reads if not any(_is_of(source, read, other, call) for other in others)]


def _is_of(source: Source, read: ast.expr, other: ast.expr, call: ast.Call) -> bool:
    """Tell whether a read is of what another assignment binds, which it follows in its block, and not of a call."""
    statement = source.scopes.parent(other)
    between = other.lineno < call.lineno < read.lineno
    if between or not isinstance(statement, ast.Assign) or _home(source, read) is not _home(source, other):
        return False
    outer = source.scopes.parent(statement)
    assert outer is not None
    block = next(one for _, one in ast.iter_fields(outer) if isinstance(one, list) and statement in one)
    behind = block[block.index(statement) + 1 :]
    around: ast.AST | None = read
    while around is not None and around not in behind:
        around = source.scopes.parent(around)
    return around is not None


def _home(source: Source, node: ast.expr) -> ast.AST:
    return source.scopes.around(node)[0]


def is_moved(source: Source, call: ast.Call) -> bool:
    """Tell whether what a call gives is sent to a device of the script at once."""
    asked = source.scopes.parent(call)
    outer = source.scopes.parent(asked) if isinstance(asked, ast.Attribute) else None
    return isinstance(outer, ast.Call) and outer.func is asked and any(one in source.devices for one in outer.args)


def _name_of(source: Source, call: ast.Call) -> str | None:
    """Return the name that is bound to what a call gives."""
    match source.scopes.parent(call):
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return None


def _reaches(source: Source, taken: frozenset[ast.expr], node: ast.expr) -> bool:
    """Tell whether an expression, or a part of it, is one of those that are taken."""
    around = node
    while around not in taken:
        outer = source.scopes.parent(around)
        if not (isinstance(outer, ast.Subscript) and outer.value is around):
            return False
        around = outer
    return True


def is_imported(source: Source, function: ast.expr) -> bool:
    """Tell whether a function is that of a module or class of the file, and no value that a variable holds."""
    if not is_plain(function):
        return False
    root = root_of(function)
    scope = source.scopes.home(root.id, root)
    if not isinstance(scope, ast.Module) or len(source.scopes.bindings(scope)[root.id]) != 1:
        return False
    return root is not function or isinstance(value_of(source, root), ast.Call | None)
