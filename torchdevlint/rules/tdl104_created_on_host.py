"""A tensor made on the host inside a module meets the tensors of the module.

## What it does
Finds factories without `device=` (`zeros`, `arange`, `randn`, `tensor` …) in methods of a module, where the result meets
the parameters, buffers or inputs of the module. Reported where the tensor is made.

## Why is this bad?
The module works on the host and raises as soon as it is moved to an accelerator.

## Example
```python
def forward(self, x):
    positions = torch.arange(x.shape[1])
    return x + self.embedding(positions)
```

## Use instead
```python
positions = torch.arange(x.shape[1], device=x.device)
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
    message="tensor made on {odd_place} meets {other} on {other_place}",
    fix="Make the tensor on the device of the module",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL109"),
)
def check(event: Called | Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each tensor that a method of a module makes on the host."""
    for meeting in blamed(event, facts, Culprit.CREATION):
        yield meeting.finding()
