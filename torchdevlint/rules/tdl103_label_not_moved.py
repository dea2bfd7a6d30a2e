"""A loss gets a target on another device than the prediction.

## What it does
Finds losses, called as functions or as modules, whose target stayed behind when the input of the model was moved. The
targets of `ctc_loss` may stay on the host.

## Why is this bad?
The loss compares the two and raises `RuntimeError: Expected all tensors to be on the same device`.

## Example
```python
for x, y in loader:
    out = model(x.to(device))
    loss = nn.functional.cross_entropy(out, y)
```

## Use instead
```python
for x, y in loader:
    out = model(x.to(device))
    loss = nn.functional.cross_entropy(out, y.to(device))
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Combined
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import Culprit, blamed
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Combined,
    message="{odd} is on {odd_place} but {other} is on {other_place}",
    fix="Move the target to the device of the prediction",
    supersedes=("TDL101",),
)
def check(event: Combined, facts: FileFacts) -> Iterator[Finding]:
    """Yield each target that is not where the prediction is."""
    for meeting in blamed(event, facts, Culprit.TARGET):
        yield meeting.finding()
