"""What is read out of tensors: through host memory, and as Python data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torchdevlint.events import HostNeeded, HostRead, Need
from torchdevlint.interpreter import absence, iteration, pace
from torchdevlint.knowledge.rows import OfProcess, Plain, ReadHost
from torchdevlint.lattice import ANY
from torchdevlint.records import dataclass, replace
from torchdevlint.state import MAX_DEPTH, TRAINED
from torchdevlint.transfers import environment, groups
from torchdevlint.transfers.operands import function_text, operand
from torchdevlint.values import (
    NONE,
    SCALAR,
    UNKNOWN,
    Const,
    Container,
    Flag,
    Opaque,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.frames import Frame
    from torchdevlint.interpreter.run import Run


def read_host(run: Run, row: ReadHost, call: Call, receiver: Argument | None) -> Value:
    """Read tensors through host memory, which fails for those on an accelerator."""
    forced = call.keywords.get(row.forced) if row.forced else None
    if forced is not None and forced.value == Const(True):
        return run.opaque("")
    if receiver is not None:
        arguments = [receiver]
    else:
        arguments = list(call.arguments) if row.all_arguments else call.arguments[:1]
    for argument in arguments if receiver is not None or not run.facts.converts else ():
        value = argument.value
        if row.only_lists and not isinstance(value, Container):
            continue
        site = _site(run, call, argument.node)
        if site is None:
            continue
        if isinstance(value, Container):
            item = iteration.element(run, value, argument.node)
            value = item if isinstance(item, Tensor) else value
        if receiver is not None and isinstance(value, Opaque) and row.tensor_evidence:
            run.facts.tensors.add(value.key)
        proven = isinstance(value, Tensor) or (isinstance(value, Opaque) and (receiver is not None or value.member))
        if proven and run.placement_of(value) != ANY:
            read = replace(operand(run, site.argument, value, "input"), part=value is not argument.value)
            run.arrive(value, call.node)
            how = f"{'.' if receiver else ''}{call.text}" if site.call is call else site.call.text
            carries = isinstance(value, Tensor) and value.graph is True
            run.emit(HostRead(site.call.node, run.world, run.frame.entry, read, how, carries))
    run.waits += 1
    array = run.array()
    if receiver is None and call.arguments and isinstance(call.arguments[0].value, Const):
        run.numbers_as_arrays.add(array.key)  # it has no dimensions
    return array


def need_host(run: Run, call: Call, argument: Argument | None, need: Need) -> None:
    """Record an argument that has to be on the host; of what is no tensor yet only a move of its own shows that it is.

    A part of an object that was moved as a whole may be a list, or have been left on the host.
    """
    if argument is None or call.hidden:
        return
    value = argument.value
    if isinstance(value, Tensor) or (isinstance(value, Opaque) and moved_itself(run, value)):
        needed = replace(operand(run, argument.node, value, "input"), proof=0)
        run.emit(HostNeeded(call.node, run.world, needed, function_text(call), need))


def pin_items(run: Run, call: Call, asked: Argument | None, value: Value, depth: int = 0) -> None:
    """Record that a loader that is asked to pins its items, or the tensors in them."""
    match asked.value if asked is not None else NONE:
        case Const(value=True):
            world = run.world
        case Flag(when_true=world):
            world |= run.world
        case _:
            return
    match value:
        case Tensor():
            needed = operand(run, call.node, value, "item")
            run.emit(HostNeeded(call.node, world, needed, function_text(call), Need.PINNING))
        case Container() if depth < MAX_DEPTH:
            for item in iteration.elements(run, value) or ():
                pin_items(run, call, asked, item, depth + 1)
        case _:
            return


def moved_itself(run: Run, value: Opaque) -> bool:
    """Tell whether an object of unknown kind is where it is by moves of its own."""
    return all(p.why is not None and (value.key, p.why.node) in run.moved for p in value.placement)


@dataclass(frozen=True, slots=True)
class _Site:
    """Where a value comes into what reads it: the call, and the argument of it."""

    call: Call
    argument: cst.CSTNode


def _site(run: Run, call: Call, node: cst.CSTNode) -> _Site | None:
    """Return where a value was handed in: what a helper reads of a parameter of its own, its callers decide.

    None where no call of the file gives the parameter.
    """
    frame: Frame | None = run.frame
    while frame is not None and (name := _own_parameter(run, frame, node)):
        if frame.call is None or frame.function is None:
            return None
        parameters = [p.name.value for p in frame.function.node.params.params][frame.function.receiver is not None :]
        argument = frame.call.get(parameters.index(name), name)
        if argument is None or frame.call.open or run.guarded:  # in a `try`, say, which tells what to do then
            return None
        call, node, frame = frame.call, argument.node, frame.caller
    return _Site(call, node)


def _own_parameter(run: Run, frame: Frame, node: cst.CSTNode) -> str:
    """Return the parameter of the helper that runs that an expression is about; nothing where it is about no such."""
    function = frame.function
    if function is None or frame.depth == 0:
        return ""
    while isinstance(node, cst.Call | cst.Attribute | cst.Subscript):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
            return ""  # what a call gave is the helper's own
        node = node.func if isinstance(node, cst.Call) else node.value
    if not isinstance(node, cst.Name) or run.versions.get((frame.key, node.value), 0) > frame.begun:
        return ""  # what the helper has bound itself is its own
    names = [parameter.name.value for parameter in function.node.params.params]
    return node.value if node.value in (names[1:] if function.receiver is not None else names) else ""


def plain(run: Run, row: Plain, call: Call, receiver: Argument | None) -> Value:
    """Give Python data; a method that only tensors have proves its object one."""
    if receiver is not None and row.tensor_evidence and isinstance(receiver.value, Opaque):
        run.facts.tensors.add(receiver.value.key)
    run.facts.repeats |= row.repeats
    if row.native:
        environment.native(run)
    if row.trains:
        run.store.set(0, TRAINED, run.activation + 1)
    for read in call.arguments if receiver is None else [receiver]:
        if not row.tensor_evidence:
            run.arrive(read.value, call.node)
        if row.modules and isinstance(read.value, Opaque):
            run.facts.modules.add(read.value.key)
    if row.reads and receiver is not None:
        pace.fetched(run, receiver.value, call.node)
        pace.waited(run, call.node, run.placement_of(receiver.value), number=True)
    run.waits += 1
    if receiver is not None and isinstance(receiver.value, Tensor):
        tensor = receiver.value
        if row.ranks or (row.sizes and not call.arguments):
            return told(run, row, tensor)
        first = row.sizes and call.arguments[0].value == Const(0)
        return Const(0) if tensor.empty and (row.counts or first) else UNKNOWN
    if row.asks and call.arguments:
        return absence.is_tensor(run, call.arguments[0].value)
    return Const(False) if row.translated else UNKNOWN


def own(run: Run, row: OfProcess, call: Call, receiver: Argument | None) -> Value:
    """Give what the process has of its own."""
    if row.local:
        groups.told_by(run, row.local, call.first)
    else:
        run.facts.ranked = True
        run.facts.neighbours |= row.on_machine
    return UNKNOWN


def told(run: Run, row: Plain, tensor: Tensor) -> Value:
    """Return what a tensor tells of itself: its sizes, or how many they are."""
    low, high = tensor.rank
    if row.ranks:
        return Const(low) if low == high else UNKNOWN
    return sizes(run, tensor) if row.sizes else UNKNOWN


def sizes(run: Run, tensor: Tensor) -> Value:
    """Return the sizes of a tensor: none, if it has no dimensions; the first is 0 where it has no elements."""
    if tensor.empty:
        return run.container("tuple", (Const(0),), UNKNOWN)
    return run.container("tuple") if tensor.rank == SCALAR else UNKNOWN
