"""A host tensor is indexed by an accelerator tensor.

## What it does
Finds host tensors that are indexed or masked by a tensor of one or more dimensions on an accelerator. A 0-dim index is
legal, and so is the reverse: a host index into an accelerator tensor.

## Why is this bad?
PyTorch raises `RuntimeError: indices should be either on cpu or on the same device as the indexed tensor`.

## Example
```python
features = torch.randn(100, 8)
order = torch.randperm(100, device=device)
batch = features[order[:10]].to(device)
```

## Use instead
```python
features = torch.randn(100, 8)
order = torch.randperm(100)
batch = features[order[:10]].to(device)
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Combined, Indexed
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import Culprit, blamed
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=(Combined, Indexed),
    message="{odd} is on {odd_place} but its index {other} is on {other_place}",
    fix="Index with a host tensor",
    supersedes=("TDL101", "TDL102"),
)
def check(event: Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each host tensor with an accelerator index."""
    for meeting in blamed(event, facts, Culprit.INDEX):
        yield meeting.finding()
