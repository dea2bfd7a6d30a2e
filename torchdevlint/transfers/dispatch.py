"""The table from kinds of row to transfer functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import HostRead
from torchdevlint.facts import PROVEN
from torchdevlint.interpreter import calls, conditions, iteration
from torchdevlint.interpreter.run import DISTRIBUTED
from torchdevlint.knowledge import rows
from torchdevlint.knowledge.rows import Row
from torchdevlint.lattice import ANY, Concrete, Symbol, SymbolKind
from torchdevlint.names import text_of
from torchdevlint.state import DEFAULT_DEVICE, PLACEMENT
from torchdevlint.transfers import checkpoints, loaders, losses, modules, moves, optimizers, tensors
from torchdevlint.transfers.devices import legacy_type, place_of
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Const,
    Container,
    Device,
    Flag,
    Holder,
    Imported,
    Instance,
    Loader,
    Module,
    Object,
    Opaque,
    Optimizer,
    Parameters,
    Tensor,
    Value,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def apply(run: Run, row: Row, call: Call, receiver: Argument | None) -> Value:
    """Return the value of a call that a row tells of; ``receiver`` is the object of a method call."""
    source = receiver if receiver is not None else (call.arguments[0] if call.arguments else call.get(0, "input"))
    match row:
        case rows.Make():
            return tensors.make(run, row, call)
        case rows.Like():
            return tensors.like(run, row, call, source)
        case rows.Convert():
            return tensors.convert(run, row, call)
        case rows.Follow():
            return _follow(run, row, call, source, receiver)
        case rows.Combine():
            return tensors.combine(run, row, call, receiver)
        case rows.Loss():
            return losses.call_loss(run, row, call, receiver)
        case rows.Move():
            return _move(run, row, call, source)
        case rows.Cast():
            return _cast(run, call, source)
        case rows.ReadHost():
            return _read_host(run, row, call, receiver)
        case rows.Backward():
            return _backward(run, source)
        case rows.Plain() | rows.Quiet():
            return _plain(run, row, source, receiver)
        case rows.Query() | rows.Count():
            run.facts.guards = True
            return Flag(frozenset({(row.type, True)}), frozenset({(row.type, False)}))
        case _:
            return _of_library(run, row, call)


def _of_library(run: Run, row: Row, call: Call) -> Value:
    """Apply a row that is about more than one tensor: devices, modules, optimizers, loaders, files."""
    match row:
        case rows.DeviceType():
            return device(run, call)
        case rows.CurrentDevice():
            kind = row.type
            name = f"`{call.text}()`"
            if kind:
                return Device(lattice.on(Concrete(kind)), call=call.node)
            return Device(lattice.on(Symbol(run.new_key(), SymbolKind.PLACE, name)))
        case rows.SetDevice():
            return _set_device(run, row, call)
        case rows.DefaultDevice():
            return _default_device(run, row, call)
        case rows.ModuleType():
            return modules.construct(run, row, call)
        case rows.Compile() | rows.Transparent():
            position = row.argument if isinstance(row, rows.Transparent) else 0
            first = call.arguments[position].value if position < len(call.arguments) else UNKNOWN
            return first if first != UNKNOWN else run.opaque(f"{call.text}(…)")
        case rows.OptimizerType():
            return optimizers.construct(run, row, call)
        case rows.DatasetType():
            return loaders.dataset(run, row, call)
        case rows.LoaderType():
            return loaders.loader(run, row, call)
        case rows.LoadFile():
            return checkpoints.load(run, row, call)
        case rows.SaveFile():
            return checkpoints.save(run, row, call)
        case rows.NoGrad():
            first = call.arguments[0].value if call.arguments else UNKNOWN
            return UNKNOWN if first == Const(True) else Imported("", row)
        case rows.Arguments():
            made = run.opaque(f"{call.text}(…)")
            run.arguments.add(made.key)
            return made
        case rows.GradMode():
            return _grad_mode(run, row, call)
        case rows.Conversion():
            first = call.arguments[0].value if call.arguments else UNKNOWN
            run.store.set(0, moves.REPLACES, first == Const(True))
            return NONE
        case rows.DeviceContext():
            return run.opaque(f"{call.text}(…)")
        case rows.TreeMap():
            return _tree_map(run, row, call)
        case rows.ParameterType():
            return modules.parameter(run, row, call)
        case rows.MoveHelper():
            return _move_helper(run, row, call)
        case rows.ObjectType():
            return new_object(run, row, call)
        case rows.Build():
            return build(run, row, call)
        case rows.Prepare():
            return _prepare(run, call)
        case rows.FrameworkDevice():
            return run.opaque(f"{call.text}(…)")
        case rows.EnvironmentRow():
            return _environment(run, row, call)
        case (
            rows.AddGroup()
            | rows.StateOf()
            | rows.Freeze()
            | rows.HoldParameters()
            | rows.Register()
            | rows.Visit()
            | rows.Step()
            | rows.LoadState()
        ):
            return calls.unseen(run, call)
        case (
            rows.Make() | rows.Like() | rows.Convert() | rows.Follow() | rows.Combine() | rows.Loss() | rows.Move()
            | rows.Cast() | rows.ReadHost() | rows.Backward() | rows.Plain() | rows.Quiet() | rows.Query() | rows.Count()
        ):  # fmt: skip
            return UNKNOWN


def _follow(run: Run, row: rows.Follow, call: Call, source: Argument | None, receiver: Argument | None) -> Value:
    if source is None:
        return UNKNOWN
    value = source.value
    if isinstance(value, Opaque):
        if row.binary and receiver is None:
            run.facts.tensors.add(value.key)
        if receiver is None and value.placement == ANY and value.key not in run.facts.modules:
            run.facts.tensors.add(value.key)
    if isinstance(value, Container):
        value = iteration.element(run, value, source.node)
    others = call.arguments if receiver is not None else call.arguments[1:]
    if row.binary and others and isinstance(others[0].value, Tensor):
        return tensors.combine(run, rows.Combine(), call, receiver)
    return tensors.follow(run, row, value, call)


def copied(run: Run, value: Value, node: cst.CSTNode) -> Value:
    """Return a copy of an object that moves in place: another identity, now in the same place."""
    if isinstance(value, Module):
        made = Module(run.new_key(), value.type, value.cls, value.name)
        run.store.set(made.key, PLACEMENT, run.module_placement(value) or ANY)
        for name, item in tuple(run.attribute_values(value.key)):
            run.set_attribute(made.key, name, copied(run, item, node) if isinstance(item, Module) else item)
        run.store.set(made.key, "<items>", run.items(value))
        return made
    if isinstance(value, Opaque):
        copy = run.opaque(value.name, placement=value.placement, output=value.output)
        state = run.module_placement(value)
        if state is not None:
            run.store.set(copy.key, PLACEMENT, state)
        else:
            run.copies.setdefault(value.key, []).append((copy.key, node))
        return copy
    if isinstance(value, Instance):
        return run.opaque("")
    return value


def _move(run: Run, row: rows.Move, call: Call, source: Argument | None) -> Value:
    if source is None:
        return UNKNOWN
    checkpoints.keep(run, source.value)
    if isinstance(source.value, Tensor):
        return moves.move_tensor(run, row, call, source)
    after, _ = moves.destination(run, row, call)
    return Tensor(after if after is not None else run.placement_of(source.value))


def _cast(run: Run, call: Call, source: Argument | None) -> Value:
    if source is None:
        return UNKNOWN
    value = source.value
    if isinstance(value, Tensor | Opaque):
        moves.note_cast(run, call, source)
    if isinstance(value, Tensor):
        return Tensor(value.placement, value.rank, value.graph, tally=value.tally)
    if isinstance(value, Opaque) and (value.member or value.key in run.facts.tensors):
        return Tensor(run.placement_of(value), (1, None) if value.member else (0, None))
    return value


def _read_host(run: Run, row: rows.ReadHost, call: Call, receiver: Argument | None) -> Value:
    forced = call.keywords.get(row.forced) if row.forced else None
    if forced is not None and forced.value == Const(True):
        return run.opaque("")
    if receiver is not None:
        arguments = [receiver]
    else:
        arguments = list(call.arguments) if row.all_arguments else call.arguments[:1]
    for argument in arguments:
        value = argument.value
        if row.only_lists and not isinstance(value, Container):
            continue
        if receiver is None and _own_parameter(run, argument.node):
            continue
        if receiver is not None and _own_parameter(run, receiver.node):
            continue
        if isinstance(value, Container):
            item = iteration.element(run, value, argument.node)
            value = item if isinstance(item, Tensor) else value
        if receiver is not None and isinstance(value, Opaque) and row.tensor_evidence:
            run.facts.tensors.add(value.key)
        proven = isinstance(value, Tensor) or (isinstance(value, Opaque) and (receiver is not None or value.member))
        if proven and run.placement_of(value) != ANY:
            operand = tensors.operand(run, argument.node, value, "input")
            run.emit(HostRead(call.node, run.world, run.frame.entry, operand, f"{'.' if receiver else ''}{call.text}"))
    return run.array()


def _own_parameter(run: Run, node: cst.CSTNode) -> bool:
    """Tell whether an expression is about a parameter of the helper that runs: its callers decide."""
    function = run.frame.function
    if function is None or run.frame.depth == 0:
        return False
    while isinstance(node, cst.Call | cst.Attribute | cst.Subscript):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
            return False  # what a call gave is the helper's own
        node = node.func if isinstance(node, cst.Call) else node.value
    if not isinstance(node, cst.Name):
        return False
    names = [parameter.name.value for parameter in function.node.params.params]
    return node.value in (names[1:] if function.receiver is not None else names)


def _backward(run: Run, source: Argument | None) -> Value:
    optimizers.trained(run)
    if source is not None:
        calls.consume(run, source.value, "backward")
        slot = conditions.slot_of(run, source.node) if hasattr(source.node, "lpar") else None  # type: ignore[arg-type]
        if slot is not None:
            run.facts.backward.add(slot)
        if isinstance(source.value, Opaque):
            run.facts.tensors.add(source.value.key)
            run.facts.graphs.add(source.value.key)
    return NONE


def _plain(run: Run, row: rows.Plain | rows.Quiet, source: Argument | None, receiver: Argument | None) -> Value:
    if isinstance(row, rows.Quiet):
        return receiver.value if receiver is not None else UNKNOWN
    if receiver is not None and row.tensor_evidence and isinstance(receiver.value, Opaque):
        run.facts.tensors.add(receiver.value.key)
    return UNKNOWN


def device(run: Run, call: Call) -> Value:
    """`torch.device(…)`: a literal keeps its node until it decides where something lives."""
    first = call.get(0, "device") or call.get(0, "type")
    index = call.get(1, "index")
    if first is None:
        return UNKNOWN
    value = first.value
    if isinstance(value, Const):
        from torchdevlint.transfers.devices import parse

        found = parse(value.value)
        if found is None:
            return UNKNOWN
        if index is not None:
            if not isinstance(index.value, Const) or not isinstance(index.value.value, int):
                key = index.value.key if isinstance(index.value, Opaque) else run.new_key()
                return Device(lattice.on(Symbol(key, SymbolKind.PLACE, text_of(index.node))))
            found = Concrete(found.type, index.value.value)
        return Device(lattice.on(found), value.node if lattice.is_accelerator(found) else None)
    if isinstance(value, Device):
        return value
    placement = place_of(run, first)
    return Device(placement) if placement is not None else UNKNOWN


def _set_device(run: Run, row: rows.SetDevice, call: Call) -> Value:
    from torchdevlint.events import CudaCalled

    first = call.arguments[0] if call.arguments else None
    if first is not None and isinstance(first.value, Const):
        run.emit(CudaCalled(call.node, run.world, call.text, run.is_guarded))
    else:
        run.world |= {(row.type, True), (DISTRIBUTED, True)}
    run.facts.accelerated = True
    return NONE


def _default_device(run: Run, row: rows.DefaultDevice, call: Call) -> Value:
    first = call.arguments[0] if call.arguments else None
    if first is None:
        return NONE
    placement = legacy_type(run, first.value) if row.legacy else place_of(run, first)
    run.store.set(0, DEFAULT_DEVICE, placement if placement is not None else ANY)
    return NONE


def _grad_mode(run: Run, row: rows.GradMode, call: Call) -> Value:
    """Switch the building of graphs off (or on again) until the function ends, or for one block."""
    first = call.arguments[0].value if call.arguments else call.get(0, "mode")
    if call.discarded:
        run.no_grad = 0 if first == Const(True) else run.no_grad + 1
        return NONE
    return UNKNOWN if first == Const(True) else Imported("", row)


def _tree_map(run: Run, row: rows.TreeMap, call: Call) -> Value:
    function = call.arguments[row.function].value if row.function < len(call.arguments) else UNKNOWN
    tree = call.arguments[row.tree] if row.tree < len(call.arguments) else None
    if tree is None:
        return UNKNOWN
    return _mapped(run, function, tree.value, tree, call)


def _mapped(run: Run, function: Value, value: Value, argument: Argument, call: Call) -> Value:
    if isinstance(value, Container):
        items = run.items(value)
        exact = [_mapped(run, function, item, argument, call) for _, item in items.exact]
        rest = _mapped(run, function, items.rest, argument, call) if items.rest is not None else None
        return run.container(value.kind, exact, rest)
    return calls.call_value(run, function, calls.Call(call.node, call.text, [calls.Argument(argument.node, value)]))


def _move_helper(run: Run, row: rows.MoveHelper, call: Call) -> Value:
    source, target = call.get(row.source, "tensor"), call.get(row.device, "device")
    if source is None or target is None:
        return run.opaque(f"{call.text}(…)")
    placement = place_of(run, target) or ANY
    return placed(run, source.value, placement)


def placed(run: Run, value: Value, placement: lattice.Placement) -> Value:
    """Return a value with every tensor in it where a placement says."""
    match value:
        case Tensor():
            return Tensor(placement, value.rank, value.graph)
        case Opaque():
            return Opaque(value.key, value.name, placement)
        case Container():
            items = run.items(value)
            rest = placed(run, items.rest, placement) if items.rest is not None else None
            made = Container(run.new_key(), value.kind)
            from torchdevlint.state import ITEMS, Items

            exact = tuple((key, placed(run, item, placement)) for key, item in items.exact)
            run.store.set(made.key, ITEMS, Items(exact, rest, items.lost))
            return made
        case Module():
            moves.move_module(run, value, placement)
            return value
        case _:
            return value


def new_object(run: Run, row: rows.ObjectType, call: Call | None) -> Object:
    """Build an object of a library's class."""
    made = Object(run.new_key(), row)
    if row.on_host and call is not None:
        run.store.set(made.key, PLACEMENT, run.default_placement(call.node, f"made by `{call.text}`"))
    if call is not None:
        given = place_of(run, call.keywords.get("device"), moving=False)
        if given is not None:
            run.store.set(made.key, PLACEMENT, given)
        for argument in call.values():
            calls.escape(run, argument.value)
    return made


def build(run: Run, row: Row, call: Call | None) -> Value:
    """Build what a row tells that a call returns: an object or a module of a library."""
    if not isinstance(row, rows.Build):
        return apply(run, row, call, None) if call is not None else run.opaque("")
    if isinstance(row.type, rows.ObjectType):
        made = new_object(run, row.type, call)
        if row.follows and call is not None and call.arguments:
            run.store.set(made.key, PLACEMENT, run.placement_of(call.arguments[0].value))
        return made
    module = Module(run.new_key(), row.type, None, call.text if call is not None else "")
    placed_elsewhere = call is not None and (call.open or any(name in call.keywords for name in row.placed_by))
    if placed_elsewhere or row.type.placing is not rows.Placing.USER or call is None:
        run.store.set(module.key, PLACEMENT, ANY)
    else:
        run.store.set(module.key, PLACEMENT, run.default_placement(call.node, f"made by `{call.text}`"))
    return module


def _prepare(run: Run, call: Call) -> Value:
    """A framework's `prepare`: modules are moved, loaders yield on the framework's device."""
    symbol = Symbol(run.prepared_key(), SymbolKind.PLACE, "the device of the framework")
    run.facts.carriers.setdefault(symbol.key, set()).add(PROVEN)
    run.facts.accelerated = True
    why = Why(Role.PLACED, call.node, f"placed by `{call.text}`")
    placement = lattice.on(symbol, why)
    results: list[Value] = []
    for argument in call.arguments:
        value = argument.value
        match value:
            case Module():
                moves.move_module(run, value, placement)
                results.append(value)
            case Loader() | Container():
                if isinstance(value, Loader):
                    value = Loader(run.new_key(), value.type, placed(run, value.item, placement))
                results.append(value)
                run.facts.prepared_loaders = True
            case Opaque():
                results.append(_prepared_opaque(run, value, placement))
            case _:
                results.append(value)
    if call.open:
        return run.opaque(f"{call.text}(…)")
    return results[0] if len(results) == 1 else run.container("tuple", results)


def _prepared_opaque(run: Run, value: Opaque, placement: lattice.Placement) -> Value:
    """An object of unknown kind that was prepared: a module was moved, a loader's items arrive moved."""
    run.store.set(value.key, PLACEMENT, placement)
    run.store.set(value.key, iteration.ITEM, run.opaque("", placement=placement))
    return value


def _environment(run: Run, row: rows.EnvironmentRow, call: Call) -> Value:
    first = call.arguments[0].value if call.arguments else None
    backend = call.keywords.get("backend")
    given = backend.value if backend is not None else first
    if not row.argument or given is None or (isinstance(given, Const) and given.value == row.argument):
        run.world |= {(row.type, True)}
        run.facts.guards = True
    return NONE


def of_module(run: Run, row: Row, receiver: Module | Opaque, call: Call) -> Value:
    """Call a method that every module has."""
    match row:
        case rows.Move():
            if isinstance(receiver, Module):
                return moves.move_proven(run, row, receiver, call)
            return receiver
        case rows.HoldParameters():
            return Parameters(receiver, "state" if row.state else "parameters")
        case rows.Register():
            return modules.registering(run, row, receiver, call)
        case rows.LoadState():
            for argument in call.arguments:
                checkpoints.keep_in(run, argument.value, receiver)
            return NONE
        case rows.Freeze():
            first = call.arguments[0].value if call.arguments else UNKNOWN
            run.store.set(receiver.key, modules.FROZEN, first == Const(False))
            return receiver
        case rows.Visit():
            return _visit(run, row, receiver, call)
        case rows.Cast() | rows.Quiet():
            return receiver
        case _:
            return UNKNOWN


def _visit(run: Run, row: rows.Visit, receiver: Module | Opaque, call: Call) -> Value:
    """Apply a function to every submodule or tensor of a module."""
    function = call.arguments[0] if call.arguments else None
    if function is None:
        return receiver
    if not row.tensors:
        calls.call_value(run, function.value, calls.Call(call.node, call.text, [calls.Argument(call.node, receiver)]))
        return receiver
    tensor = calls.Argument(call.node, Tensor(run.module_placement(receiver) or ANY, held=Holder.PARAMETER))
    result = calls.call_value(run, function.value, calls.Call(call.node, call.text, [tensor]))
    moves.move_module(run, receiver, run.placement_of(result))
    return receiver


def of_optimizer(run: Run, row: Row, receiver: Optimizer, call: Call) -> Value:
    """Call a method of an optimizer."""
    if isinstance(row, rows.LoadState):
        for argument in call.arguments:
            checkpoints.keep(run, argument.value)
    return optimizers.of_optimizer(run, row, receiver, call)


def apply_for_object(run: Run, row: Row, receiver: Object, call: Call) -> Value:
    """Call a method of a library's object."""
    match row:
        case rows.Quiet():
            return receiver
        case rows.ReadHost() | rows.Follow() if receiver.type.carrier is not rows.Carrier.NONE:
            return Tensor(run.placement_of(receiver))
        case rows.Backward():
            optimizers.trained(run)
            return NONE
        case _:
            return apply(run, row, call, None)


def call_object(run: Run, callee: Object, call: Call) -> Value:
    """Call a library's object (a tokenizer, a transform)."""
    if callee.type.call is None:
        return calls.unseen(run, call)
    return build(run, callee.type.call, call)
