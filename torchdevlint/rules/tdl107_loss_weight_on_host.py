"""The weight of a loss is on the host.

## What it does
Finds `weight=`, `pos_weight=` and the like on the host, in a loss that gets accelerator tensors.

## Why is this bad?
The weight is multiplied with the loss of each sample or class, so it has to be where they are. The loss raises
`RuntimeError: Expected all tensors to be on the same device`.

## Example
```python
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))
loss = criterion(model(x.to(device)), y.to(device))
```

## Use instead
```python
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0], device=device))
loss = criterion(model(x.to(device)), y.to(device))
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
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
    message="loss weight {odd} is on {odd_place} but {other} is on {other_place}",
    fix="Move the weight, or the loss module, to the device of the prediction",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL108"),
)
def check(event: Combined, facts: FileFacts) -> Iterator[Finding]:
    """Yield each loss weight that is not where the prediction is."""
    for meeting in blamed(event, facts, Culprit.WEIGHT):
        yield meeting.finding()
