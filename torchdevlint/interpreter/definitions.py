"""Definitions and imports: names bound to functions, to other modules, and by patterns."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from torchdevlint.interpreter import calls, expressions, functions, targets
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join
from torchdevlint.knowledge.rows import NoGrad, Transparent
from torchdevlint.lattice import ACCELERATOR
from torchdevlint.names import canonical, dotted, row_of
from torchdevlint.values import UNKNOWN, Flag, Function, Imported, Opaque, Value

_KINDS = {
    "property": "property",
    "cached_property": "property",
    "staticmethod": "staticmethod",
    "classmethod": "classmethod",
}
"""Decorators that tell what a method is bound to, by their last name."""

_TRANSPARENT = ("abc.", "typing.", "functools.wraps", "functools.lru_cache", "functools.cache")
"""Decorators that leave what a call does as it is."""

_CONTEXTS = ("contextlib.contextmanager", "contextlib.asynccontextmanager")
"""Decorators by which a body runs around a block: what it did before the block it may undo after it."""


def defaults(run: Run, node: cst.FunctionDef | cst.Lambda) -> None:
    """Evaluate the defaults of parameters, where and when the function is defined."""
    parameters = node.params
    for parameter in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
        if parameter.default is not None:
            value = expressions.evaluate(run, parameter.default)
            before = run.defaults.get(parameter)
            run.defaults[parameter] = value if before is None else join(before, value)


def function(run: Run, node: cst.FunctionDef) -> None:
    """Bind a function; decorators that change what a call does are noted."""
    defaults(run, node)
    run.defined_in[node] = run.world & run.defined_in.get(node, run.world)
    made = bound = Function(node, run.frame.key, node.name.value)
    for decorator in reversed(node.decorators):
        wrapper = _wrapped(run, bound, decorator.decorator)
        if wrapper is None:
            _decorate(run, node, decorator.decorator)
        else:
            bound = wrapper
    if not (node in run.opaque_decorated and _is_property(run, run.store.value(run.frame.key, node.name.value))):
        run.bind(run.frame.key, node.name.value, bound)  # a setter leaves the name to the property that it completes
    if run.frame.function is not None:
        run.closed_over.add(run.frame.key)
    run.definitions.append(made)


def _wrapped(run: Run, function: Function, decorator: cst.BaseExpression) -> Function | None:
    """Return the function that a decorator of the file makes of another one, None where that is not known.

    That of a method is taken for code that cannot be seen: it would be handed the object first.
    """
    frame = run.frame
    if frame.parent is not None and frame.function is frame.parent.function:
        return None  # the body of a class
    begun = expressions.evaluate(run, decorator.func if isinstance(decorator, cst.Call) else decorator)
    if not isinstance(begun, Function):
        return None
    callee = expressions.evaluate(run, decorator) if isinstance(decorator, cst.Call) else begun
    made = calls.Call(decorator, function.name, [calls.Argument(decorator, function)])
    result = functions.invoke(run, callee, made) if isinstance(callee, Function) else None
    return result if isinstance(result, Function) else None


def _is_property(run: Run, value: Value | None) -> bool:
    return isinstance(value, Function) and run.kinds.get(value.node) == "property"


def _decorate(run: Run, node: cst.FunctionDef, decorator: cst.BaseExpression) -> None:
    name = dotted(decorator)
    if name.endswith((".setter", ".deleter", ".getter", ".register")):
        run.opaque_decorated.add(node)
        return
    if guards(run, decorator):
        run.guarded_functions.add(node)
    value = expressions.evaluate(run, decorator.func if isinstance(decorator, cst.Call) else decorator)
    if isinstance(value, Imported):
        kind = _KINDS.get(value.name.rpartition(".")[2])
        if kind is not None:
            run.kinds[node] = kind
            return
        if isinstance(value.row, NoGrad):
            run.without_graph.add(node)
            return
        if value.name in _CONTEXTS:
            run.opaque_decorated.add(node)
            return
        expected = value.name.rpartition(".")[2] in run.knowledge.expectations and _is_unconditional(decorator)
        if expected or value.name in run.knowledge.skips:
            run.expected_to_fail.add(node)
        if isinstance(value.row, Transparent) or value.name.startswith(_TRANSPARENT):
            return
    run.decorated.add(node)


def _is_unconditional(decorator: cst.BaseExpression) -> bool:
    """Tell whether a mark of a test says that it fails, whatever there is and with whatever error."""
    given = decorator.args if isinstance(decorator, cst.Call) else ()
    return all(one.keyword is not None and one.keyword.value in ("reason", "strict", "run") for one in given)


def guards(run: Run, decorator: cst.BaseExpression) -> bool:
    """Tell whether a decorator was given a test for an accelerator (`skipif(not torch.cuda.is_available())`)."""
    if isinstance(decorator, cst.Call):
        return any(isinstance(expressions.evaluate(run, argument.value), Flag) for argument in decorator.args)
    value = expressions.evaluate(run, decorator)
    return isinstance(value, Opaque) and value.key in run.guard_marks


def import_(run: Run, node: cst.Import) -> None:
    """Bind the names of ``import a.b as c``."""
    for alias in node.names:
        name = dotted(alias.name)
        _implied(run, name)
        if alias.asname is not None:
            run.bind(run.frame.key, alias.evaluated_alias or "", _imported(run, name))
        else:
            head = name.partition(".")[0]
            run.bind(run.frame.key, head, _imported(run, head))


def import_from(run: Run, node: cst.ImportFrom) -> None:
    """Bind the names of ``from a import b``; what a relative import means is for the resolver, today unknown."""
    module = dotted(node.module) if node.module is not None else ""
    if node.relative:
        module = "." * len(node.relative) + module
    _implied(run, module)
    if isinstance(node.names, cst.ImportStar):
        for name in run.knowledge.by_star:
            if run.lookup(name) is None:
                run.bind(run.frame.key, name, _imported(run, name))
        return
    for alias in node.names:
        name = f"{module}{'' if module.endswith('.') else '.'}{dotted(alias.name)}"
        if dotted(alias.name).endswith(run.knowledge.extensions):
            _implied(run, name)
        run.bind(run.frame.key, alias.evaluated_alias or alias.evaluated_name, _imported(run, name))


def _imported(run: Run, name: str) -> Value:
    row = row_of(name, run.knowledge)
    found = run.resolver(name) if row is None else UNKNOWN
    return Imported(canonical(name, run.knowledge), row) if found == UNKNOWN else found


def _implied(run: Run, name: str) -> None:
    """Note a guard where an import shows that an accelerator is there, and what it shows of tensors."""
    head, tail = name.partition(".")[0], name.rpartition(".")[2]
    run.facts.converts |= head in run.knowledge.converting
    implies = run.knowledge.implies_accelerator
    part = any(name.startswith(whole) for whole in implies if "." in whole)
    if head in implies or part or tail.endswith(run.knowledge.extensions):
        run.facts.guards = True
        run.facts.native |= not run.guarded
        run.world |= {(ACCELERATOR, True)}


def outer(run: Run, node: cst.Global | cst.Nonlocal) -> None:
    """Note the names that a function binds in a scope around it."""
    run.frame.outer.update(item.name.value for item in node.names)


def bind_pattern(run: Run, pattern: cst.MatchPattern | cst.MatchStar, subject: Value) -> None:
    """Bind the names of a pattern; only the capture of the whole keeps the subject's value."""
    if isinstance(pattern, cst.MatchAs):
        if pattern.name is not None:
            targets.assign(run, pattern.name, subject, pattern)
        if pattern.pattern is not None:
            bind_pattern(run, pattern.pattern, subject)
        return
    rest = pattern.name if isinstance(pattern, cst.MatchStar) else getattr(pattern, "rest", None)
    if isinstance(rest, cst.Name):
        targets.assign(run, rest, run.opaque(rest.value), pattern)
    for inner in _inner(pattern):
        bind_pattern(run, inner, run.opaque("case"))


def _inner(pattern: cst.MatchPattern | cst.MatchStar) -> Iterator[cst.MatchPattern | cst.MatchStar]:
    """Yield the patterns that stand directly in a pattern."""
    match pattern:
        case cst.MatchOr():
            yield from (part.pattern for part in pattern.patterns)
        case cst.MatchSequence():
            for part in pattern.patterns:
                yield part if isinstance(part, cst.MatchStar) else part.value
        case cst.MatchMapping():
            yield from (part.pattern for part in pattern.elements)
        case cst.MatchClass():
            yield from (part.value for part in pattern.patterns)
            yield from (keyword.pattern for keyword in pattern.kwds)
        case _:
            return
