"""Calls of torch's own modules: what meets their parameters, and where the result is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import Called, Operand
from torchdevlint.interpreter import calls, escapes
from torchdevlint.knowledge.rows import Carrier, ContainerKind, ModuleType, Placing, RankRule
from torchdevlint.lattice import ANY, Placement, is_host
from torchdevlint.records import replace
from torchdevlint.state import MAX_DEPTH, Items
from torchdevlint.transfers import casting, losses, replicas
from torchdevlint.transfers.hooks import after_hooks, hooked, moves
from torchdevlint.transfers.modules import FROZEN, holds_tensors
from torchdevlint.transfers.operands import function_text, operand
from torchdevlint.transfers.placing import contained
from torchdevlint.values import (
    ANY_RANK,
    UNKNOWN,
    Choice,
    Const,
    Container,
    Module,
    Object,
    Opaque,
    Tensor,
    Unknown,
    Value,
    options,
)
from torchdevlint.why import Role

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call
    from torchdevlint.interpreter.run import Run


def input_operands(run: Run, call: Call) -> tuple[Operand, ...]:
    """Return the arguments of a call of an unseen module that may be tensors.

    The first positional one counts as one; further ones need evidence. Where the tensors of a dict that is spread
    with ``**`` are in different places, some are meant to stay on the host.
    """
    found: list[Operand] = []
    for index, argument in enumerate(call.values()):
        value = argument.value
        match value:
            case Tensor():
                found.append(operand(run, argument.node, value, "input"))
            case Object() if value.type.carrier is not Carrier.NONE:
                found.append(operand(run, argument.node, Tensor(run.placement_of(value)), "input"))
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
    places: dict[cst.CSTNode, set[Placement]] = {}
    for made in found:
        places.setdefault(made.node, set()).add(made.placement)
    return tuple(made for made in found if len(places[made.node] - {ANY}) <= 1)


def call_typed_module(run: Run, module: Module, call: Call) -> Value:
    """Call a module of a torch class: what meets its parameters, and where the result is."""
    row = module.type
    for argument in call.values():
        escapes.consume(run, argument.value)
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
        replicas.meet(run, module, inner, call)
        replicas.fed(run, module)
        placed = run.module_placement(inner) if isinstance(inner, Module | Opaque) else None
        whole = replicas.called(run, module, inner, placed or ANY, call)
        if whole is not None:
            return whole
        return run.opaque(f"{call.text}(…)", placement=placed or ANY, output=True)
    if holds and state != ANY:
        casting.met(run, state, function_text(call))
    reached = state
    if holds and state != ANY and not hooked(run, module):
        inputs = _inputs(run, row, call)
        if inputs:
            run.emit(Called(call.node, run.world, run.frame.entry, module, row, function_text(call), state, inputs))
            _note_met(run, inputs)
            reached = _reached(run, state, inputs[0].placement)
        meet_added(run, module, call, state)
    result = _behind_hooks(run, module, _output(run, row, call, reached if holds else None))
    if isinstance(result, Tensor) and run.store.get(module.key, FROZEN) is True:
        return replace(result, graph=_input_graph(call))
    return result


def _reached(run: Run, state: Placement, given: Placement) -> Placement:
    """Return where the output of a layer is, of one that stayed on the host where it will be once it is moved.

    What it meets later then has no fault of its own.
    """
    clash = lattice.clash(state, given, world=run.world)
    return given if clash is not None and is_host(clash.left.device) else state


def _behind_hooks(run: Run, module: Module, result: Value) -> Value:
    """Return what a module on the host gives: anywhere, if hooks may have moved it or what it computes."""
    on_host = isinstance(result, Tensor) and all(is_host(p.device) for p in result.placement)
    if isinstance(result, Tensor) and on_host and hooked(run, module, outputs=True):
        return replace(result, placement=ANY)
    return result


def _note_met(run: Run, inputs: tuple[Operand, ...]) -> None:
    """Note the parameters of a method that a layer takes as they were handed in: those are where the layer is."""
    for given in inputs:
        run.facts.fed[given.node] = run.facts.fed.get(given.node, frozenset()) | given.placement
        for why in (p.why for p in given.placement if p.why is not None and p.why.role is Role.INPUT):
            if isinstance(why.node, cst.Param) and why.node.name.value == given.text:
                run.facts.met_inputs.add(why.node)


def meet_added(run: Run, module: Module | Opaque, call: Call, state: Placement) -> None:
    """Record that what a module of other code computes meets layers that the script put into it (`model.fc = …`)."""
    text = function_text(call)
    proof = module.key if isinstance(module, Opaque) else 0
    inner = Operand(call.node, text, "input", state, (1, None))
    for name, layer in _added(run, module.key, 0):
        place = run.module_placement(layer) or ANY
        met = f"{text}{name}"
        run.emit(Called(call.node, run.world, run.frame.entry, layer, layer.type, met, place, (inner,), proof))


def _added(run: Run, key: int, depth: int) -> Iterator[tuple[str, Module]]:
    """Yield the layers that hold tensors and were put into a module or into a part of it, with their names."""
    for name, item in run.attribute_values(key):
        text = name if name.startswith("[") else f".{name}"
        if isinstance(item, Module) and holds_tensors(run, item):
            yield text, item
        elif isinstance(item, Opaque) and depth < MAX_DEPTH:
            yield from ((text + inner, layer) for inner, layer in _added(run, item.key, depth + 1))


def _inputs(run: Run, row: ModuleType, call: Call) -> tuple[Operand, ...]:
    """Return the inputs of a call that meet the parameters of the module."""
    if not row.inputs:
        return input_operands(run, call)
    return tuple(
        replace(operand(run, argument.node, value, name), part=value is not argument.value)
        for name, argument in _named_inputs(row, call)
        for value in _tensors_in(run, argument.value)
    )


def _input_graph(call: Call) -> bool | None:
    """Return whether an input of a call carries a graph: all that counts where the parameters are frozen."""
    graphs = {a.value.graph for a in call.values() if isinstance(a.value, Tensor)}
    return True if True in graphs else False if graphs else None


def _tensors_in(run: Run, value: Value, depth: int = 0) -> Iterator[Value]:
    """Yield what may be tensors in an argument: itself, or the parts of a tuple or list (the states of an LSTM)."""
    match value:
        case Tensor() | Opaque():
            yield value
        case Container() if depth < MAX_DEPTH and not run.items(value).lost:
            for item in contained(run, value):
                yield from _tensors_in(run, item, depth + 1)
        case _:
            return


def _named_inputs(row: ModuleType, call: Call) -> list[tuple[str, calls.Argument]]:
    found = [("input", call.keywords["**"])] if "**" in call.keywords else []
    given = call.keywords
    moot = {name for name, switch in row.moot if switch in given and given[switch].value != Const(False)}
    for index, name in enumerate(row.inputs):
        argument = call.get(index, name) if name and name not in moot else None
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
    if first is not None and _is_empty(run, module, items):
        return first.value
    if first is not None and isinstance(first.value, Opaque) and items.exact and _is_layer(items.exact[0][1]):
        run.facts.tensors.add(first.value.key)
    state = run.module_placement(module) or ANY
    if hooked(run, module):
        return _behind_hooks(run, module, _behind_layers(run, module, call, Tensor(state, (1, None))))
    if any(placed != state for placed in _placements(run, module)):
        state = ANY  # some of its modules were moved without the others
    if holds_tensors(run, module) and state != ANY:
        casting.met(run, state, function_text(call))
    in_turn = items.exact and not items.lost and _has_own(run, module, set())
    moving = moves(run, contained(run, module), set())
    whole = holds_tensors(run, module) and state != ANY and not (in_turn or moving)
    if whole and first is not None and isinstance(first.value, Tensor | Opaque):
        inputs = (operand(run, first.node, first.value, "input"),)
        run.emit(Called(call.node, run.world, run.frame.entry, module, module.type, function_text(call), state, inputs))
        frozen = run.store.get(module.key, FROZEN) is True
        graph = _input_graph(call) if frozen else not run.no_grad
        return _behind_hooks(run, module, _behind_layers(run, module, call, Tensor(state, (1, None), graph)))
    if not items.lost and items.exact and run.frame.entered < MAX_DEPTH:
        run.frame.entered += 1
        value = first.value if first is not None else UNKNOWN
        for _, layer in items.exact:
            inner = calls.Call(call.node, call.text, [calls.Argument(first.node if first else call.node, value)])
            value = calls.call_value(run, layer, inner)
        run.frame.entered -= 1
        if items.rest is None:
            return value
    placement = state if state != ANY else run.placement_of(first.value) if first is not None else ANY
    placement = ANY if moving else placement  # in which order they are called is not known
    result = Tensor(placement, ANY_RANK, False if run.no_grad else None)
    if items.rest is not None and run.frame.entered < MAX_DEPTH:
        run.frame.entered += 1
        for layer, _ in options(items.rest):  # how many there are is not known: each of a kind has what the others have
            if isinstance(layer, Module) and layer.cls is not None:
                calls.call_value(run, layer, calls.Call(call.node, call.text, [calls.Argument(call.node, result)]))
        run.frame.entered -= 1
    return result


def _has_own(run: Run, container: Module, seen: set[int]) -> bool:
    """Tell whether a container has layers of classes of the file in it: what those do is known, and run."""
    seen.add(container.key)
    layers = [layer for layer in contained(run, container) if isinstance(layer, Module) and layer.key not in seen]
    return any(layer.cls is not None or _has_own(run, layer, seen) for layer in layers)


def _behind_layers(run: Run, module: Module, call: Call, output: Tensor) -> Value:
    """Return what a `Sequential` gives behind the hooks of its layers, which are given what is where it is."""
    value: Value = output
    for layer in contained(run, module):
        value = after_hooks(run, layer, call, output) if isinstance(layer, Module) else output
    return value


def _is_layer(value: Value) -> bool:
    """Tell whether a value is one of torch's own layers, which take tensors."""
    return isinstance(value, Module) and value.cls is None and value.type.container is ContainerKind.NONE


def _is_empty(run: Run, module: Module, items: Items) -> bool:
    """Tell whether a `Sequential` has no modules: it gives back what it gets."""
    filled = module.cls is not None or items.exact or items.rest is not None or items.lost
    return not filled and not any(True for _ in run.attribute_values(module.key))


def _placements(run: Run, container: Module) -> Iterator[Placement | None]:
    """Yield where the modules in a container are that hold tensors."""
    for value in contained(run, container):
        if isinstance(value, Module) and holds_tensors(run, value):
            yield run.module_placement(value)
