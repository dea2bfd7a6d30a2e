"""Classes of the file: definitions, instances, and the symbolic `self` of methods that nothing calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.interpreter import (
    calls,
    early,
    escapes,
    expressions,
    functions,
    lineage,
    measuring,
    named_tuples,
    writers,
)
from torchdevlint.interpreter.run import Run
from torchdevlint.knowledge.rows import ContainerKind, Make, ModuleType, ObjectType, Placing, RankRule
from torchdevlint.lattice import ANY, Placement, Possibility, Symbol, SymbolKind
from torchdevlint.records import replace
from torchdevlint.state import ITEMS, MAX_DEPTH, PLACEMENT, Items
from torchdevlint.values import (
    UNKNOWN,
    Choice,
    Class,
    Const,
    Container,
    Function,
    Holder,
    Imported,
    Instance,
    Module,
    Opaque,
    Tensor,
    Value,
    options,
)
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Call


MAX_MODULE_NESTING = 5
FACTORY = "factory"
"""The kind of the container that stands for what makes a field of each object of a dataclass."""


def instantiate(run: Run, cls: Class, call: Call) -> Value:
    """Build an instance: run `__init__` with the arguments, within the budget."""
    if named_tuples.is_one(cls):
        return named_tuples.make(run, cls, call)
    made = _blank(run, cls)
    init = lineage.member(run, cls, "__init__")
    if isinstance(init, Function):
        bound = Function(init.node, init.frame, "__init__", made, init.owner)
        functions.invoke(run, bound, call)
    elif isinstance(lineage.member(run, cls, "__new__"), Function):
        return calls.unseen(run, call)
    else:
        _fill(run, made, cls, call)
        if isinstance(made, Module) and cls.type is not None and not made.type.abstract:
            transfers.constructed(run, made, call)
        after = lineage.member(run, cls, "__post_init__")
        if isinstance(after, Function):
            bound = Function(after.node, after.frame, after.name, made, after.owner)
            functions.invoke(run, bound, calls.Call(call.node, after.name))
    finish(run, made)
    if isinstance(made, Module) and run.frame.in_module and not run.frame.constructing:
        transfers.late(run, made, f"made by `{call.text}`", call.node)
    return made


def _fill(run: Run, made: Module | Instance, cls: Class, call: Call) -> None:
    """Set the fields of a class that has no `__init__` of its own (a dataclass, a named tuple) to the arguments."""
    if isinstance(made, Instance) and made.open and not cls.fields:
        for argument in call.values():
            escapes.escape(run, argument.value)
        return
    names = lineage.fields(cls)
    for name, argument in (*zip(names, call.arguments, strict=False), *call.keywords.items()):
        # What a library declares a field with may convert what the field is given.
        converted = isinstance(lineage.member(run, cls, name), Opaque)
        run.set_attribute(made.key, name, run.opaque(name) if converted else argument.value)
    given = {*names[: len(call.arguments)], *call.keywords}
    for name in names:
        default = lineage.member(run, cls, name)
        if isinstance(default, Container) and default.kind == FACTORY and (call.open or name not in given):
            factory = UNKNOWN if call.open else run.items(default).any() or UNKNOWN
            run.set_attribute(made.key, name, calls.call_value(run, factory, calls.Call(call.node, name)))


def declared(run: Run, call: Call) -> Value:
    """``field(default_factory=…)`` of a dataclass: what makes the field of each object; else its default."""
    factory, default = call.keywords.get("default_factory"), call.keywords.get("default")
    if factory is not None:
        return run.container(FACTORY, (factory.value,))
    return default.value if default is not None else UNKNOWN


def _blank(run: Run, cls: Class) -> Module | Instance:
    if isinstance(cls.type, ModuleType):
        made = Module(run.new_key(), cls.type, cls, cls.name)
        placement = run.default_placement(cls.node) if cls.type.placing is Placing.USER else ANY
        run.store.set(made.key, PLACEMENT, placement)
        run.store.born.add(made.key)
        if cls.type.container is not ContainerKind.NONE:
            transfers.fill_container(run, made, None)
        return made
    return Instance(run.new_key(), cls, cls.open)


def finish(run: Run, made: Module | Instance) -> bool:
    """When `__init__` has ended: mark what a module holds without having registered it.

    Return whether it put some of what it registered somewhere itself.
    """
    if not isinstance(made, Module):
        if made.open:  # its base may be a module, which moves what it holds
            for name, value in run.attribute_values(made.key):
                if isinstance(value, Module | Choice):
                    transfers.move_module(run, value, ANY)
                elif isinstance(value, Tensor) and value.held is not Holder.NONE:
                    run.store.set(made.key, name, replace(value, placement=ANY))
        return False
    apart = not run.frame.constructing and _placed_apart(run, made)
    if apart:
        # Who puts some of its parts somewhere may put all of them there, by ways we do not see.
        for key, placement in tuple(_registered_placements(run, made)):
            if key and any(lattice.is_host(p.device) for p in placement):
                run.store.set(key, PLACEMENT, ANY)
        _forget_host_tensors(run, made)
        run.store.set(made.key, PLACEMENT, ANY)
    overrides = made.cls is not None and any(
        lineage.member(run, made.cls, name) is not None for name in run.knowledge.module_overrides
    )
    for name, value in run.attribute_values(made.key):
        match value:
            case Tensor(held=Holder.NONE):
                if overrides or made.type.placing is Placing.UNSEEN:
                    run.store.set(made.key, name, Tensor(ANY, value.rank))
                else:
                    _mark_tensor(run, made, name, value)
            case Container() | Instance() if overrides:
                run.store.set(made.key, name, run.opaque(name))
            case Container():
                _mark_modules(run, made, name, value)
            case _:
                pass
    return apart


def _forget_host_tensors(run: Run, made: Module) -> None:
    """Forget where the parameters, buffers and plain tensors of a module are that stayed on the host."""
    for key, _ in ((made.key, None), *_registered_placements(run, made)):
        for name, value in run.attribute_values(key):
            if isinstance(value, Tensor) and all(lattice.is_host(p.device) for p in value.placement):
                run.store.set(key, name, replace(value, placement=ANY))


def _mark_tensor(run: Run, made: Module, name: str, value: Tensor) -> None:
    node = run.bound_at.get((made.key, name))
    if node is None:
        return
    if any(p.why is not None and _makes_nothing(run, p.why.root().node) for p in value.placement):
        run.store.set(made.key, name, replace(value, placement=ANY))  # what replaces it has a place of its own
        return
    placement = frozenset(
        Possibility(p.device, p.condition, Why(Role.UNREGISTERED_TENSOR, node, f"plain attribute `self.{name}`", p.why))
        if lattice.is_host(p.device)
        else p
        for p in value.placement
    )
    run.store.set(made.key, name, Tensor(placement, value.rank, value.graph))


def _makes_nothing(run: Run, node: cst.CSTNode) -> bool:
    """Tell whether a factory makes a tensor without elements, which stands for one that is made later."""
    callee = expressions.evaluate(run, node.func) if isinstance(node, cst.Call) else None
    if not isinstance(callee, Imported) or not isinstance(callee.row, Make) or callee.row.packed:
        return False
    assert isinstance(node, cst.Call)
    sizes = (argument.value for argument in node.args if argument.keyword is None)
    return callee.row.rank is RankRule.SHAPE and any(
        isinstance(size, cst.Integer) and size.value == "0" for size in sizes
    )


def _mark_modules(run: Run, made: Module, name: str, container: Container, depth: int = 0) -> None:
    """Mark the modules of a plain container that no registered route reaches."""
    node = run.appended.get(container.key) or run.bound_at.get((made.key, name))
    items = run.items(container)
    if node is None or items.lost:
        return
    held = (*(v for _, v in items.exact), *((items.rest,) if items.rest is not None else ()))
    for value in (option for whole in held for option, _ in options(whole)):
        if isinstance(value, Module) and value.key not in run.registered:
            before = run.module_placement(value) or ANY
            if all(lattice.is_host(p.device) for p in before):
                why = Why(Role.UNREGISTERED_MODULE, node, f"kept in the plain {container.kind} `self.{name}`")
                placement = frozenset(Possibility(p.device, p.condition, why) for p in before)
                transfers.move_module(run, value, placement)
        elif isinstance(value, Container) and depth < MAX_DEPTH:
            _mark_modules(run, made, name, value, depth + 1)
    _mark_parameters(run, made, name, container, node)


def _mark_parameters(run: Run, made: Module, name: str, container: Container, node: cst.CSTNode) -> None:
    """Mark the parameters of a plain container; one that is an attribute of a module too moves with that."""
    items = run.items(container)

    def marked(value: Value) -> Value:
        if not isinstance(value, Tensor) or value.held is Holder.NONE:
            return value
        if any(key == made.key or key in run.registered for key, _ in run.store.holders(value)):
            return replace(value, placement=ANY)
        why = Why(Role.UNREGISTERED_MODULE, node, f"kept in the plain {container.kind} `self.{name}`")
        return replace(value, placement=frozenset(Possibility(p.device, p.condition, why) for p in value.placement))

    exact = tuple((key, marked(value)) for key, value in items.exact)
    rest = marked(items.rest) if items.rest is not None else None
    run.store.set(container.key, ITEMS, Items(exact, rest, items.lost))


def symbolic_self(run: Run, cls: Class) -> tuple[Module | Instance, Placement | None]:
    """Return an instance of a class as any caller may have built it, and where its tensors then are."""
    made = _blank(run, cls)
    run.lent.add(made.key)
    init = lineage.member(run, cls, "__init__")
    if isinstance(init, Function):
        functions.run_symbolically(run, Function(init.node, init.frame, "__init__", made, init.owner))
    apart = finish(run, made)
    if not isinstance(made, Module):
        return made, None
    symbol = Symbol(made.key, SymbolKind.OWNER, "the device of `self`")
    owner = lattice.on(symbol, Why(Role.OWNER, cls.node, f"held by `{cls.name}`"))
    overrides = any(lineage.member(run, cls, name) is not None for name in run.knowledge.module_overrides)
    if cls.open and made.type.placing is Placing.USER:
        transfers.move_module(run, made, ANY)
        return made, ANY
    if not apart and not overrides:
        transfers.move_module(run, made, owner)
        return made, owner
    return made, ANY


def _placed_apart(run: Run, made: Module) -> bool:
    """Tell whether `__init__` itself put something registered somewhere: then each has a device of its own."""
    assert made.cls is not None  # it has an `__init__`
    default = {(p.device, p.condition) for p in run.default_placement(made.cls.node)}
    return any(
        not lattice.is_host(p.device) and p.device != lattice.ANYWHERE and (p.device, p.condition) not in default
        for _, placement in _registered_placements(run, made)
        for p in placement
        if not early.is_early(run, placement)
    )


def _registered_placements(run: Run, module: Module) -> Iterator[tuple[int, Placement]]:
    """Yield the keys and placements of the modules that a module holds, at any depth, each once."""
    yield from _registered_in(run, module, 0, set())


def _registered_in(run: Run, module: Value, depth: int, seen: set[int]) -> Iterator[tuple[int, Placement]]:
    match module:
        case Module() if depth <= MAX_MODULE_NESTING and module.key not in seen:
            seen.add(module.key)
            if depth:
                yield module.key, run.module_placement(module) or ANY
            for _, value in run.attribute_values(module.key):
                if isinstance(value, Tensor) and value.held is not Holder.NONE:
                    yield 0, value.placement
                yield from _registered_in(run, value, depth + 1, seen)
            for value in transfers.contained(run, module):
                yield from _registered_in(run, value, depth + 1, seen)
        case Opaque():
            placement = run.module_placement(module)
            if placement is not None:
                yield module.key, placement
        case Choice():
            for option, _ in module.options:
                yield from _registered_in(run, option, depth, seen)
        case _:
            return


def run_methods(run: Run, cls: Class, names: list[str]) -> None:
    """Run the methods of a class that no analysed call reached, each on a symbolic `self`."""
    made, owner = symbolic_self(run, cls)
    written = writers.of_class(run, cls)
    left: dict[str, Value] = {}
    ordered = sorted(names, key=lambda name: name not in {m for ms in written.values() for m in ms})
    for name in ordered:
        method = cls.members.get(name)
        if not isinstance(method, Function) or method.node in run.called:
            continue
        run.store.push()
        _at_entry(run, made, name, written, left)
        kind = run.kinds.get(method.node)
        receiver: Value | None = cls if kind == "classmethod" else None if kind == "staticmethod" else made
        bound = Function(method.node, method.frame, name, receiver, cls)
        if isinstance(made, Module) and (name in made.type.early_methods or measuring.measures(run, method.node)):
            transfers.move_module(run, made, ANY)
        functions.run_symbolically(run, bound, arriving(run, made, method, owner))
        writes = run.store.pop()
        for (key, attribute), value in writes.items():
            if key == made.key and not attribute.startswith("<"):
                left[attribute] = value


def arriving(run: Run, made: Module | Instance, method: Function, owner: Placement | None) -> Placement | None:
    """Return where the arguments of a method arrive: with the module for `forward`, else unknown.

    A module that moves one of them itself takes them from anywhere; that shows only when all of it was run.
    """
    name = method.name
    if isinstance(made, Instance) and isinstance(made.cls.type, ObjectType) and name in made.cls.type.overrides:
        run.handed[method.node] = made.cls.type.overrides[name]
        symbol = Symbol(made.key, SymbolKind.OWNER, "the device of the framework")
        return lattice.on(symbol, Why(Role.PLACED, method.node, f"placed by `{made.cls.type.name}`"))
    if not isinstance(made, Module) or owner is None or owner == ANY:
        return None
    handed = dict(made.type.framework_methods).get(name)
    if handed is not None:
        run.handed[method.node] = handed
        return frozenset(replace(p, why=replace(p.why, role=Role.PLACED)) if p.why else p for p in owner)
    called, cls = run.knowledge.module_call, made.cls
    if name == called or (name == "__call__" and cls is not None and lineage.member(run, cls, called) is None):
        return frozenset(replace(p, why=replace(p.why, role=Role.INPUT)) if p.why else p for p in owner)
    return None


def _at_entry(
    run: Run, made: Module | Instance, method: str, written: dict[str, set[str]], left: dict[str, Value]
) -> None:
    """Set the attributes that other methods rebind or move to what may be found at a method's entry."""
    anywhere = written.get(writers.ANY_ATTRIBUTE, set())
    names = {**written, **(run.attributes.get(made.key, {}) if anywhere else {})}
    for bound, methods in ((name, written.get(name, set()) | anywhere) for name in names):
        name = bound.removesuffix(writers.PART)
        present = run.store.value(made.key, name)
        if name != bound and isinstance(present, Tensor):
            continue
        others = methods - {"__init__"}
        if present is None:
            if len(others) == 1 and name in left and method not in others:
                run.set_attribute(made.key, name, left[name])
            continue
        if not others:
            continue
        match present:
            case Tensor():
                run.store.set(made.key, name, Tensor(ANY, held=present.held))
            case Module() | Opaque():
                if run.module_placement(present) is not None:
                    run.store.set(present.key, PLACEMENT, ANY)
                attributes_ = run.attribute_values(present.key) if isinstance(present, Opaque) else ()
                for _, item in attributes_:
                    transfers.move_module(run, item, ANY)
            case Container():
                run.store.set(made.key, name, run.opaque(name))
            case _:
                if isinstance(present, Const) and type(present.value) in (int, float):
                    run.numbers.add((made.key, name))
                run.store.set(made.key, name, UNKNOWN if not isinstance(present, Opaque) else present)
