"""Attributes: what reading one yields and what writing one binds, by the kind of the object."""

from __future__ import annotations

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.interpreter import absence, calls, early, escapes, functions, lineage, modes, named_tuples
from torchdevlint.interpreter.run import Run
from torchdevlint.joins import join_all
from torchdevlint.knowledge.rows import (
    Carrier,
    ContainerKind,
    DeviceType,
    Follow,
    FrameworkDevice,
    GroupsOf,
    Leave,
    ObjectType,
    OptimizerType,
    Plain,
    Query,
    RunForward,
    Sample,
    StateOf,
)
from torchdevlint.lattice import ANY, Condition, Placement, Symbol, SymbolKind
from torchdevlint.names import row_of
from torchdevlint.records import replace
from torchdevlint.state import Branch
from torchdevlint.values import (
    NONE,
    UNKNOWN,
    Bound,
    Choice,
    Class,
    Const,
    Container,
    Device,
    Flag,
    Form,
    Function,
    Imported,
    Instance,
    Loader,
    Module,
    Object,
    Opaque,
    Optimizer,
    Tensor,
    Value,
)

PROPERTY = "property"
REPLACED = "<replaced>"
"""The slot of what the file binds in the place of an attribute of another module (`torch.load = …`)."""
NAMESPACE = "__dict__"
"""The attribute through which all others can be bound."""
CLASS = "__class__"
"""The attribute that is the class of an object."""


def read(run: Run, value: Value, name: str, node: cst.BaseExpression) -> Value:
    """Return the value of ``value.name``."""
    match value:
        case Imported():
            full = f"{value.name}.{name}"
            replaced = run.store.value(run.imported[full], REPLACED) if full in run.imported else None
            return replaced or Imported(full, row_of(full, run.knowledge))  # by its identity this read is found again
        case Tensor():
            return _of_tensor(run, value, name, node)
        case Opaque():
            return _of_opaque(run, value, name, node)
        case Module():
            return _of_module(run, value, name, node)
        case Instance():
            return _of_instance(run, value, name, node)
        case Class():
            found = lineage.member(run, value, name)
            if isinstance(found, Function) and run.kinds.get(found.node) == "classmethod":
                return Function(found.node, found.frame, found.name, value, found.owner)
            return found if found is not None else _of_base(run, value, name)
        case Object():
            return _of_object(run, value, name)
        case Device():
            return replace(value, placement=lattice.without_index(value.placement), form=Form.UNKNOWN, number=None)
        case Container() if value.kind == "tuple":
            return named_tuples.attribute(run, value, name, node)
        case Loader():
            tensors = transfers.dataset_tensors(run, value)
            return tensors or run.store.value(value.key, name) or run.opaque(name)
        case Optimizer():
            return _of_optimizer(run, value, name)
        case Choice():
            present = [(o, c) for o, c in value.options if o != NONE]
            # What is a tensor in one way is meant to be one.
            if any(isinstance(option, Tensor) for option, _ in present):
                present = [(o, c) for o, c in present if not isinstance(o, Module)]
            return join_all(
                (_read_under(run, option, condition, name, node), condition) for option, condition in present
            )
        case _:
            return UNKNOWN


def _read_under(run: Run, option: Value, condition: Condition, name: str, node: cst.BaseExpression) -> Value:
    """Return the value of an attribute of one of several objects, read where it is that one."""
    world = run.world
    run.world = world | condition
    value = read(run, option, name, node)
    run.world = world
    return value


def _of_tensor(run: Run, value: Tensor, name: str, node: cst.BaseExpression) -> Value:
    row = run.knowledge.tensor_attributes.get(name)
    run.facts.asks_where |= isinstance(row, DeviceType | Query)
    match row:
        case DeviceType():
            return Device(value.placement, form=Form.ASKED)
        case Follow():
            return transfers.follow(run, row, value, node=node)
        case Query():
            return _on_accelerator(row, value.placement)
        case Plain():
            return transfers.told(run, row, value)
        case _:
            return Bound(value, name, run.knowledge.tensor.get(name)) if name in run.knowledge.tensor else UNKNOWN


def _on_accelerator(row: Query, placement: Placement) -> Value:
    """Return the flag that a tensor is on an accelerator (`x.is_cuda`): that there is one, and that it is there."""
    if placement == lattice.ON_HOST:
        return Const(False)
    guards = lattice.host_guards(placement)
    return Flag(
        frozenset({(row.type, True), *((guard, False) for guard in guards)}),
        frozenset({(row.type, False), *((guard, True) for guard in guards)}),
    )


def _of_optimizer(run: Run, value: Optimizer, name: str) -> Value:
    row = run.knowledge.optimizer.get(name)
    if isinstance(row, StateOf):
        run.facts.repaired[value.key] = run.new_key()
    found = run.store.value(value.key, name)
    if found is None and isinstance(row, GroupsOf):
        found = run.opaque(name)
        run.groups_of[found.key] = value
        run.store.remember(value.key, name, found)
    return UNKNOWN if found is None else found


def _of_opaque(run: Run, value: Opaque, name: str, node: cst.BaseExpression) -> Value:
    known = run.store.value(value.key, name)
    if known is not None:
        return known
    knowledge = run.knowledge
    if name in knowledge.tensor_only:
        run.facts.tensors.add(value.key)
    if name in knowledge.module_only:
        run.facts.modules.add(value.key)
    row = knowledge.tensor_attributes.get(name)
    run.facts.asks_where |= isinstance(row, DeviceType | Query)
    match row:
        case DeviceType() if value.key not in run.arguments:
            placement = run.module_placement(value)
            asked = Device(value.placement, form=Form.ASKED, proof=value.key)
            if value.placement != ANY:
                return asked
            if placement is not None:
                return replace(asked, placement=placement)
            symbol = Symbol(value.key, SymbolKind.DEVICE_OF, f"`{value.name}.{name}`")
            return replace(asked, placement=lattice.on(symbol))
        case Query():
            return _on_accelerator(row, run.placement_of(value))
        case Follow() if value.placement != ANY or value.key in run.facts.tensors:
            return transfers.follow(run, row, value, node=node)
        case _:
            pass
    if row is None and name not in knowledge.tensor and name not in knowledge.module:
        run.facts.namespaces.add(value.key)
    if name == NAMESPACE:
        escapes.escape(run, run.parameter_of.get(value.key, value))
    elif _is_private(name) and value.key in run.parameter_of:
        transfers.move_module(run, run.parameter_of[value.key], ANY)
    made = run.derive(value, f"{value.name}.{name}" if value.name else name)
    if isinstance(row, Plain):
        made = replace(made, placement=ANY)
    run.store.remember(value.key, name, made)
    return run.store.value(value.key, name) or made


def _is_private(name: str) -> bool:
    """Tell whether a name is that of an object's own state: not one that Python gives every object (`__class__`)."""
    return name.startswith("_") and (name == NAMESPACE or not name.endswith("__"))


def _of_module(run: Run, value: Module, name: str, node: cst.BaseExpression) -> Value:
    known = run.store.value(value.key, name)
    if known is not None:
        absence.note_unwrapped(run, value, name)
        return transfers.lent(run, value, name, known, node)
    if name == NAMESPACE:
        escapes.escape(run, value)
    if value.cls is not None:
        found = of_class(run, value, value.cls, name, node)
        if found is not None:
            return found
    row = run.knowledge.module.get(name)
    if row is not None:
        return Bound(value, name, row)
    placement = run.module_placement(value) or ANY
    if name in value.type.parameters:
        return transfers.built_in(run, value, name, placement, node)
    if isinstance(run.knowledge.tensor_attributes.get(name), DeviceType):
        if value.type.has_device:
            return early.device_of(run, value, node)
        absence.missed(run, value, name, node)
        return UNKNOWN
    if value.type.own and isinstance(node, cst.Attribute):
        absence.missed_by_wrapper(run, value, name, node)
        return UNKNOWN
    if value.type.forwards_attributes:
        inner = run.store.value(value.key, "module")
        if isinstance(inner, Module | Opaque):
            return read(run, inner, name, node)
    if _is_private(name):
        transfers.move_module(run, value, ANY)  # the dicts in which a module keeps what it has registered
    if value.cls is None and value.type.container is ContainerKind.NONE:
        # An attribute of a torch layer (`weight`) is a parameter or submodule: it is where the layer is.
        held = run.opaque(name, placement=placement, output=True)
        run.parameter_of[held.key] = value
        run.part_of[held.key] = value.key
        run.store.remember(value.key, name, held)
        run.attributes.setdefault(value.key, {})[name] = None
        return held
    made = run.opaque(name)
    if name == run.knowledge.module_mode:
        run.facts.modes.add(modes.guard(made))
    run.store.remember(value.key, name, made)
    return made


def _of_instance(run: Run, value: Instance, name: str, node: cst.BaseExpression) -> Value:
    if lineage.member(run, value.cls, "__getattribute__") is not None:
        return run.opaque(name)
    known = run.store.value(value.key, name)
    if known is not None:
        return known
    if name == NAMESPACE:
        escapes.rebound(run, value)
    found = of_class(run, value, value.cls, name, node)
    if found is not None:
        return found
    if any(isinstance(base, Imported) and isinstance(base.row, OptimizerType) for base in lineage.lineage(value.cls)):
        return UNKNOWN  # groups and state, as of an optimizer itself
    row = value.cls.type.methods.get(name) if isinstance(value.cls.type, ObjectType) else None
    if isinstance(row, Leave):
        return Imported(name, row)  # it asks nothing of its object
    asked = lineage.method(run, value, "__getattr__")
    if asked is not None:
        return functions.invoke(run, asked, calls.Call(node, name, [calls.Argument(node, Const(name))]))
    made = run.opaque(f"self.{name}" if run.frame.receiver == value else name)
    run.store.remember(value.key, name, made)
    return made


def of_class(run: Run, receiver: Module | Instance, cls: Class, name: str, node: cst.BaseExpression) -> Value | None:
    """Return a member of the class bound to the receiver; a property is called."""
    if name == CLASS:
        return cls.whole or cls
    found = lineage.member(run, cls, name)
    if isinstance(found, Instance):
        asked = lineage.method(run, found, "__get__")
        given = [calls.Argument(node, receiver), calls.Argument(node, cls)]
        return found if asked is None else functions.invoke(run, asked, calls.Call(node, name, given))
    if not isinstance(found, Function):
        return found
    kind = run.kinds.get(found.node)
    if kind == "staticmethod":
        return found
    owner = cls if kind == "classmethod" else lineage.itself(receiver)
    bound = Function(found.node, found.frame, found.name, owner, found.owner)
    return functions.invoke(run, bound, calls.Call(node, name)) if kind == PROPERTY else bound


def _is_property(run: Run, cls: Class, name: str) -> bool:
    """Tell whether assigning an attribute runs code of its own: the setter of a property or of a descriptor."""
    found = lineage.member(run, cls, name)
    if isinstance(found, Instance):
        return lineage.method(run, found, "__set__") is not None
    return isinstance(found, Function) and (run.kinds.get(found.node) == PROPERTY or found.node in run.opaque_decorated)


def _of_base(run: Run, cls: Class, name: str) -> Value:
    """Return what a row tells of a class method that a base outside the file has."""
    for base in lineage.lineage(cls):
        if isinstance(base, Imported):
            row = row_of(f"{base.name}.{name}", run.knowledge)
            if row is not None:
                return Bound(cls, name, row) if isinstance(row, RunForward) else Imported(f"{base.name}.{name}", row)
    return UNKNOWN


def _of_object(run: Run, value: Object, name: str) -> Value:
    if value.type.array:
        return UNKNOWN if isinstance(run.knowledge.tensor_attributes.get(name), Plain) else value
    known = run.store.value(value.key, name)
    if known is not None:
        return known
    row = value.type.attributes.get(name)
    if isinstance(row, FrameworkDevice):
        return Device(lattice.on(transfers.device_symbol(run, f"{value.type.name.lower()}.{name}")))
    carries = value.type.carrier is not Carrier.NONE
    if isinstance(row, Sample) and (tensor := transfers.parameters(run, value)) is not None:
        return transfers.drawn(run, row, tensor)
    if row is not None and not (carries and isinstance(row, Follow)):
        return run.opaque("")
    if name in value.type.methods:
        return Bound(value, name, value.type.methods[name])
    if isinstance(run.knowledge.tensor_attributes.get(name), DeviceType):
        return Device(run.placement_of(value))
    return Tensor(run.placement_of(value)) if carries else UNKNOWN


def write(run: Run, receiver: Value, name: str, value: Value, node: cst.CSTNode, text: str = "") -> None:
    """Bind an attribute of an object; assigning the storage of a tensor (`x.data = …`) moves the tensor.

    ``text`` is that of the target, where it is written as one.
    """
    absence.note_binding(run, receiver, name)
    match receiver:
        case Module(cls=Class() as cls) | Instance(cls=cls) if _is_property(run, cls, name):
            escapes.consume(run, value)  # what its setter does cannot be told from the name
            escapes.forget_attributes(run, receiver.key)
        case Module():
            old = run.store.value(receiver.key, name)
            known = isinstance(value, Tensor) and bool(run.store.holders(value))  # an optimizer may have it
            early.kept(run, receiver.cls, name, value)
            transfers.hold(run, receiver, name, value, node)
            transfers.put_in(run, receiver, UNKNOWN if known else value, old, text or name, node)
        case Instance(cls=cls) if lineage.member(run, cls, "__setattr__") is not None:
            escapes.consume(run, value)
            escapes.escape(run, receiver)
        case Instance() | Object() | Optimizer():
            if isinstance(receiver, Object) and run.placement_of(receiver) != run.placement_of(value):
                escapes.forget_elements(run, receiver)
            # A total that starts as a number is kept, and what is computed of it (an average) likewise.
            early.kept(run, None, name, value)
            kept = run.frame.constructing or (receiver.key, name) in run.numbers
            kept = kept or (isinstance(value, Tensor) and bool(value.tallies & run.kept_totals))
            if isinstance(receiver, Instance) and not kept:
                escapes.consume(run, value)
            run.set_attribute(receiver.key, name, transfers.named(run, value, f"self.{name}"))
        case Opaque():
            module = run.parameter_of.get(receiver.key)
            transfers.rebound(run, module, name)
            if module is not None and isinstance(run.knowledge.tensor_attributes.get(name), Follow):
                transfers.move_module(run, module, run.placement_of(value))
                return
            if receiver.parameter and value == Const(False) and receiver.key in run.parameter_of:
                transfers.freeze(run, run.parameter_of[receiver.key])
            escapes.consume(run, value)
            old = run.store.value(receiver.key, name)
            if old is None and isinstance(value, Const | Device):
                # what it was until now may be anything, and still is on ways that do not come here
                run.store.remember(receiver.key, name, run.derive(receiver, name))
            run.set_attribute(receiver.key, name, value)
            transfers.put_in(run, receiver, value, old, text or name, node)
        case Tensor():
            row = run.knowledge.tensor_attributes.get(name)
            if isinstance(row, Plain) and row.demands:
                transfers.demanded(run, receiver, value)
            elif isinstance(row, Follow):
                moved = Tensor(run.placement_of(value), receiver.rank, receiver.graph, receiver.held)
                for slot in run.store.holders(receiver):
                    run.store.set(*slot, moved)
        case Class() | Loader():
            run.set_attribute(receiver.key, name, value)
        case Imported():
            escapes.consume(run, value)
            run.store.set(run.imported_key(f"{receiver.name}.{name}"), REPLACED, value)
        case Choice():
            _write_each(run, receiver, name, value, node, text)
        case _:
            escapes.escape(run, value)


def _write_each(run: Run, receiver: Choice, name: str, value: Value, node: cst.CSTNode, text: str) -> None:
    """Bind an attribute of one of several objects: of each, where it is that one."""
    for option, condition in receiver.options:
        run.store.push()
        write(run, option, name, value, node, text)
        run.store.merge([Branch({}), Branch(run.store.pop(), condition)])
