"""Method calls and calls of modules, by the kind of the receiver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import transfers
from torchdevlint.events import Called
from torchdevlint.interpreter import (
    absence,
    attributes,
    calls,
    clocks,
    collections,
    escapes,
    functions,
    lineage,
    modes,
    named_tuples,
    selection,
)
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import (
    Arrives,
    Backward,
    Carrier,
    ContainerKind,
    Freeze,
    HoldParameters,
    LoadState,
    Mode,
    ModuleType,
    Move,
    Placing,
    Row,
)
from torchdevlint.lattice import ANY, Placement, Possibility
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import SCATTERS
from torchdevlint.values import (
    SCALAR,
    UNKNOWN,
    Const,
    Container,
    Device,
    Function,
    Loader,
    Module,
    Object,
    Opaque,
    Optimizer,
    Parameters,
    Tensor,
    Unknown,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


def call(run: Run, receiver: Value, name: str, made: Call, node: cst.Attribute) -> Value:
    """Call a method; a method that nothing tells of is code that cannot be seen."""
    match receiver:
        case Tensor():
            return _of_tensor(run, receiver, name, made, node)
        case Opaque():
            return _of_opaque(run, receiver, name, made, node)
        case Module():
            return _of_module(run, receiver, name, made, node)
        case Container():
            own = named_tuples.call(run, receiver, name, made)
            if own is not None:
                return own
            transfers.refusals.of_container(run, receiver, name, made, node)
            return collections.call(run, receiver, name, made)
        case Optimizer():
            row = run.knowledge.optimizer.get(name)
            return transfers.of_optimizer(run, row, receiver, made) if row else calls.unseen(run, made)
        case Object():
            return _of_object(run, receiver, name, made)
        case Parameters():
            return collections.of_state(run, receiver, name, made)
        case Const(value=str()):
            return selection.of_text(run, receiver, name, [a.value for a in made.arguments], node.value)
        case Device():
            return UNKNOWN
        case Loader():
            return run.opaque(name)
        case Unknown() if isinstance(run.knowledge.tensor.get(name), Backward):
            return transfers.apply(run, run.knowledge.tensor[name], made, calls.Argument(node.value, receiver))
        case Unknown() if isinstance(run.knowledge.module.get(name), Move):
            return _of_opaque(run, run.opaque(text_of(node.value)), name, made, node)
        case _:
            return calls.unseen(run, made)


def _of_tensor(run: Run, receiver: Tensor, name: str, made: Call, node: cst.Attribute) -> Value:
    row = run.knowledge.tensor.get(name)
    if row is None:
        escapes.consume(run, receiver)
        return calls.unseen(run, made)
    return transfers.apply(run, row, made, calls.Argument(node.value, receiver))


def _of_opaque(run: Run, receiver: Opaque, name: str, made: Call, node: cst.Attribute) -> Value:
    knowledge = run.knowledge
    bound = run.store.value(receiver.key, name)
    if isinstance(bound, Function | Module | Opaque) and bound != receiver:
        return calls.call_value(run, bound, made)
    if name in knowledge.tensor_only:
        run.facts.tensors.add(receiver.key)
    module_row = knowledge.module.get(name)
    stateful = isinstance(module_row, HoldParameters | LoadState)  # as an optimizer is, which is moved nowhere
    if name in knowledge.module_only or (stateful and any(key == receiver.key for key, _ in run.moved)):
        run.facts.modules.add(receiver.key)
    if isinstance(module_row, HoldParameters):
        return transfers.of_module(run, module_row, receiver, made)
    if isinstance(module_row, Freeze) and receiver.parameter and receiver.key in run.parameter_of:
        transfers.of_module(run, module_row, run.parameter_of[receiver.key], made)
        return receiver
    row: Row | None = knowledge.tensor.get(name)
    if isinstance(module_row, Move) and (row is None or isinstance(row, Move)):
        return transfers.move_opaque(run, module_row, receiver, made, node)
    if name in knowledge.optimizer and name not in knowledge.tensor and name not in knowledge.module:
        return transfers.of_unseen_optimizer(run, knowledge.optimizer[name], made)
    if isinstance(row, Backward) and made.arguments:
        return transfers.apply(run, row, made, made.arguments[0])  # an engine or scaler runs it on the loss it is given
    if isinstance(row, Backward):
        return transfers.apply(run, row, made, calls.Argument(node.value, receiver))
    known = module_row is not None and receiver.key in run.facts.modules
    if row is not None and not known and (receiver.key in run.facts.tensors or receiver.placement != ANY):
        return transfers.apply(run, row, made, calls.Argument(node.value, receiver))
    if module_row is not None:
        return transfers.of_module(run, module_row, receiver, made)
    return _unseen_method(run, receiver, name, made, node)


def _unseen_method(run: Run, receiver: Opaque, name: str, made: Call, node: cst.Attribute) -> Value:
    """Call a method of an object of unknown kind: of a tensor or a batch, the result is where it is.

    What another object gives that was moved may be anywhere: its method may end in `.cpu()`.
    """
    run.waits += 1
    if name not in collections.READING:
        transfers.changed(run, receiver)
    for argument in made.values():
        escapes.escape(run, argument.value)
    if any(isinstance(argument.value, Object) and argument.value.type.array for argument in made.values()):
        return run.opaque(f"{text_of(node)}(…)")  # what is given arrays may give arrays
    placed = receiver.placement != ANY and (receiver.key in run.facts.tensors or receiver.output)
    if placed or receiver.source or receiver.key in run.load_of:
        # of an object that tells of itself (`graph.num_edges()`) this is no tensor
        return replace(run.derive(receiver, f"{receiver.name}.{name}(…)"), member=False)
    result = run.opaque(f"{text_of(node)}(…)")
    run.part_of[result.key] = receiver.key
    return result


def _of_module(run: Run, receiver: Module, name: str, made: Call, node: cst.Attribute) -> Value:
    own = run.store.value(receiver.key, name)
    if own is not None:
        return calls.call_value(run, own, made)
    if receiver.cls is not None:
        found = attributes.of_class(run, receiver, receiver.cls, name, node)
        if found is not None:
            return calls.call_value(run, found, made)
    row = run.knowledge.module.get(name)
    switch = _own_switch(run, receiver, node) if isinstance(row, Mode) and not row.training else None
    if switch is not None:
        return calls.call_value(run, switch, calls.Call(made.node, made.text, [calls.Argument(node, Const(False))]))
    if row is not None:
        return lineage.itself(transfers.of_module(run, row, receiver, made))  # `super().to(…)` is no other object
    if name == "__init__":
        return transfers.constructed(run, receiver, made)
    extra = collections.MODULE_METHODS.get(name)
    if extra is not None and receiver.type.container is not ContainerKind.NONE:
        return extra(run, receiver, made)
    placement = run.module_placement(receiver) or ANY
    if receiver.type.own:
        absence.missed_by_wrapper(run, receiver, name, node)
    unseen = bool(receiver.type.own) or receiver.cls is not None or receiver.type.placing is not Placing.USER
    unseen = unseen or name in receiver.type.moves_inputs
    if not unseen and placement != ANY and _takes_inputs(receiver.type, made):
        _meets(run, receiver, made, placement, text_of(node.value))
    for argument in made.values():
        escapes.escape(run, argument.value)
    if unseen:
        return run.opaque(f"{text_of(node)}(…)")
    return run.opaque(f"{text_of(node)}(…)", placement=placement, output=True)


def _takes_inputs(kind: ModuleType, made: Call) -> bool:
    """Tell whether a method that nothing tells of takes what a call of its module takes, as a metric's all do.

    Others may reckon with the sizes that the module was built for: theirs are inputs where they are named as inputs.
    """
    named = made.open or any(name in kind.inputs for name in made.keywords)
    return kind.holds_tensors and (kind.metric or named)


def _own_switch(run: Run, module: Module, node: cst.Attribute) -> Value | None:
    """Return the method of the file by which a module is put into training mode: `eval()` calls it, too."""
    names = [name for name, row in run.knowledge.module.items() if isinstance(row, Mode) and row.training]
    found = (attributes.of_class(run, module, module.cls, name, node) for name in names if module.cls is not None)
    return next((one for one in found if one is not None), None)


def call_module(run: Run, module: Module, made: Call) -> Value:
    """Call a module: its own `forward` where the file has it, else what its row tells; then its hooks."""
    value = modes.of_call(run, module, transfers.after_hooks(run, module, made, _call_module(run, module, made)))
    transfers.evaluated(run, module, made, value)
    clocks.launched(run, made.node, run.placement_of(value))
    return replace(value, output=True) if isinstance(value, Tensor) else value


def _call_module(run: Run, module: Module, made: Call) -> Value:
    _noted(run)
    transfers.called_alone(run, module, made)
    assigned = run.store.value(module.key, run.knowledge.module_call)
    if assigned is not None:
        return calls.call_value(run, assigned, made)
    if run.store.get(module.key, SCATTERS) is True:
        for argument in made.values():
            escapes.escape(run, argument.value)
        return run.opaque(f"{made.text}(…)", placement=run.module_placement(module) or ANY, output=True)
    own = lineage.member(run, module.cls, "__call__") if module.cls is not None else None
    if module.cls is not None and (transfers.hooked(run, module) or not isinstance(own, Function | None)):
        return calls.unseen(run, made)  # its inputs may be moved before `forward` has them
    forward = own or (lineage.member(run, module.cls, run.knowledge.module_call) if module.cls is not None else None)
    if not run.frame.in_module and not run.frame.constructing and not _run_by_framework(run):
        run.facts.definitions_only = False
    if isinstance(forward, Function):
        bound = Function(forward.node, forward.frame, forward.name, module, forward.owner)
        entry = None if run.frame.in_module else made.node
        value = functions.invoke(run, bound, made, entry)
        if isinstance(value, Tensor) and value.rank == SCALAR:
            run.facts.scalar_calls.add(made.node)
        return value
    return transfers.call_typed_module(run, module, made)


def _run_by_framework(run: Run) -> bool:
    """Tell whether the function that runs is given a module by a framework: it is a definition, as a module's are."""
    function = run.frame.function
    return function is not None and Arrives.MODULE in run.handed.get(function.node, ())


def _meets(run: Run, module: Module | Opaque, made: Call, state: Placement, text: str) -> None:
    """Record that a module we cannot look into was called with what may be tensors."""
    operands = transfers.input_operands(run, made)
    if operands:
        kind = module.type if isinstance(module, Module) else None
        proof = module.key if isinstance(module, Opaque) else 0
        run.emit(Called(made.node, run.world, run.frame.entry, module, kind, text, state, operands, proof))


def _noted(run: Run) -> None:
    """Note that the loops that run call a module: what they add up may carry its graph."""
    run.facts.calling_loops.update(run.running)
    if run.running:
        run.facts.costs.stepping.add(run.running[-1])


def call_opaque(run: Run, callee: Opaque, made: Call) -> Value:
    """Call an object of unknown kind: if it was moved as a module, its inputs meet its parameters."""
    run.waits += 1
    state = run.module_placement(callee)
    proven = callee.key in run.facts.modules
    if callee.output and callee.placement != ANY and state is None:
        state = callee.placement  # a submodule of a module that was placed
    if state is not None and state != ANY:
        _meets(run, callee, made, state, callee.name or made.text)
        transfers.meet_added(run, callee, made, state)
    for argument in made.values():
        escapes.escape(run, argument.value)
    if proven:
        _noted(run)
        transfers.evaluated(run, callee, made, None)
        if state is not None:
            clocks.launched(run, made.node, state)
    if proven and (state is None or state == ANY):
        followed = _where_moved(run, made)
        if followed is not None:
            return run.opaque(f"{made.text}(…)", placement=followed, output=True)
    if state is not None and state != ANY and (proven or callee.output):
        result = run.opaque(f"{made.text}(…)", placement=state, output=True)
    else:
        result = run.opaque(f"{made.text}(…)")
        if not _made_unseen(run, callee):
            transfers.perhaps_loss(run, made, result)
    return result


def _made_unseen(run: Run, value: Opaque) -> bool:
    """Tell whether a value came out of a call that cannot be seen, at any depth of its parts.

    What other code builds as a loss may be no loss of PyTorch: many move the labels themselves.
    """
    key: int | None = value.key
    while key is not None and key not in run.results:
        key = run.part_of.get(key)
    return key is not None


def _where_moved(run: Run, made: Call) -> Placement | None:
    """Return where the first input of a module was moved to: a module that ran gives its output there.

    Of one that is handed members of a batch from elsewhere too, nothing tells to which of them its output belongs.
    """
    first = made.arguments[0].value if made.arguments else None
    if not isinstance(first, Tensor | Opaque):
        return None
    placement = run.placement_of(first)
    others = (argument.value for argument in made.values())
    if any(isinstance(other, Opaque) and other.member and other.placement != placement for other in others):
        return None
    if any(p.why is None or p.why.role is not Role.MOVED for p in placement):
        return None
    return frozenset(
        Possibility(p.device, p.condition, Why(Role.OUTPUT, made.node, f"given by `{made.text}`", p.why))
        for p in placement
    )


def _of_object(run: Run, receiver: Object, name: str, made: Call) -> Value:
    if receiver.type.array:
        return receiver
    row = receiver.type.methods.get(name)
    if row is not None:
        return transfers.apply_for_object(run, row, receiver, made)
    if receiver.type.carrier is Carrier.IN_PLACE and name in ("items", "values"):
        return collections.of_batch(run, receiver, name, made)
    moved = transfers.move_object(run, receiver, name, made)
    if moved is not None:
        return moved
    for argument in made.values():
        escapes.escape(run, argument.value)
    if not all(isinstance(argument.value, Const) for argument in made.values()):
        escapes.escape(run, receiver)  # `update` and its like may put other tensors into it
    return run.opaque(f"{receiver.type.name}.{name}(…)")
