"""Functions of the file, run at their calls with the abstract arguments, within a budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import transfers
from torchdevlint.interpreter import calls, escapes, expressions, iteration, lazy, statements, told, writers
from torchdevlint.interpreter.annotations import refine
from torchdevlint.interpreter.frames import MAX_EXITS, Exit, Frame
from torchdevlint.interpreter.run import MAX_CALL_DEPTH, Run
from torchdevlint.joins import join
from torchdevlint.knowledge.rows import Arrives, Move
from torchdevlint.lattice import ALWAYS, ANY, Condition, Placement
from torchdevlint.records import replace
from torchdevlint.state import PLACEMENT, Branch, Items, Writes
from torchdevlint.values import NONE, UNKNOWN, Class, Container, Function, Holder, Instance, Module, Tensor, Value
from torchdevlint.why import Role

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


def invoke(run: Run, function: Function, call: Call, entry: cst.CSTNode | None = None) -> Value:
    """Run a function with the arguments of a call; beyond the budget it is code that cannot be seen."""
    node = function.node
    if isinstance(node, cst.FunctionDef) and node in run.opaque_decorated:
        return _not_followed(run, function, call)
    if isinstance(node, cst.FunctionDef) and node not in run.decorated and _is_generator(run, node):
        return lazy.later(run, lambda: _iterated(run, _invoke(run, function, call, entry)))
    return _invoke(run, function, call, entry)


def _is_generator(run: Run, node: cst.FunctionDef) -> bool:
    """Tell whether a function yields, so that its body runs when what it returns is iterated."""
    if not run.yields:
        return False
    if node not in run.generators:
        statements_ = writers.small_statements(node.body)
        run.generators[node] = any(
            isinstance(part, cst.Expr | cst.Assign) and isinstance(part.value, cst.Yield) for part in statements_
        )
    return run.generators[node]


def _iterated(run: Run, value: Value) -> Items:
    """Return the elements of the iterator that a generator function gave; of one that was not followed any may be."""
    return run.items(value) if isinstance(value, Container) else Items((), run.opaque(""))


def _invoke(run: Run, function: Function, call: Call, entry: cst.CSTNode | None) -> Value:
    node = function.node
    if run.frame.depth >= MAX_CALL_DEPTH or run.stack.count(node) > 1 or not run.spend(node):
        return _not_followed(run, function, call)
    run.called.add(node)
    if node in run.decorated:
        call = escapes.veiled(run, call)
    frame = open_frame(run, function, entry)
    frame.caller, frame.call = run.frame, call
    run.facts.callers.setdefault(frame.scope, set()).add(run.frame.scope)
    run.frames[frame.key] = frame
    run.store.push()
    with_graph, before = run.no_grad, run.steps
    if node in run.without_graph:
        run.no_grad += 1
    try:
        _bind_parameters(run, frame, function, call)
        frame.begun = run.counter
        value = _execute(run, frame, function)
        if len(frame.exits) > MAX_EXITS:
            return _not_followed(run, function, call)
        if node in run.decorated:
            return run.opaque(f"{call.text}(…)")  # what the decorator makes of the result cannot be seen
        transfers.handed_out(run, value, call.node)
        return value
    finally:
        run.no_grad = with_graph
        run.work[node] = run.work.get(node, 0) + run.steps - before


def _not_followed(run: Run, function: Function, call: Call) -> Value:
    """Call a function as code that cannot be seen."""
    run.foreign += 1
    _also_receiver(run, function)
    return calls.unseen(run, call)


def _also_receiver(run: Run, function: Function) -> None:
    """A method that is not followed may do anything to its receiver, but for what no method of its class binds."""
    receiver = function.receiver
    if not isinstance(receiver, Module | Instance):
        return  # a function, or a method of a class
    assert receiver.cls is not None  # it has the method
    written_in_class = function.owner is not None
    kept = dict(_never_rebound(run, receiver.key, receiver.cls)) if written_in_class else {}
    escapes.escape(run, receiver)
    for name, value in kept.items():
        run.store.set(receiver.key, name, value)


def _never_rebound(run: Run, key: int, cls: Class) -> Iterator[tuple[str, Tensor]]:
    """Yield the plain tensors of an object that no method of its class binds or moves but `__init__`."""
    if cls.key not in run.written:
        run.written[cls.key] = writers.of_class(run, cls)
    written = run.written[cls.key]
    if writers.ANY_ATTRIBUTE in written:
        return
    for name, value in run.attribute_values(key):
        if isinstance(value, Tensor) and value.held is Holder.NONE and not written.get(name, set()) - {"__init__"}:
            yield name, value


def open_frame(run: Run, function: Function, entry: cst.CSTNode | None) -> Frame:
    """Return the frame of a call: scope, way in through a module, and whether it is a module's own method."""
    caller = run.frame
    parent = run.frames.get(function.frame, run.top)
    in_module = isinstance(function.receiver, Module) or (caller.in_module and function.receiver is None)
    return Frame(
        key=run.new_key(),
        parent=parent,
        function=function,
        receiver=function.receiver,
        entry=entry or caller.entry,
        in_module=in_module and not (caller.constructing or function.name == "__init__"),
        constructing=function.name == "__init__" or (caller.constructing and function.receiver == caller.receiver),
        depth=caller.depth + 1,
        base=run.store.depth,
        world=run.world,
        decorated_unseen=function.node in run.decorated,
    )


def _execute(run: Run, frame: Frame, function: Function) -> Value:
    """Run a body in its frame and return the join of what it returns."""
    outer, world, node = run.frame, run.world, function.node
    run.stack.append(node)
    run.frame = frame
    guarded, expecting = run.guarded, run.expecting
    run.expecting += node in run.expected_to_fail
    # A method that is itself named like a move (`def cuda(self)`) is asked for by whoever calls it.
    run.guarded += node in run.guarded_functions
    run.guarded += isinstance(run.knowledge.module.get(function.name), Move)
    try:
        if isinstance(node, cst.Lambda):
            value = expressions.evaluate(run, node.body)
            run.store.commit()
            return value
        inside = frame.world = run.world = world | told.world_of(run, node.body)
        defined = len(run.definitions)
        falls_through = statements.block(run, node.body) is statements.Flow.NEXT
        _run_closures(run, frame, defined)
        if falls_through and not frame.exits and not frame.yields:
            return _fall_through(run, frame, inside)
        if falls_through:
            frame.exits.append(run.leave(frame.base, inside, NONE))
        run.store.rollback(frame.base)
        return _join_exits(run, frame)
    finally:
        run.guarded, run.expecting = guarded, expecting
        run.frame, run.world = outer, world | _proved(frame)
        run.stack.pop()
        run.store.rollback(frame.base)


def _fall_through(run: Run, frame: Frame, world: Condition) -> Value:
    """Leave a function by its end where no other way leaves it: everything it wrote stays."""
    frame.exits.append(Exit(Branch({}, run.world - world)))
    run.store.commit(None if frame.key in run.closed_over else frame.key)
    return NONE


def _yielded(run: Run, frame: Frame) -> Value:
    """Return the iterator that a generator function gives; how much of its body has run is not known."""
    ways = [Branch({}), *(Branch(way.branch.writes) for way in (*frame.yields, *frame.exits))]
    run.store.merge(ways if any(way.writes for way in ways) else [])
    joined = frame.yields[0].value
    for way in frame.yields[1:]:
        joined = join(joined, way.value)
    return run.container("iterator", (), joined)


def _run_closures(run: Run, frame: Frame, defined: int) -> None:
    """Run the functions that were defined in a call and that nothing called, in the scope that they close over."""
    if frame.depth >= MAX_CALL_DEPTH:
        return
    if len(run.definitions) == defined:
        return
    run.store.push()
    forget_sent_back(run, run.store.since(frame.base))
    for definition in run.definitions[defined:]:
        if isinstance(definition, Function) and definition.frame == frame.key and definition.node not in run.called:
            run.store.push()
            run_symbolically(run, definition)
            run.store.pop()
            run.left = False
    run.store.pop()


def forget_sent_back(run: Run, written: Writes) -> None:
    """Forget where modules are that were sent to the host: what runs when nobody knows may have run before that."""
    for (key, name), value in written.items():
        match value:
            case frozenset() if name == PLACEMENT and _is_sent_back(value):
                run.store.set(key, PLACEMENT, ANY)
            case Tensor() if value.held is not Holder.NONE and _is_sent_back(value.placement):
                run.store.set(key, name, replace(value, placement=ANY))
            case _:
                continue


def _is_sent_back(placement: Placement) -> bool:
    return any(p.why is not None and p.why.role is Role.MOVED_TO_HOST for p in placement)


def _proved(frame: Frame) -> frozenset[tuple[str, bool]]:
    """Return the plain guards that hold on every way out: a check that raises is a fact for the caller."""
    if not frame.exits:
        return frozenset()
    common = frame.exits[0].branch.condition
    for way in frame.exits[1:]:
        common &= way.branch.condition
    return frozenset(literal for literal in common if "#" not in literal[0] and "?" not in literal[0])


def _join_exits(run: Run, frame: Frame) -> Value:
    if not frame.exits and not frame.yields:
        run.left = True  # every way through the function raises
        return UNKNOWN
    _drop_locals(run, frame)
    if frame.yields:
        return _yielded(run, frame)
    run.store.merge([way.branch for way in frame.exits])
    first = frame.exits[0]
    result, condition = first.value, first.branch.condition
    for way in frame.exits[1:]:
        result = join(result, way.value, condition, way.branch.condition)
        condition = frozenset()
    return result


def _drop_locals(run: Run, frame: Frame) -> None:
    """Keep the local variables of a call only where a closure may still read them."""
    if any(isinstance(way.value, Function) for way in frame.exits) or frame.key in run.closed_over:
        return
    for way in (*frame.exits, *frame.yields):
        way.branch.writes = {slot: value for slot, value in way.branch.writes.items() if slot[0] != frame.key}


def _bind_parameters(run: Run, frame: Frame, function: Function, call: Call) -> None:
    """Bind arguments to parameters, then defaults, then what nobody gave."""
    parameters = function.node.params
    positional = [*parameters.posonly_params, *parameters.params]
    given = list(call.arguments)
    target = frame.key
    if function.receiver is not None and positional:
        run.bind(target, positional[0].name.value, function.receiver)
        positional = positional[1:]
    rest = run.opaque("**", placement=ANY)
    for index, parameter in enumerate((*positional, *parameters.kwonly_params)):
        name = parameter.name.value
        keyword = call.keywords.get(name)
        if keyword is not None:
            value = keyword.value
        elif index < len(positional) and index < len(given):
            value = given[index].value
        elif call.open:
            value = run.opaque(name)
        else:
            value = run.defaults.get(parameter) or run.opaque(name)
        value = refine(run, value, parameter, frame)
        run.bind(target, name, transfers.named(run, value, name))
    if isinstance(parameters.star_arg, cst.Param):
        extra = [argument.value for argument in given[len(positional) :]]
        made = run.container("tuple", extra, rest if call.open else None)
        run.bind(target, parameters.star_arg.name.value, made)
    if parameters.star_kwarg is not None:
        known = {p.name.value for p in (*positional, *parameters.kwonly_params)}
        exact = tuple((k, a.value) for k, a in call.keywords.items() if k not in known)
        run.bind(target, parameters.star_kwarg.name.value, run.holder("dict", Items(exact, None, lost=call.open)))


def perhaps(run: Run, function: Function) -> None:
    """Run a function that something may call which cannot be seen: what it writes may have happened, or not."""
    called, run.called = run.called, set(run.called)
    run.store.push()
    run.expecting += 1  # what is found in it is found where the file calls it, or at the end
    run_symbolically(run, function)
    run.expecting -= 1
    run.called = called
    run.store.merge([Branch({}), Branch(run.store.pop())])
    run.left = False


def run_symbolically(run: Run, function: Function, arriving: Placement | None = None) -> Value:
    """Run a function that nothing calls, once, with parameters of unknown origin.

    ``arriving`` is the placement of tensors that are handed in (the arguments of a module's `forward`).
    """
    run.called.add(function.node)
    world, defined = run.world, run.defined_in.get(function.node, ALWAYS)
    # Where a test failed that a definition stands under there is no such function.
    run.world = entered = defined | {(guard, holds) for guard, holds in world if (guard, not holds) not in defined}
    frame = open_frame(run, function, None)
    run.frames[frame.key] = frame
    run.store.push()
    frame.depth = 0
    _bind_symbolic(run, frame, function, arriving)
    with_graph = run.no_grad
    if function.node in run.without_graph:
        run.no_grad += 1
    try:
        return _execute(run, frame, function)
    finally:
        run.no_grad, run.world = with_graph, world | (run.world - entered)  # with what it proved


def _as_input(arriving: Placement, parameter: cst.Param) -> Placement:
    """Return where a parameter arrives, with the parameter itself as the reason."""
    return frozenset(replace(p, why=replace(p.why, node=parameter)) if p.why else p for p in arriving)


def _handed(run: Run, frame: Frame, name: str, arrives: Arrives, parameter: cst.Param, placement: Placement) -> Value:
    """Return what a framework hands in for a parameter; ``placement`` is where it places things."""
    match arrives:
        case Arrives.ANYTHING:
            return run.opaque(name)
        case Arrives.BATCH:
            item = iteration.batch_item(run, run.new_key(), "", parameter)
            run.iterated_in[item.source] = frame.base
            return item
        case Arrives.PLACED:
            return run.opaque(name, _as_input(placement, parameter))
        case Arrives.MODULE:  # pragma: no branch (there is no other case)
            module = run.opaque(name)
            run.facts.modules.add(module.key)
            run.store.set(module.key, PLACEMENT, placement)
            return module


def _bind_symbolic(run: Run, frame: Frame, function: Function, arriving: Placement | None) -> None:
    parameters = function.node.params
    positional = [*parameters.posonly_params, *parameters.params]
    if function.receiver is not None and positional:
        run.bind(frame.key, positional[0].name.value, function.receiver)
        positional = positional[1:]
    handed = run.handed.get(function.node)
    for index, parameter in enumerate((*positional, *parameters.kwonly_params)):
        name = parameter.name.value
        value: Value
        if handed is not None:
            arrives = handed[index] if index < len(handed) else Arrives.ANYTHING
            value = _handed(run, frame, name, arrives, parameter, arriving or ANY)
        else:
            value = run.opaque(name, ANY if arriving is None else _as_input(arriving, parameter))
        value = refine(run, value, parameter, frame)
        run.bind(frame.key, name, value)
    if isinstance(parameters.star_arg, cst.Param):
        rest: Value = run.opaque("*") if arriving is None else Tensor(arriving)
        run.bind(frame.key, parameters.star_arg.name.value, run.container("tuple", (), rest))
    if parameters.star_kwarg is not None:
        run.bind(frame.key, parameters.star_kwarg.name.value, run.holder("dict", Items(lost=True)))
