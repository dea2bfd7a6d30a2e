"""A plain tensor attribute of a module does not move with the module.

## What it does
Finds tensors assigned to `self` in `__init__` of an `nn.Module` that are no parameter and no buffer and that meet the
tensors of the module. Reported where the attribute is assigned.

## Why is this bad?
`module.to(device)` moves parameters and buffers only; the plain tensor stays on the host.

## Example
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)
```

## Use instead
```python
        self.register_buffer("scale", torch.ones(3))
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
    message="plain attribute {odd} stays on {odd_place} and meets {other} on {other_place}",
    fix="Register the tensor as a buffer",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL104", "TDL109"),
)
def check(event: Called | Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each plain tensor attribute that stays behind."""
    for meeting in blamed(event, facts, Culprit.UNREGISTERED_TENSOR):
        yield meeting.finding()
