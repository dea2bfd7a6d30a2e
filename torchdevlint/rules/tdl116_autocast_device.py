"""Autocast is asked for another device than the one that is used, or is given an object for its device.

## What it does
Finds blocks under `torch.autocast` in which all modules that are called are on another type of device, and
`torch.autocast` with a `torch.device` where the type of the device, a text, is asked for.

## Why is this bad?
Autocast casts the operations of one type of device. What runs elsewhere stays in full precision, and nothing tells so.
With a `torch.device` it raises `ValueError`.

## Example
```python
model.to("cuda")
with torch.autocast("cpu"):
    output = model(x.to("cuda"))
```

## Use instead
```python
model.to("cuda")
with torch.autocast("cuda"):
    output = model(x.to("cuda"))
```

## References
- https://docs.pytorch.org/docs/stable/amp.html#torch.autocast
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.facts import FileFacts
from torchdevlint.incidents import CastElsewhere, DeviceObjectGiven
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=(CastElsewhere, DeviceObjectGiven),
    message="{what}",
    fix="Give the type of the device that the module is on",
)
def check(event: CastElsewhere | DeviceObjectGiven, facts: FileFacts) -> Iterator[Finding]:
    """Yield each block that casts elsewhere, and each object that is given for a type."""
    if isinstance(event, DeviceObjectGiven):
        if not event.proof or event.proof in facts.tensors:
            what = f"`{event.text}` takes the type of a device, a text, and `{event.device}` is a `torch.device`"
            yield Finding(event.node, {"what": what}, about=(event.given,))
        return
    clash = lattice.clash(event.state, event.place, facts, event.world)
    others = facts.cast_states[event.node]
    useless = all(lattice.clash(state, event.place, facts, world) is not None for state, world in others)
    if clash is not None and useless and facts.accelerated:
        here, there = clash.left.device, clash.right.device
        what = f"autocast for {there} has no effect on `{event.text}`, which is on {here}"
        yield Finding(event.node, {"what": what})
