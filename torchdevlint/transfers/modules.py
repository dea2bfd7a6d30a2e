"""Modules: what they are built with and what they register."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.interpreter import escapes, iteration, pace
from torchdevlint.joins import join_all
from torchdevlint.knowledge.rows import (
    Cast,
    ContainerKind,
    Conversion,
    Exchange,
    Freeze,
    HoldParameters,
    LoadState,
    Mode,
    ModuleType,
    Move,
    ParameterType,
    Placing,
    Quiet,
    Register,
    RegisterKind,
    Row,
    Submodules,
    Visit,
)
from torchdevlint.lattice import ALWAYS, ANY
from torchdevlint.names import text_of
from torchdevlint.records import replace
from torchdevlint.state import MAX_DEPTH, PLACEMENT, Items
from torchdevlint.transfers import (
    additions,
    checkpoints,
    environment,
    hooks,
    leaves,
    losses,
    moves,
    replicas,
    states,
    visits,
)
from torchdevlint.transfers.devices import named, place_of
from torchdevlint.transfers.operands import receiver_node
from torchdevlint.transfers.placing import contained, move_module, parts
from torchdevlint.values import (
    ANY_RANK,
    NONE,
    UNKNOWN,
    Choice,
    Const,
    Container,
    Holder,
    Module,
    Opaque,
    Tensor,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run

FROZEN = "<frozen>"
"""The slot that tells that the parameters of a module need no gradient."""


def register(run: Run, value: Value, depth: int = 0) -> None:
    """Note that a value is reached by `parameters()` and moves with a module that holds it."""
    match value:
        case Module() | Opaque():
            run.registered.add(value.key)
        case Container() if depth < MAX_DEPTH:
            for item in contained(run, value):
                register(run, item, depth + 1)
        case Choice():
            for option, _ in value.options:
                register(run, option, depth)
        case _:
            return


def hold(run: Run, module: Module, name: str, value: Value, node: cst.CSTNode) -> None:
    """Bind an attribute of a module: submodules and parameters are registered, plain tensors are only kept."""
    if not (isinstance(value, Tensor) and value.held is not Holder.NONE and (module.key, name) in run.bound_at):
        run.bound_at[module.key, name] = node  # what was plain before is to blame where it stays so
    if isinstance(value, Module | Choice):
        register(run, value)
        if module.type.container is ContainerKind.SEQUENTIAL:
            iteration.store_item(run, module, _position(module, name), value)  # the next of those that it calls
    checkpoints.keep(run, value)
    leaves.assigned(run, value, f"self.{name}", node)
    if not run.frame.constructing:
        escapes.consume(run, value)
    if (module.key, name) in run.buffers and isinstance(value, Tensor):
        value = replace(value, held=Holder.BUFFER)
    apart = isinstance(value, Module) and module.type.abstract
    if module.cls is None and (isinstance(value, Tensor | Opaque) or apart):
        run.store.set(module.key, PLACEMENT, ANY)  # one of the parameters of a torch layer: the others may be elsewhere
    if isinstance(value, Tensor) and value.held is not Holder.NONE:
        told = not run.frame.constructing or (isinstance(node, cst.Assign) and not isinstance(node.value, cst.Call))
        known = run.store.holders(value) if value.held is Holder.PARAMETER and told else ()
        value = _as_held(value, node, name)
        for slot in known:  # it moves with the module under its other names too
            run.store.set(*slot, value)
            run.lent_parameters.add((module.key, name))
    run.set_attribute(module.key, name, named(run, value, f"self.{name}"))


def _position(module: Module, name: str) -> Const:
    """Return the key of an element of a container of modules that has a name: of all but a dict its position."""
    return Const(int(name) if name.isdecimal() and module.type.container is not ContainerKind.DICT else name)


def _as_held(value: Tensor, node: cst.CSTNode, name: str) -> Tensor:
    """Return a parameter or buffer with the module's holding it as the reason for its place."""
    return replace(
        value,
        placement=frozenset(
            lattice.Possibility(p.device, p.condition, Why(Role.PARAMETER, node, f"held as `self.{name}`", p.why))
            for p in value.placement
        ),
    )


def parameter(run: Run, row: ParameterType, call: Call, receiver: Argument | None) -> Tensor:
    """`nn.Parameter(t)`: a leaf where the tensor is."""
    first = call.first
    holder = Holder.BUFFER if row.buffer else Holder.PARAMETER
    wanted = call.get(1, "requires_grad")
    graph = None if wanted is not None and wanted.value != Const(True) else not row.buffer
    if isinstance(first, Tensor):
        return replace(first, held=holder, graph=graph, leaf=True, unleafed=None)
    placement = run.placement_of(first) if isinstance(first, Opaque) else ANY
    return Tensor(placement, ANY_RANK, graph, holder, leaf=True)


def registering(run: Run, row: Register, module: Module | Opaque, call: Call) -> Value:
    """`register_buffer(name, tensor)` and its kin."""
    name, held = call.get(0, "name"), call.get(1, "tensor") or call.get(1, "param") or call.get(1, "module")
    if row.kind in (RegisterKind.HOOK, RegisterKind.OUTPUT_HOOK):
        hooks.register(run, row, module, call)
        return NONE
    if held is None or not isinstance(module, Module):
        return NONE
    if row.kind is RegisterKind.BUFFER and name is not None and isinstance(name.value, Const):
        run.buffers.add((module.key, str(name.value.value)))
    value = held.value
    if row.kind is RegisterKind.MODULE and module.type.container is not ContainerKind.NONE and name is not None:
        if isinstance(name.value, Const):
            iteration.store_item(run, module, _position(module, str(name.value.value)), value)
        else:
            iteration.add_item(run, module, value)  # under a name of its own
    if row.kind is RegisterKind.PARAMETER:
        leaves.assigned(run, value, call.text, call.node)
    known = run.store.holders(value) if row.kind is RegisterKind.PARAMETER else ()
    value = _registered(value, Holder.BUFFER if row.kind is RegisterKind.BUFFER else Holder.PARAMETER, call.node)
    register(run, value)
    text = name.value.value if name is not None and isinstance(name.value, Const) else f"<registered {run.new_key()}>"
    run.bound_at[module.key, str(text)] = call.node
    old = run.store.value(module.key, str(text))
    run.set_attribute(module.key, str(text), value)
    for slot in known:
        run.store.set(*slot, value)
        run.lent_parameters.add((module.key, str(text)))
    additions.put_in(run, module, value, old, str(text), call.node)
    return NONE


def _registered(value: Value, holder: Holder, node: cst.CSTNode) -> Value:
    """Return a tensor, or each of a choice, as what a module has registered; anything else as it is."""
    match value:
        case Tensor():
            return _as_held(replace(value, held=holder), node, "buffer")
        case Choice():
            return Choice(tuple((_registered(option, holder, node), condition) for option, condition in value.options))
        case _:
            return value


def construct(run: Run, row: ModuleType, call: Call, receiver: Argument | None) -> Value:
    """Build a module of a torch class."""
    given = place_of(run, call.keywords.get("device"), moving=False)
    if row.container is ContainerKind.NONE and not (row.scatters or row.forwards_attributes):
        # What it makes of its parts, and how it calls them, is its own.
        parted = hooks.moves(run, [argument.value for argument in call.values()], set())
        row = replace(row, placing=Placing.UNSEEN) if parted else row
    made = Module(run.new_key(), _switched(row, call), None, call.text)
    if row.placing is Placing.USER:
        placement = (
            given if given is not None else run.default_placement(call.node, f"made by `{call.text}`", layer=True)
        )
    else:
        placement = ANY
    for argument in call.values():
        register(run, argument.value)
    if row.scatters or row.forwards_attributes:
        wrapped = call.get(0, "module")
        if wrapped is not None:
            run.set_attribute(made.key, "module", wrapped.value)
            run.wrapped[made.key] = (call.node, run.world)
            if isinstance(wrapped.value, Opaque):
                run.facts.modules.add(wrapped.value.key)
            replicas.wrap(run, made, row, wrapped, call)
        placement = ANY
    run.store.set(made.key, PLACEMENT, placement)
    run.store.born.add(made.key)
    if row.container is not ContainerKind.NONE:
        fill_container(run, made, call)
        _settle_container(run, made)
    if row.loss is not None:
        losses.keep_weights(run, made, row.loss, call)
    return made


def constructed(run: Run, made: Module, call: Call) -> Value:
    """Run the constructor of a torch class for an object of a class over it (``super().__init__(…)``)."""
    given = place_of(run, call.keywords.get("device"), moving=False)
    if given is not None and made.type.placing is Placing.USER:
        run.store.set(made.key, PLACEMENT, given)
    if made.type.container is not ContainerKind.NONE:
        fill_container(run, made, call)
        _settle_container(run, made)
    else:
        for argument in call.values():
            escapes.escape(run, argument.value)
    return NONE


def _settle_container(run: Run, made: Module) -> None:
    """A container is where its modules are; where they differ, or none is known, it may be anywhere."""
    places = {run.module_placement(v) for v in contained(run, made) if isinstance(v, Module) and holds_tensors(run, v)}
    if len(places) == 1 and None not in places:
        run.store.set(made.key, PLACEMENT, places.pop())
    elif places or run.items(made).lost or any(holds_tensors(run, v) is None for v in contained(run, made)):
        run.store.set(made.key, PLACEMENT, ANY)


def freeze(run: Run, module: Module | Opaque) -> None:
    """Note that the parameters of a module, and of those in it, need no gradient."""
    _set_frozen(run, module, True, set())


def _set_frozen(run: Run, module: Value, frozen: bool, seen: set[int]) -> None:
    match module:
        case Module() if module.key not in seen:
            seen.add(module.key)
            run.store.set(module.key, FROZEN, frozen)
            (run.facts.frozen.add if frozen else run.facts.frozen.discard)(module.key)
            for name, value in run.attribute_values(module.key):
                if isinstance(value, Tensor) and value.held is Holder.PARAMETER:
                    run.store.set(module.key, name, replace(value, graph=not frozen))
                _set_frozen(run, value, frozen, seen)
            for value in contained(run, module):
                _set_frozen(run, value, frozen, seen)
        case Opaque():
            run.store.set(module.key, FROZEN, frozen)
        case _:
            return


def _switched(row: ModuleType, call: Call) -> ModuleType:
    """Return the row of a module that holds tensors only where its arguments say so (`affine=False`)."""
    if any(name in call.keywords and call.keywords[name].value == Const(value) for name, value in row.empty_with):
        return replace(row, holds_tensors=False)
    if not row.switches:
        return row
    given = [(call.get(switch.position, switch.name), switch) for switch in row.switches]
    on = [switch for argument, switch in given if (switch.on if argument is None else argument.value == Const(True))]
    return replace(row, holds_tensors=bool(on), trained=not all(switch.buffers for switch in on))


def fill_container(run: Run, made: Module, call: Call | None) -> None:
    """Give a torch container the modules it is built from."""
    exact: list[tuple[object, Value]] = []
    rest: Value | None = None
    arguments = call.arguments if call is not None else []
    if len(arguments) == 1 and isinstance(arguments[0].value, Container):
        source = run.items(arguments[0].value)
        exact, rest = list(source.exact), source.any() if source.lost else source.rest
        if source.lost:
            exact = []
    else:
        sure = call.sure if call is not None else 0
        exact = [(index, argument.value) for index, argument in enumerate(arguments[:sure])]
        further = [(argument.value, ALWAYS) for argument in arguments[sure:]]
        rest = join_all(further) if further else UNKNOWN if call is not None and call.open else None
    for _, value in exact:
        register(run, value)
    exact = [(key, as_parameter(value)) for key, value in exact]
    if rest is not None:
        register(run, rest)
        rest = as_parameter(rest)
    run.fill(made.key, Items(tuple(exact), rest))


def as_parameter(value: Value) -> Value:
    """Return a tensor as the parameter that a `ParameterList` makes of it; anything else as it is."""
    if isinstance(value, Tensor) and value.held is not Holder.PARAMETER:
        return replace(value, held=Holder.PARAMETER, graph=True, unleafed=None)
    return value


def holds_tensors(run: Run, module: Value, seen: frozenset[int] = frozenset()) -> bool | None:
    """Tell whether a module holds tensors; None where that is not known. ``seen`` are the containers around it."""
    if not isinstance(module, Module) or len(seen) > MAX_DEPTH:
        return None
    if module.type.container is not ContainerKind.NONE:
        each = {value.key if isinstance(value, Module) else None: value for value in contained(run, module)}
        answers = [holds_tensors(run, value, seen | {module.key}) for key, value in each.items() if key not in seen]
        return True if True in answers else None if None in answers else False
    if module.cls is not None and module.type.abstract:
        return None
    return module.type.holds_tensors


def _holds_nothing(run: Run, module: Module) -> bool:
    """Tell whether a module surely has neither parameters nor buffers (`nn.CrossEntropyLoss()` without weights)."""
    kept = any(isinstance(value, Tensor) for _, value in run.attribute_values(module.key))
    return module.cls is None and not kept and holds_tensors(run, module) is False


def of_module(run: Run, row: Row, receiver: Module | Opaque, call: Call) -> Value:
    """Call a method that every module has."""
    match row:
        case Move() if isinstance(receiver, Module):
            empty = _holds_nothing(run, receiver)
            run.guarded += empty  # nothing of it is placed anywhere: it needs no device
            moves.move_proven(run, row, receiver, call)
            run.guarded -= empty
            return receiver
        case HoldParameters():
            return states.given(run, row, receiver, call)
        case Register():
            return registering(run, row, receiver, call)
        case LoadState():
            if isinstance(receiver, Opaque) and not call.keywords.keys().isdisjoint(row.proofs):
                run.facts.modules.add(receiver.key)
            for argument in call.arguments:
                checkpoints.keep_in(run, argument.value, receiver)
            if row.assigns not in call.keywords:
                run.facts.copied.update(argument.node for argument in call.arguments)
            states.loaded(run, receiver, call.get(0, "state_dict"), call, text_of(receiver_node(call)))
            assigned = call.keywords.get(row.assigns)
            if assigned is not None:
                move_module(run, receiver, ANY)
            if assigned is not None and assigned.value == Const(True):
                additions.exchanged(run, receiver, text_of(receiver_node(call)), call)
            return NONE
        case Exchange() if call.arguments or call.keywords:  # else it only gives them
            move_module(run, receiver, run.module_placement(receiver) or ANY)
            additions.exchanged(run, receiver, text_of(receiver_node(call)), call)
            return UNKNOWN
        case Freeze():
            given = bool(call.arguments or call.keywords)
            _set_frozen(run, receiver, given and call.first != Const(True), set())
            return receiver
        case Mode():
            for part in parts(run, receiver, set()):
                pace.switched(run, part.key, row.training, call)
            return receiver
        case Submodules():
            return visits.submodules(run, row, receiver, call)
        case Visit():
            return visits.visit(run, row, receiver, call)
        case Cast(half=True):
            environment.native(run)
            return receiver
        case Cast() | Quiet():
            return receiver
        case _:
            return UNKNOWN


def replace_parameters(run: Run, row: Conversion, call: Call, receiver: Argument | None) -> Value:
    """Switch whether a move of a module replaces its parameters."""
    run.store.set(0, moves.REPLACES, call.first == Const(True))
    return NONE
