"""A loss module or metric with state was never moved.

## What it does
Finds loss modules with parameters or buffers, and torchmetrics metrics, that are called with accelerator tensors and
were never moved.

## Why is this bad?
Their state is on the host and meets the inputs: `RuntimeError: Expected all tensors to be on the same device`.

## Example
```python
metric = torchmetrics.Accuracy(task="multiclass", num_classes=10)
metric(model(x.to(device)), y.to(device))
```

## Use instead
```python
metric = torchmetrics.Accuracy(task="multiclass", num_classes=10).to(device)
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Called, Combined
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import Culprit, blamed
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=(Called, Combined),
    message="{odd} holds state on {odd_place} but {other} is on {other_place}",
    fix="Move the module",
    supersedes=("TDL101", "TDL102", "TDL103"),
)
def check(event: Called | Combined, facts: FileFacts) -> Iterator[Finding]:
    """Yield each criterion that stays behind."""
    for meeting in blamed(event, facts, Culprit.CRITERION):
        yield meeting.finding()
