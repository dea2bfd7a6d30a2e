"""Random numbers: generators, what draws from them, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint import lattice
from torchdevlint.events import Drawn
from torchdevlint.knowledge.rows import Draw, GeneratorType, LoaderType
from torchdevlint.lattice import ANY, HOST, Placement
from torchdevlint.records import replace
from torchdevlint.state import PLACEMENT
from torchdevlint.transfers import datasets
from torchdevlint.transfers.devices import place_of
from torchdevlint.transfers.operands import function_text, subject
from torchdevlint.values import NONE, Const, Object, Opaque, Tensor, Value
from torchdevlint.why import Role, Why

if TYPE_CHECKING:
    from torchdevlint.interpreter.calls import Argument, Call
    from torchdevlint.interpreter.run import Run


def generator(run: Run, row: GeneratorType, call: Call, receiver: Argument | None) -> Value:
    """Build a generator, or give the one of the host."""
    made = Object(run.new_key(), row.type)
    argument = call.get(0, "device") if row.placed else None
    given = place_of(run, argument, moving=False)
    if given is None:
        given = ANY if call.open and row.placed else lattice.on(HOST)
    why = Why(Role.CREATED, call.node, f"made by `{call.text}`")
    run.store.set(made.key, PLACEMENT, frozenset(replace(p, why=why) for p in given))
    return made


def draw(run: Run, row: Draw, call: Call, receiver: Argument | None) -> Value:
    """Draw on the default device, which the host's generator cannot if that is an accelerator."""
    given = call.keywords.get("generator")
    source = lattice.on(HOST) if given is None and not call.open else _source(run, call)
    if source is not None:
        place = run.default_placement(call.node)
        run.emit(Drawn(call.node, run.world, function_text(call), place, source))
    return datasets.split(run, row, call)


def _source(run: Run, call: Call) -> Placement | None:
    """Return where the generator is that a call is given, None where it is given none that is known."""
    given = call.keywords.get("generator")
    return run.placement_of(given.value) if given is not None and isinstance(given.value, Object) else None


def drawn(run: Run, call: Call, receiver: Argument | None, value: Value) -> Value:
    """Return what a call gives that draws from a generator, and record where it drew."""
    given = call.keywords["generator"].value
    about = subject(call, receiver)
    if isinstance(value, Tensor):
        place = value.placement
    elif about is not None and isinstance(about.value, Tensor | Opaque):
        place = run.placement_of(about.value)
    else:
        return value
    source = _source(run, call)
    if source is not None:
        run.emit(Drawn(call.node, run.world, function_text(call), place, source))
    agrees = given == NONE or source == place
    return value if agrees or not isinstance(value, Tensor) else replace(value, placement=ANY)


def of_loader(run: Run, row: LoaderType, call: Call) -> Placement | None:
    """Return where the generator is from which each iteration of a loader draws, None where it draws from none."""
    given = call.keywords.get("generator")
    if call.open or (given is not None and given.value != NONE):
        return _source(run, call)
    shuffled = call.keywords.get(row.shuffle)
    ordered = any(name in call.keywords for name in row.samplers)
    return lattice.on(HOST) if shuffled is not None and shuffled.value == Const(True) and not ordered else None
