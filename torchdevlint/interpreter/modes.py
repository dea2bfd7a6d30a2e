"""In which mode a module runs: what depends on `self.training` of what it gives, where the mode is known."""

from __future__ import annotations

from collections.abc import Iterable

from torchdevlint import lattice, transfers
from torchdevlint.interpreter import iteration
from torchdevlint.interpreter.run import Run
from torchdevlint.lattice import ANY, Condition, Placement
from torchdevlint.records import replace
from torchdevlint.state import MAX_DEPTH, MODE
from torchdevlint.values import UNKNOWN, Choice, Const, Container, Module, Opaque, Tensor, Value


def of_call(run: Run, module: Module, value: Value) -> Value:
    """Return what a module gives in the mode it is in: one that was just built trains, as `train()` and `eval()` say.

    Where the mode is not known, what it gives is not known either, as far as that depends on it.
    """
    if run.frame.in_module or not _asks(run, value, 0):
        return value
    guards: dict[str, bool | None] = {}
    for part in transfers.parts(run, module, set()):
        asked = run.store.value(part.key, run.knowledge.module_mode)
        if isinstance(asked, Opaque):
            guards[guard(asked)] = _trains(run, part, module)
    return _in_mode(run, value, guards, 0)


def guard(asked: Opaque) -> str:
    """Return how a test of an attribute that is no more than itself is called among guards."""
    return f"{asked.name}#{asked.key}"


def _trains(run: Run, part: Module | Opaque, whole: Module) -> bool | None:
    """Tell whether a part of a module is in training mode; None where that is not known."""
    for one in (part, whole):
        if (one.key, MODE) in run.store.bindings:
            mode = run.store.get(one.key, MODE)
            return bool(mode.value) if isinstance(mode, Const) else None
    return None if whole.key in run.lent else True


def _asks(run: Run, value: Value, depth: int) -> bool:
    """Tell whether a value depends on the mode of a module."""
    match value:
        case Tensor():
            conditions = [possibility.condition for possibility in value.placement]
        case Choice():
            conditions = [condition for _, condition in value.options]
        case Container() if depth < MAX_DEPTH:
            return any(_asks(run, item, depth + 1) for _, item in run.items(value).exact)
        case _:
            return False
    return any(guard.startswith(f"{run.knowledge.module_mode}#") for condition in conditions for guard, _ in condition)


def _in_mode(run: Run, value: Value, guards: dict[str, bool | None], depth: int) -> Value:
    match value:
        case Tensor():
            return replace(value, placement=_placed(value.placement, guards))
        case Choice():
            known = [(option, _known(condition, guards)) for option, condition in value.options]
            left = tuple((option, condition) for option, condition in known if condition is not None)
            if not left or _is_unsure((condition for _, condition in value.options), guards):
                return UNKNOWN
            return left[0][0] if len(left) == 1 else Choice(left)
        case Container() if depth < MAX_DEPTH:
            return iteration.rebuilt(run, value, lambda item: _in_mode(run, item, guards, depth + 1))
        case _:
            return value


def _placed(placement: Placement, guards: dict[str, bool | None]) -> Placement:
    if _is_unsure((possibility.condition for possibility in placement), guards):
        return ANY
    known = ((possibility, _known(possibility.condition, guards)) for possibility in placement)
    return frozenset(lattice.Possibility(p.device, left, p.why) for p, left in known if left is not None) or ANY


def _is_unsure(conditions: Iterable[Condition], guards: dict[str, bool | None]) -> bool:
    """Tell whether conditions ask for a mode that is not known."""
    return any(guards.get(guard, True) is None for condition in conditions for guard, _ in condition)


def _known(condition: Condition, guards: dict[str, bool | None]) -> Condition | None:
    """Return what is left of a condition where the modes are known, None where it does not hold."""
    if any(guards.get(guard, holds) is not holds for guard, holds in condition):
        return None
    return frozenset((guard, holds) for guard, holds in condition if guard not in guards)
