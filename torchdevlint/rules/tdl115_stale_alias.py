"""A tensor that was taken out of a module before the module moved.

## What it does
Finds buffers, values of a `state_dict()` and copies of parameters (`.data`, `.detach()`, `.clone()`) that were taken
out of a module on the CPU and meet accelerator tensors after the module has moved.

## Why is this bad?
A module that moves puts new storage behind its parameters and new tensors in the place of its buffers. A parameter
stays the same object and moves along, whatever it is called; everything else that was taken out before stays on the
CPU, and the operation raises.

## Example
```python
shadow = {name: p.detach().clone() for name, p in model.named_parameters()}
model.to(device)
for name, p in model.named_parameters():
    shadow[name] = 0.9 * shadow[name] + 0.1 * p.detach()
```

## Use instead
```python
model.to(device)
shadow = {name: p.detach().clone() for name, p in model.named_parameters()}
for name, p in model.named_parameters():
    shadow[name] = 0.9 * shadow[name] + 0.1 * p.detach()
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Called, Combined, Indexed
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import Culprit, blamed
from torchdevlint.records import replace
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=(Called, Combined, Indexed),
    message="{made}, taken out of a module before it moved, stays on {odd_place} and meets {other} on {other_place}",
    fix="Take it when the module has moved, or move it too",
    supersedes=("TDL101", "TDL102", "TDL103"),
)
def check(event: Called | Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each tensor that a module left behind when it moved."""
    for meeting in blamed(event, facts, Culprit.STALE):
        why = meeting.odd.possibility.why
        mover = facts.movers.get(why.taken[0]) if why is not None else None
        yield replace(meeting.finding(), about=(mover,) if mover is not None else ())
