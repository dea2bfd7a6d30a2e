"""A module is called with an input on another device.

## What it does
Finds calls of a module that holds parameters or buffers, with an input that is somewhere else: in training, evaluation
and inference alike. Modules that hold nothing, like `nn.ReLU`, take any input.

## Why is this bad?
The first layer that meets the input raises `RuntimeError: Expected all tensors to be on the same device`.

## Example
```python
model = nn.Linear(8, 2).to(device)
for x, y in loader:
    out = model(x)
```

## Use instead
```python
model = nn.Linear(8, 2).to(device)
for x, y in loader:
    out = model(x.to(device))
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html
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
    message="{odd} is on {odd_place} but {other} is on {other_place}",
    fix="Move the input to the device of the module",
    supersedes=("TDL101",),
)
def check(event: Called | Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each input that is not where the module is."""
    for meeting in blamed(event, facts, Culprit.INPUT):
        yield meeting.finding()
