"""What guards are about, as far as their names tell, and how many of them hold at once."""

from __future__ import annotations

from torchdevlint.lattice import Condition

MAX_GUARDS = 200
"""How many guards are followed that hold one after the other; where more do, nothing is found."""
_COUNTED = "device"
"""A part of the names of what counts accelerators."""


def also(world: Condition, told: Condition) -> Condition:
    """Return a world in which something more holds; one that is full stays as it is, and so costs no more."""
    return world if is_full(world) else world | told


def is_full(world: Condition) -> bool:
    """Tell whether so much holds in a world that what holds further is not known."""
    return len(world) >= MAX_GUARDS


def may_guard(name: str) -> bool:
    """Tell whether a guard may ask for an accelerator: a flag or an equality may, a size may not."""
    if name.startswith("?") or " % " in name:
        return False
    for sign in (" >= ", " > ", " < ", " <= "):
        left, found, right = name.partition(sign)
        if found:
            return right.partition("?")[0] in ("0", "1", "-1") or _COUNTED in left
    return True


def asserted(condition: Condition) -> Condition:
    """Return what an assertion promises: that one of several tests holds asks for an accelerator in none of them."""
    return frozenset((f"?{name}" if " and " in name or " or " in name else name, truth) for name, truth in condition)
