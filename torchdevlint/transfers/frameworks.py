"""What libraries do with what they are given: objects with rows of their own, helpers that move, `prepare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice
from torchdevlint.events import Need
from torchdevlint.facts import PROVEN
from torchdevlint.interpreter import calls, escapes, iteration
from torchdevlint.knowledge.rows import (
    Batches,
    Build,
    Carrier,
    Feed,
    FrameworkDevice,
    MoveHelper,
    ObjectType,
    Placing,
    Prepare,
    Result,
    Row,
    Transparent,
    TreeMap,
)
from torchdevlint.lattice import ANY, Placement, Symbol, SymbolKind
from torchdevlint.records import replace
from torchdevlint.state import MAX_DEPTH, PLACEMENT, SCATTERS, Items
from torchdevlint.transfers import environment, groups, precision, reads, refusals, runtime
from torchdevlint.transfers.devices import parse, place_of
from torchdevlint.transfers.placing import move_module, placed
from torchdevlint.values import (
    UNKNOWN,
    Choice,
    Const,
    Container,
    Device,
    Function,
    Loader,
    Module,
    Object,
    Opaque,
    Tensor,
    Value,
    options,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def tree_map(run: Run, row: TreeMap, call: Call, receiver: Argument | None) -> Value:
    """Apply a function to every leaf of nested containers."""
    function = call.arguments[row.function].value if row.function < len(call.arguments) else UNKNOWN
    tree = call.arguments[row.tree] if row.tree < len(call.arguments) else None
    if tree is None:
        return UNKNOWN
    return _mapped(run, function, tree.value, tree, call)


def _mapped(run: Run, function: Value, value: Value, argument: Argument, call: Call, depth: int = 0) -> Value:
    if isinstance(value, Container):
        if depth >= MAX_DEPTH:
            return UNKNOWN
        return iteration.rebuilt(run, value, lambda item: _mapped(run, function, item, argument, call, depth + 1))
    return calls.call_value(run, function, calls.Call(call.node, call.text, [calls.Argument(argument.node, value)]))


def move_helper(run: Run, row: MoveHelper, call: Call, receiver: Argument | None) -> Value:
    """Move whatever is given to the device that is given."""
    source, target = call.get(row.source, "tensor"), call.get(row.device, "device")
    if source is None or target is None:
        return run.opaque(f"{call.text}(…)")
    placement = place_of(run, target) or ANY
    return placed(run, source.value, placement)


def new_object(run: Run, row: ObjectType, call: Call, receiver: Argument | None) -> Object | Opaque:
    """Build an object of a library's class; one that is told where to place things is of unknown kind."""
    if any(call.keywords[name].value == Const(wanted) for name, wanted in row.native if name in call.keywords):
        environment.native(run)
    if any(name in call.keywords for name in row.placed_by) or runtime.keeps_to_host(run, row.unplaced, call):
        return run.opaque(f"{call.text}(…)")
    if row.precision is not None:
        precision.note(run, row.precision, call)
    made = Object(run.new_key(), row)
    if row.on_host:
        run.store.set(made.key, PLACEMENT, run.default_placement(call.node, f"made by `{call.text}`"))
    elif row.carrier is not Carrier.NONE:
        given = {argument.value.placement for argument in call.values() if isinstance(argument.value, Tensor)}
        seen = all(isinstance(argument.value, Tensor | Const) for argument in call.values()) and not call.open
        run.store.set(made.key, PLACEMENT, given.pop() if seen and len(given) == 1 else ANY)
    if row.pipeline:
        steps = call.arguments[0].value if call.arguments else UNKNOWN
        whole = steps if isinstance(steps, Container) else run.container("list", [steps])
        run.store.set(made.key, row.pipeline, whole)
        return made
    for argument in call.values():
        escapes.escape(run, argument.value)
    return made


def pipe(run: Run, callee: Object, call: Call) -> Value:
    """Call an object that is made of callables: each gets what the one before it returned."""
    whole = run.store.value(callee.key, callee.type.pipeline)
    steps = run.items(whole) if isinstance(whole, Container) else Items(lost=True)
    if steps.lost or steps.rest is not None or len(call.arguments) != 1 or call.keywords or call.open:
        return calls.unseen(run, call)
    argument = call.arguments[0]
    for _, step in steps.exact:
        value = calls.call_value(run, step, calls.Call(call.node, call.text, [argument]))
        argument = calls.Argument(call.node, value)
    return argument.value


def result(run: Run, row: Result, call: Call, receiver: Argument | None) -> Value:
    """Return a tensor where the project tells that it is, whose rank and graph are unknown."""
    for argument in call.values():
        escapes.escape(run, argument.value)
    if row.on_host:
        return Tensor(lattice.on(lattice.HOST, Why(Role.CREATED, call.node, f"returned by `{call.text}`")))
    run.facts.accelerated = True
    why = Why(Role.PLACED, call.node, f"returned by `{call.text}`")
    return Tensor(lattice.on(device_symbol(run, "the accelerator"), why))


def batches(run: Run, row: Batches, call: Call, receiver: Argument | None) -> Value:
    """Return an object that moves its batches: to the device that it is given, else to the accelerator."""
    given = (argument for argument in call.values() if _is_device(argument.value))
    told = place_of(run, call.keywords.get("device") or next(given, None))
    for argument in call.values():
        escapes.escape(run, argument.value)
    return moving_batches(run, run.opaque(f"{call.text}(…)"), call.node, call.text, told)


def _is_device(value: Value) -> bool:
    """Tell whether an argument names a device; a number may be a size as well."""
    match value:
        case Const(value=str(text)):
            return parse(text) is not None
        case _:
            return isinstance(value, Device)


def moving_batches(run: Run, value: Opaque, node: cst.CSTNode, text: str, told: Placement | None = None) -> Opaque:
    """Let an object of unknown kind yield what is on a device, that of the accelerator unless another is told."""
    run.facts.accelerated = True
    why = Why(Role.PLACED, node, f"yielded by `{text}`")
    place = told or lattice.on(device_symbol(run, "the accelerator"))
    placement = frozenset(replace(one, why=why) for one in place)
    run.store.set(value.key, iteration.ITEM, run.opaque("", placement=placement))
    return value


def prepare(run: Run, row: Prepare, call: Call, receiver: Argument | None) -> Value:
    """A framework's `prepare`: modules are moved, loaders yield on the framework's device."""
    if any(name in call.keywords for name in row.chosen_by):
        return calls.unseen(run, call)
    symbol = device_symbol(run, "the device of the framework")
    run.facts.accelerated = True
    why = Why(Role.PLACED, call.node, f"placed by `{call.text}`")
    placement = lattice.on(symbol, why)
    results: list[Value] = []
    for argument in call.arguments:
        value = argument.value
        if not row.tensors:
            refusals.prepared(run, call, argument)
        match value:
            case Module() | Choice():
                move_module(run, value, placement)
                modules = [option for option, _ in options(value) if isinstance(option, Module)]
                run.lent.update(module.key for module in modules)
                for module in modules if row.scatters else ():
                    run.store.set(module.key, SCATTERS, True)
                results.append(value)
            case Loader() | Container():
                if isinstance(value, Loader):
                    value = Loader(run.new_key(), value.type, placed(run, value.item, placement))
                results.append(value)
                run.facts.prepared_loaders |= not row.scatters
            case Opaque():
                results.append(_prepared_opaque(run, value, placement))
            case Tensor() | Object() if row.tensors:
                results.append(placed(run, value, placement))
            case _:
                results.append(value)
    if call.open:
        return run.opaque(f"{call.text}(…)")
    return results[0] if len(results) == 1 else run.container("tuple", results)


def device_symbol(run: Run, text: str) -> Symbol:
    """Return the device that frameworks give this process, which is an accelerator where there is one."""
    symbol = Symbol(run.prepared_key(), SymbolKind.PLACE, text)
    run.facts.carriers.setdefault(symbol.key, set()).add(PROVEN)
    return symbol


def device(run: Run, row: FrameworkDevice, call: Call, receiver: Argument | None) -> Value:
    """Return the device that a framework gives this process, of a function that tells it."""
    return Device(lattice.on(device_symbol(run, f"`{call.text}()`")))


def _prepared_opaque(run: Run, value: Opaque, placement: Placement) -> Value:
    """An object of unknown kind that was prepared: a module was moved, a loader's items arrive moved."""
    move_module(run, value, placement)
    run.store.set(value.key, iteration.ITEM, run.opaque("", placement=placement))
    return value


def build(run: Run, row: Build, call: Call, receiver: Argument | None) -> Value:
    """Build what a row tells that a call returns: an object or a module of a library."""
    if isinstance(row.type, ObjectType):
        made = new_object(run, row.type, call, receiver)
        if row.follows and call.arguments:
            run.store.set(made.key, PLACEMENT, run.placement_of(call.arguments[0].value))
        if row.host is not None:
            reads.need_host(run, call, call.get(*row.host), Need.LENGTHS)
        return made
    module = Module(run.new_key(), row.type, None, call.text)
    placed_elsewhere = call.open or any(name in call.keywords for name in row.placed_by)
    if placed_elsewhere or row.type.placing is not Placing.USER:
        run.store.set(module.key, PLACEMENT, ANY)
        refusals.spread(run, module, row.placed_by, call)
    else:
        run.store.set(module.key, PLACEMENT, run.default_placement(call.node, f"made by `{call.text}`", layer=True))
    return module


def feed(run: Run, row: Feed, call: Call, receiver: Argument | None) -> Value:
    """Note what a function is handed that a framework will run."""
    function = call.get(row.function, row.keyword)
    if function is not None and isinstance(function.value, Function):
        run.handed[function.value.node] = row.arrives
    return run.opaque(f"{call.text}(…)")


def transparent(run: Run, row: Transparent, call: Call, receiver: Argument | None) -> Value:
    """Return the argument that the result stands for."""
    value = call.arguments[row.argument].value if row.argument < len(call.arguments) else UNKNOWN
    if row.synchronises:
        groups.synchronised(run, value, call)
    return value if value != UNKNOWN else run.opaque(f"{call.text}(…)")


def opaque(run: Run, row: Row, call: Call, receiver: Argument | None) -> Value:
    """Return an object of which no more is known."""
    return run.opaque(f"{call.text}(…)")
