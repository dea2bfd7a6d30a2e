"""A layer came into its module after the module was moved.

## What it does
Finds layers with parameters or buffers that are built in a method of a module, `forward` most of all, or put into a
module that is on the accelerator already, and that are used before anything moves them.

## Why is this bad?
A module moves what it holds when it moves. A layer that comes later stays on the CPU and raises at its first input. One
that is built in `forward` is also made anew at each call: nothing trains it, and no checkpoint has it.

## Example
```python
model = resnet18().to(device)
model.fc = nn.Linear(512, 10)
```

## Use instead
```python
model = resnet18()
model.fc = nn.Linear(512, 10)
model = model.to(device)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Called, Combined, Indexed
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import Culprit, blamed
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=(Called, Combined, Indexed),
    message="layer {made} stays on {odd_place} and meets {other} on {other_place}",
    fix="Build the layer before the module moves, or move it",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL104", "TDL108"),
)
def check(event: Called | Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each layer that came too late for a move."""
    for meeting in blamed(event, facts, Culprit.LAYER):
        yield meeting.finding()
