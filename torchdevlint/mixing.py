"""Whether two values may meet on different devices though no clash is certain: what advice is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from torchdevlint.lattice import (
    ACCELERATORS,
    ALWAYS,
    NO_FACTS,
    Clash,
    Condition,
    Facts,
    Placement,
    expanded,
    is_accelerator,
    is_host,
    world_of,
)


def may_mix(left: Placement, right: Placement, facts: Facts = NO_FACTS, world: Condition = ALWAYS) -> Clash | None:
    """Return a host possibility and one on an accelerator that can hold at once, or None.

    The accelerator's needs no more than that there is one, the host's holds under other guards.
    """
    for near in expanded(left, facts, world):
        for far in expanded(right, facts, world):
            host, other = (near, far) if is_host(near.device) else (far, near)
            if not is_host(host.device) or not is_accelerator(other.device) or not host.condition:
                continue
            if _of_machine(host.condition, any) or not _of_machine(other.condition | world, all):
                continue
            if any("?" in name for name, _ in host.condition):
                continue  # a test of one value, of which only its place is known, is no switch
            condition = world_of(other) | host.condition | world
            if all(_can_hold(name, truth, condition) for name, truth in condition):
                return Clash(near, far, condition)
    return None


def _of_machine(condition: Condition, quantifier: Callable[[Iterable[bool]], bool]) -> bool:
    """Tell whether all or any of the guards of a condition are about which accelerators there are."""
    return quantifier(name in ACCELERATORS for name, _ in condition)


def _can_hold(name: str, truth: bool, condition: Condition) -> bool:
    """Tell whether a literal agrees with the others: a conjunction is not false where all its parts are true."""
    if truth:
        return (name, False) not in condition
    parts = name.split(" and ")
    literals = {(part.removeprefix("not "), not part.startswith("not ")) for part in parts}
    return not literals <= condition
