"""A loss module or metric with state was never moved.

## What it does
Finds loss modules with parameters or buffers, and metrics of torchmetrics, that get accelerator tensors and were never
moved themselves.

## Why is this bad?
Their state is on the host and meets the inputs. The call raises `RuntimeError: Expected all tensors to be on the same
device`, or an error of the library that says the same.

## Example
```python
metric = torchmetrics.Accuracy(task="multiclass", num_classes=10)
metric(model(x.to(device)), y.to(device))
```

## Use instead
```python
metric = torchmetrics.Accuracy(task="multiclass", num_classes=10).to(device)
metric(model(x.to(device)), y.to(device))
```

## References
- https://lightning.ai/docs/torchmetrics/stable/pages/overview.html#metrics-and-devices
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
