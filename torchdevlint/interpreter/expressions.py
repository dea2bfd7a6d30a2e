"""Expressions: one function a node type, from a node to the abstract value it evaluates to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import libcst as cst

from torchdevlint import transfers
from torchdevlint.interpreter import (
    attributes,
    calls,
    clocks,
    comprehensions,
    conditions,
    definitions,
    escapes,
    iteration,
    pace,
    selection,
    subscripts,
    targets,
    uncalled,
)
from torchdevlint.interpreter.run import MAX_EXPRESSION_DEPTH, Run
from torchdevlint.joins import join
from torchdevlint.knowledge.rows import Combine, Knowledge, Mix, RankRule
from torchdevlint.lattice import ALWAYS
from torchdevlint.names import row_of
from torchdevlint.records import replace
from torchdevlint.state import Branch, Items
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Const,
    Container,
    Device,
    Flag,
    Function,
    Imported,
    Opaque,
    Tensor,
    Value,
)

BINARY = Combine()
MATMUL = Combine(mix=Mix.STRICT, rank=RankRule.UNKNOWN)
COMPARISON = Combine(graph=False)
_CONSTANTS = {"True": Const(True), "False": Const(False), "None": NONE}


def evaluate(run: Run, node: cst.BaseExpression) -> Value:
    """Return the abstract value of an expression; an expression too deep for us is Unknown."""
    if type(node) is cst.Name:  # most of what is evaluated
        return _name(run, node)
    handler = _HANDLERS.get(type(node))
    if handler is None or run.expression_depth >= MAX_EXPRESSION_DEPTH:
        return UNKNOWN
    run.expression_depth += 1
    value = handler(run, node)
    run.expression_depth -= 1
    return value


def _name(run: Run, node: cst.Name) -> Value:
    constant = _CONSTANTS.get(node.value)
    if constant is not None:
        return constant
    found = run.lookup(node.value)
    if found is None:
        return _builtin(node.value, run.knowledge)
    return conditions.switched(run, found, node) if type(found) is Const else found


@lru_cache(maxsize=1024)
def _builtin(name: str, knowledge: Knowledge) -> Imported:
    """Return what a name stands for that the file does not bind."""
    full = f"builtins.{name}"
    return Imported(full, row_of(full, knowledge))


def _integer(run: Run, node: cst.Integer) -> Value:
    return Const(int(node.value, 0) if len(node.value) < 20 else 0, node)


def _float(run: Run, node: cst.Float) -> Value:
    return Const(0.5, node)


def _string(run: Run, node: cst.SimpleString) -> Value:
    raw = node.value
    return Const(raw.strip(raw[-1]) if raw[0] in "'\"" else raw, node)


def _formatted(run: Run, node: cst.FormattedString) -> Value:
    """Evaluate an f-string: ``f"cuda:{i}"`` names a device of which only the type and the index's value are known."""
    prefix = ""
    inner: Value | None = None
    texts: list[str | None] = []
    for part in node.parts:
        if type(part) is cst.FormattedStringText:
            texts.append(part.value)
            if inner is None:
                prefix += part.value
        else:
            assert isinstance(part, cst.FormattedStringExpression)
            value = evaluate(run, part.expression)
            text = value.value if isinstance(value, Const) and isinstance(value.value, str) else None
            texts.append(text if part.conversion is None and part.format_spec is None else None)
            inner = value if inner is None else UNKNOWN
    known = [text for text in texts if text is not None]
    if len(known) == len(texts) and inner is not None:
        return Const("".join(known), node)
    return transfers.formatted_device(run, prefix, inner)


def _concatenated(run: Run, node: cst.ConcatenatedString) -> Value:
    evaluate(run, node.left)
    evaluate(run, node.right)
    return UNKNOWN


def _attribute(run: Run, node: cst.Attribute) -> Value:
    value = evaluate(run, node.value)
    uncalled.read_of(run, node, value)
    return conditions.switched(run, attributes.read(run, value, node.attr.value, node), node)


def _binary(run: Run, node: cst.BinaryOperation) -> Value:
    # Long sums lean to the left: walk down the spine in a loop, not by recursion.
    spine: list[cst.BinaryOperation] = [node]
    while type(spine[-1].left) is cst.BinaryOperation:
        spine.append(spine[-1].left)
    left = evaluate(run, spine[-1].left)
    for operation in reversed(spine):
        right = evaluate(run, operation.right)
        left = binary(run, operation, left, right)
    return left


def binary(run: Run, node: cst.BinaryOperation, left: Value, right: Value) -> Value:
    """Return the value of an arithmetic operation on two values."""
    row = MATMUL if type(node.operator) is cst.MatrixMultiply else BINARY
    uncalled.reckoned(run, ((node.left, left), (node.right, right)))
    uncalled.operated(run, ((node.left, left), (node.right, right)))
    if type(node.operator) is cst.Subtract:
        clocks.elapsed(run, left, right)
    if isinstance(left, Container) and isinstance(right, Container):
        if left.kind == "dict":
            return run.holder("dict", iteration.merged(run.items(left), run.items(right)))
        return iteration.concatenate(run, left, right)
    if isinstance(left, Container) and isinstance(right, Opaque) and type(node.operator) is cst.Add:
        return run.holder(left.kind, replace(run.items(left), lost=True))
    if isinstance(left, Container) and type(node.operator) is cst.Multiply:
        return run.container(left.kind, (), run.items(left).any())
    if isinstance(left, Const) and isinstance(left.value, str):
        if isinstance(right, Const) and isinstance(right.value, str) and type(node.operator) is cst.Add:
            return Const(left.value + right.value, node)
        return transfers.formatted_device(run, left.value, right)
    return transfers.operate(run, row, node, ((node.left, left), (node.right, right)))


def _unary(run: Run, node: cst.UnaryOperation) -> Value:
    if type(node.operator) is cst.Not:
        test = conditions.test(run, node)
        return Const(test.known) if test.known is not None else Flag(test.when_true, test.when_false)
    value = evaluate(run, node.expression)
    if isinstance(value, Const) and isinstance(value.value, int) and type(node.operator) is cst.Minus:
        return Const(-value.value, node)
    return value if isinstance(value, Tensor | Opaque) else UNKNOWN


def _boolean(run: Run, node: cst.BooleanOperation) -> Value:
    """Evaluate ``a or b`` and ``a and b``: a flag of both, or one of the two values.

    ``test and "cuda" or "cpu"`` is how a choice was written before there was a word for it.
    """
    chosen = node.left if type(node.operator) is cst.Or else None
    if isinstance(chosen, cst.BooleanOperation) and isinstance(chosen.operator, cst.And) and _is_text(chosen.right):
        return _conditional(run, cst.IfExp(test=chosen.left, body=chosen.right, orelse=node.right))
    left = evaluate(run, node.left)
    test = conditions.truth(run, left, node.left)
    is_or = type(node.operator) is cst.Or
    if test.known is not None:
        return left if test.known is is_or else evaluate(run, node.right)
    if is_or and isinstance(left, Device):
        return left  # a place is true, whichever it is
    with conditions.evaluated_if(run, test, not is_or):
        right = evaluate(run, node.right)
    if (
        isinstance(left, Flag)
        or isinstance(right, Flag)
        or (isinstance(right, Const) and not _may_be_place(right) and (right != NONE or isinstance(left, Const)))
    ):
        whole = conditions.test(run, node, (left, right))
        return Flag(whole.when_true, whole.when_false)
    return join(left, right, test.when_true if is_or else test.when_false, test.when_false if is_or else test.when_true)


def _may_be_place(value: Const) -> bool:
    """Tell whether a literal may be what stands in for a place that is not given (`device or "cpu"`)."""
    return isinstance(value.value, str) and transfers.parse(value.value) is not None


def _is_text(node: cst.BaseExpression) -> bool:
    """Tell whether an expression is a text that is not empty, and so counts as true."""
    return isinstance(node, cst.SimpleString) and len(node.value) > len(2 * node.quote)


def _comparison(run: Run, node: cst.Comparison) -> Value:
    values = [evaluate(run, node.left), *(evaluate(run, part.comparator) for part in node.comparisons)]
    if len(node.comparisons) == 1 and any(_is_tensor(run, value) for value in values):
        target = node.comparisons[0]
        if not isinstance(target.operator, cst.In | cst.NotIn | cst.Is | cst.IsNot):
            operands = ((node.left, values[0]), (target.comparator, values[1]))
            return transfers.operate(run, COMPARISON, node, operands)
    uncalled.reckoned(run, zip((node.left, *(part.comparator for part in node.comparisons)), values, strict=True))
    test = conditions.compare(run, node, values)
    return Const(test.known) if test.known is not None else Flag(test.when_true, test.when_false)


def _is_tensor(run: Run, value: Value) -> bool:
    if isinstance(value, Opaque):
        return value.output or value.member or value.key in run.facts.tensors
    return isinstance(value, Tensor)


def _subscript(run: Run, node: cst.Subscript) -> Value:
    base = evaluate(run, node.value)
    return subscripts.subscript(run, base, node)


def _lambda(run: Run, node: cst.Lambda) -> Value:
    definitions.defaults(run, node)
    return Function(node, run.frame.key, "<lambda>")


def _call(run: Run, node: cst.Call) -> Value:
    return calls.call(run, node)


def _await(run: Run, node: cst.Await) -> Value:
    return evaluate(run, node.expression)


def _conditional(run: Run, node: cst.IfExp) -> Value:
    test = conditions.test(run, node.test)
    if test.known is not None:
        return evaluate(run, node.body if test.known else node.orelse)
    world = run.world
    results: list[Value] = []
    branches: list[Branch] = []
    for branch, condition in ((node.body, test.when_true), (node.orelse, test.when_false)):
        run.world = world | condition
        run.store.push()
        conditions.narrow(run, node.test, branch is node.body)
        results.append(evaluate(run, branch))
        writes = run.store.pop()
        branches.append(Branch({s: v for s, v in writes.items() if s[0] != run.frame.key}, condition))
    run.world = world
    run.store.merge(branches)
    uncalled.chosen(run, node, *results)
    true, false = (ALWAYS, ALWAYS) if selection.tells_apart(run, node) else (test.when_true, test.when_false)
    return transfers.choose_device(run, join(results[0], results[1], true, false))


def _yield(run: Run, node: cst.Yield) -> Value:
    if node.value is None:
        value: Value = NONE
    elif isinstance(node.value, cst.From):
        value = iteration.element(run, evaluate(run, node.value.item), node)
    else:
        value = evaluate(run, node.value)
    escapes.consume(run, value)
    pace.handed_out(run, value)
    run.frame.yields.append(run.leave(run.frame.base, run.frame.world, value))
    return UNKNOWN


def _tuple(run: Run, node: cst.Tuple | cst.List | cst.Set) -> Value:
    kind = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}[type(node)]
    values: list[Value] = []
    rest: Value | None = None
    for element in node.elements:
        value = evaluate(run, element.value)
        if type(element) is cst.StarredElement:
            inner = iteration.elements(run, value)
            if inner is not None:
                values.extend(inner)
                continue
            item = iteration.element(run, value, element)
            rest = item if rest is None else join(rest, item)
        else:
            values.append(value)
    return run.born_in_loop(run.container(kind, values, rest))


def _dict(run: Run, node: cst.Dict) -> Value:
    exact: dict[object, Value] = {}
    rest: Value | None = None
    lost = False
    for element in node.elements:
        value = evaluate(run, element.value)
        if type(element) is cst.StarredDictElement:
            if isinstance(value, Container):
                inner = run.items(value)
                if inner.rest is not None:  # which of the keys so far it has is not known
                    exact.clear()
                    lost = True
                exact.update(inner.exact)
                lost = lost or inner.lost
            else:
                exact.clear()  # it may replace any of them
                lost = True
            continue
        assert type(element) is cst.DictElement
        key = evaluate(run, element.key)
        if isinstance(key, Const):
            exact[key.value] = value
        else:
            rest = value if rest is None else join(rest, value)
    return run.born_in_loop(run.holder("dict", Items(tuple(exact.items()), rest, lost)))


def _named(run: Run, node: cst.NamedExpr) -> Value:
    value = evaluate(run, node.value)
    frame = run.frame
    while run.frame.comprehension and run.frame.parent is not None:
        run.frame = run.frame.parent  # a walrus in a comprehension binds in the function around it
    targets.assign(run, node.target, value, node)
    run.frame = frame
    return value


def _inert(run: Run, node: cst.BaseExpression) -> Value:
    return UNKNOWN


_HANDLERS: dict[type[cst.CSTNode], Callable[..., Value]] = {
    cst.Name: _name,
    cst.Integer: _integer,
    cst.Float: _float,
    cst.Imaginary: _inert,
    cst.Ellipsis: _inert,
    cst.SimpleString: _string,
    cst.FormattedString: _formatted,
    cst.ConcatenatedString: _concatenated,
    cst.Attribute: _attribute,
    cst.BinaryOperation: _binary,
    cst.UnaryOperation: _unary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _comparison,
    cst.Subscript: _subscript,
    cst.Lambda: _lambda,
    cst.Call: _call,
    cst.Await: _await,
    cst.IfExp: _conditional,
    cst.Yield: _yield,
    cst.Tuple: _tuple,
    cst.List: _tuple,
    cst.Set: _tuple,
    cst.Dict: _dict,
    cst.ListComp: comprehensions.evaluate_simple,
    cst.SetComp: comprehensions.evaluate_simple,
    cst.GeneratorExp: comprehensions.evaluate_lazy,
    cst.DictComp: comprehensions.evaluate_dict,
    cst.NamedExpr: _named,
    cst.StarredElement: _inert,  # the display around it reads its elements
}
