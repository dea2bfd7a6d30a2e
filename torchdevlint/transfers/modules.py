"""Modules: what they register, and what calling one of torch's classes does to its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import Called, Operand
from torchdevlint.interpreter import calls, iteration
from torchdevlint.knowledge.rows import (
    ContainerKind,
    ModuleType,
    ParameterType,
    Placing,
    RankRule,
    Register,
    RegisterKind,
)
from torchdevlint.lattice import ANY, Placement
from torchdevlint.names import text_of
from torchdevlint.state import ITEMS, PLACEMENT, Items
from torchdevlint.transfers import checkpoints, losses
from torchdevlint.transfers.devices import named, place_of
from torchdevlint.transfers.tensors import operand
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
    Unknown,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


MAX_DEPTH = 4
"""How deep `Sequential`s are followed into each other; they may hold themselves."""

FROZEN = "<frozen>"
"""The slot that tells that the parameters of a module need no gradient."""

HOOKED = "<hooked>"
"""The slot that tells that a module has a hook that may move its inputs."""


def register(run: Run, value: Value) -> None:
    """Note that a value is reached by `parameters()` and moves with a module that holds it."""
    match value:
        case Module() | Opaque():
            run.registered.add(value.key)
        case Container():
            items = run.items(value)
            for _, item in items.exact:
                register(run, item)
            if items.rest is not None:
                register(run, items.rest)
        case Choice():
            for option, _ in value.options:
                register(run, option)
        case _:
            return


def hold(run: Run, module: Module, name: str, value: Value, node: cst.CSTNode) -> None:
    """Bind an attribute of a module: submodules and parameters are registered, plain tensors are only kept."""
    run.bound_at[module.key, name] = node
    if isinstance(value, Module | Choice):
        register(run, value)
    checkpoints.keep(run, value)
    if not run.frame.constructing:
        calls.consume(run, value, "stored")
    if (module.key, name) in run.buffers and isinstance(value, Tensor):
        value = replace(value, held=Holder.BUFFER)
    if isinstance(value, Tensor) and value.held is not Holder.NONE:
        value = _as_held(value, node, name)
    run.set_attribute(module.key, name, named(run, value, f"self.{name}"))


def _as_held(value: Tensor, node: cst.CSTNode, name: str) -> Tensor:
    """Return a parameter or buffer with the module's holding it as the reason for its place."""
    return replace(
        value,
        placement=frozenset(
            lattice.Possibility(p.device, p.condition, Why(Role.PARAMETER, node, f"held as `self.{name}`", p.why))
            for p in value.placement
        ),
    )


def parameter(run: Run, row: ParameterType, call: Call) -> Tensor:
    """`nn.Parameter(t)`: a leaf where the tensor is."""
    first = call.arguments[0].value if call.arguments else UNKNOWN
    holder = Holder.BUFFER if row.buffer else Holder.PARAMETER
    if isinstance(first, Tensor):
        return replace(first, held=holder, graph=not row.buffer, leaf=True)
    placement = run.placement_of(first) if isinstance(first, Opaque) else ANY
    return Tensor(placement, ANY_RANK, not row.buffer, holder, leaf=True)


def registering(run: Run, row: Register, module: Module | Opaque, call: Call) -> Value:
    """`register_buffer(name, tensor)` and its kin."""
    name, held = call.get(0, "name"), call.get(1, "tensor") or call.get(1, "param") or call.get(1, "module")
    if row.kind is RegisterKind.HOOK and isinstance(module, Module):
        run.store.set(module.key, HOOKED, True)
    if held is None or not isinstance(module, Module):
        return NONE
    if row.kind is RegisterKind.BUFFER and name is not None and isinstance(name.value, Const):
        run.buffers.add((module.key, str(name.value.value)))
    value = held.value
    if isinstance(value, Tensor):
        value = replace(value, held=Holder.BUFFER if row.kind is RegisterKind.BUFFER else Holder.PARAMETER)
        value = _as_held(value, call.node, "buffer")
    register(run, value)
    text = name.value.value if name is not None and isinstance(name.value, Const) else f"<registered {run.new_key()}>"
    run.bound_at[module.key, str(text)] = call.node
    run.set_attribute(module.key, str(text), value)
    return NONE


def construct(run: Run, row: ModuleType, call: Call) -> Value:
    """Build a module of a torch class."""
    given = place_of(run, call.keywords.get("device"), moving=False)
    made = Module(run.new_key(), _emptied(row, call), None, call.text)
    if row.placing is Placing.USER:
        placement = given if given is not None else run.default_placement(call.node, f"made by `{call.text}`")
    else:
        placement = ANY
    for argument in call.values():
        register(run, argument.value)
    if row.scatters or row.forwards_attributes:
        wrapped = call.get(0, "module")
        if wrapped is not None:
            run.set_attribute(made.key, "module", wrapped.value)
            if isinstance(wrapped.value, Opaque):
                run.facts.modules.add(wrapped.value.key)
        placement = ANY
    run.store.set(made.key, PLACEMENT, placement)
    run.store.born.add(made.key)
    if row.container is not ContainerKind.NONE:
        fill_container(run, made, call)
        _settle_container(run, made)
    if row.loss is not None:
        losses.keep_weights(run, made, row.loss, call)
    return made


def _settle_container(run: Run, made: Module) -> None:
    """A container is where its modules are; where they differ it is nowhere."""
    items = run.items(made)
    held = (*(v for _, v in items.exact), *((items.rest,) if items.rest is not None else ()))
    places = {run.module_placement(v) for v in held if isinstance(v, Module) and holds_tensors(run, v)}
    if len(places) == 1 and None not in places:
        run.store.set(made.key, PLACEMENT, places.pop())
    elif len(places) > 1:
        run.store.set(made.key, PLACEMENT, ANY)


def freeze(run: Run, module: Module | Opaque) -> None:
    """Note that the parameters of a module need no gradient."""
    run.store.set(module.key, FROZEN, True)


def _emptied(row: ModuleType, call: Call) -> ModuleType:
    """Return the row of a module that its arguments leave without tensors (`affine=False`)."""
    if row.empty_without and all(
        (argument := call.keywords.get(name)) is not None and argument.value == Const(False)
        for name in row.empty_without
    ):
        return replace(row, holds_tensors=False)
    return row


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
    elif call is not None and call.open:
        rest = arguments[0].value if arguments else UNKNOWN
    else:
        exact = [(index, argument.value) for index, argument in enumerate(arguments)]
    for _, value in exact:
        register(run, value)
    exact = [(key, as_parameter(value)) for key, value in exact]
    if rest is not None:
        register(run, rest)
        rest = as_parameter(rest)
    run.store.set(made.key, ITEMS, Items(tuple(exact), rest))


def as_parameter(value: Value) -> Value:
    """Return a tensor as the parameter that a `ParameterList` makes of it; anything else as it is."""
    if isinstance(value, Tensor):
        return replace(value, held=Holder.PARAMETER, graph=True)
    return value


def holds_tensors(run: Run, module: Value, depth: int = 0) -> bool | None:
    """Tell whether a module holds tensors; None where that is not known."""
    if not isinstance(module, Module) or depth > 4:
        return None
    if module.type.container is not ContainerKind.NONE:
        items = run.items(module)
        answers = [holds_tensors(run, value, depth + 1) for _, value in items.exact]
        if items.rest is not None:
            answers.append(holds_tensors(run, items.rest, depth + 1))
        return True if True in answers else None if None in answers else False
    if module.cls is not None and module.type.abstract:
        return None
    return module.type.holds_tensors


def input_operands(run: Run, call: Call) -> tuple[Operand, ...]:
    """Return the arguments of a call of an unseen module that may be tensors.

    The first positional one counts as one; further ones need evidence.
    """
    found: list[Operand] = []
    for index, argument in enumerate(call.values()):
        value = argument.value
        match value:
            case Tensor():
                found.append(operand(run, argument.node, value, "input"))
            case Opaque() if value.placement != ANY:
                made = operand(run, argument.node, value, "input")
                found.append(replace(made, proof=0 if index == 0 else value.key))
            case Choice():
                placement = run.placement_of(value)
                if placement != ANY and any(isinstance(v, Tensor) for v, _ in value.options):
                    made = operand(run, argument.node, UNKNOWN, "input")
                    found.append(replace(made, placement=placement))
            case _:
                continue
    return tuple(found)


def call_typed_module(run: Run, module: Module, call: Call) -> Value:
    """Call a module of a torch class: what meets its parameters, and where the result is."""
    row = module.type
    for argument in call.values():
        calls.consume(run, argument.value, "passed")
    if row.loss is not None:
        return losses.call_loss_module(run, module, call)
    if row.container is ContainerKind.SEQUENTIAL:
        return _sequential(run, module, call)
    state = run.module_placement(module) or ANY
    holds = holds_tensors(run, module)
    for _, argument in _named_inputs(row, call)[:1]:
        if isinstance(argument.value, Opaque):
            run.facts.tensors.add(argument.value.key)
    if row.scatters or row.placing is not Placing.USER:
        inner = run.store.get(module.key, "module")
        placed = run.module_placement(inner) if isinstance(inner, Module | Opaque) else None
        return run.opaque(f"{call.text}(…)", placement=placed or ANY, output=True)
    if holds and state != ANY and run.store.get(module.key, HOOKED) is None:
        inputs = (
            input_operands(run, call)
            if not row.inputs
            else tuple(
                operand(run, argument.node, value, name)
                for name, argument in _named_inputs(row, call)
                for value in _tensors_in(run, argument.value)
            )
        )
        if inputs:
            run.emit(Called(call.node, run.world, run.frame.entry, module, row, _text(call), state, inputs))
    result = _output(run, row, call, state if holds else None)
    if isinstance(result, Tensor) and run.store.get(module.key, FROZEN) is True:
        return replace(result, graph=_input_graph(call))
    return result


def _input_graph(call: Call) -> bool | None:
    """Return whether an input of a call carries a graph: all that counts where the parameters are frozen."""
    graphs = {a.value.graph for a in call.values() if isinstance(a.value, Tensor)}
    return True if True in graphs else False if graphs else None


def _tensors_in(run: Run, value: Value, depth: int = 0) -> Iterator[Value]:
    """Yield what may be tensors in an argument: itself, or the parts of a tuple (the states of an LSTM)."""
    match value:
        case Tensor() | Opaque():
            yield value
        case Container() if depth < 3:
            for item in iteration.elements(run, value) or ():
                yield from _tensors_in(run, item, depth + 1)
        case _:
            return


def _text(call: Call) -> str:
    return text_of(call.node.func) if isinstance(call.node, cst.Call) else call.text


def _named_inputs(row: ModuleType, call: Call) -> list[tuple[str, calls.Argument]]:
    found = [("input", call.keywords["**"])] if "**" in call.keywords else []
    for index, name in enumerate(row.inputs):
        argument = call.get(index, name)
        if argument is not None:
            found.append((name, argument))
    return found


def _output(run: Run, row: ModuleType, call: Call, state: Placement | None) -> Value:
    """Return what a torch module returns: on its own device, or where its input is if it holds nothing."""
    first = call.arguments[0].value if call.arguments else next((a.value for a in call.values()), UNKNOWN)
    if row.output == "input":
        return first
    placement = state if state is not None else run.placement_of(first)
    if state == ANY:
        placement = run.placement_of(first)
    if state is None and isinstance(first, Unknown):
        return UNKNOWN
    graph = False if run.no_grad else True if state is not None else first.graph if isinstance(first, Tensor) else None
    rank = first.rank if isinstance(first, Tensor) and row.returns is RankRule.SAME else (1, None)
    made = Tensor(placement, rank, graph)
    match row.output:
        case "pair":
            return run.container("tuple", (made, run.opaque("state", placement=placement, output=True)))
        case "opaque":
            return run.opaque(f"{call.text}(…)", placement=placement, output=True)
        case _:
            return made


def _sequential(run: Run, module: Module, call: Call) -> Value:
    """Call a `Sequential`: each module in turn; of one whose modules are not known, as a whole."""
    items = run.items(module)
    first = call.arguments[0] if call.arguments else None
    state = run.module_placement(module) or ANY
    if run.store.get(module.key, HOOKED) is not None:
        return Tensor(state, (1, None))
    if holds_tensors(run, module) and state != ANY and first is not None and isinstance(first.value, Tensor | Opaque):
        inputs = (operand(run, first.node, first.value, "input"),)
        run.emit(Called(call.node, run.world, run.frame.entry, module, module.type, _text(call), state, inputs))
        graph = not run.no_grad
        if run.store.get(module.key, FROZEN) is True:
            return Tensor(state, (1, None), _input_graph(call))
        return Tensor(state, (1, None), graph)
    if items.rest is None and not items.lost and items.exact and run.frame.entered < MAX_DEPTH:
        run.frame.entered += 1
        value = first.value if first is not None else UNKNOWN
        for _, layer in items.exact:
            inner = calls.Call(call.node, call.text, [calls.Argument(first.node if first else call.node, value)])
            value = calls.call_value(run, layer, inner)
        run.frame.entered -= 1
        return value
    placement = state if state != ANY else run.placement_of(first.value) if first is not None else ANY
    return Tensor(placement, ANY_RANK, False if run.no_grad else None)
