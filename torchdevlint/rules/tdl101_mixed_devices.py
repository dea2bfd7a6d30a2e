"""Tensors on different devices meet in one operation.

## What it does
Finds operations whose operands are on different devices: arithmetic, comparisons, `matmul`, `cat`, `where`, in-place
operations, `out=` and more. A 0-dim host tensor is fine where PyTorch lets it mix, and so is a Python number.

## Why is this bad?
PyTorch does not copy between devices on its own. It raises `RuntimeError: Expected all tensors to be on the same
device` as soon as the script meets an accelerator.

## Example
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.ones(3, device=device)
total = weight + torch.ones(3)
```

## Use instead
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.ones(3, device=device)
total = weight + torch.ones(3, device=device)
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
    fix="Move the odd operand to the device of the other",
    supersedes=(),
)
def check(event: Combined, facts: FileFacts) -> Iterator[Finding]:
    """Yield each operand that no more specific rule blames."""
    for meeting in blamed(event, facts, Culprit.OPERAND):
        yield meeting.finding()
