"""A tensor made on the host inside a module meets the tensors of the module.

## What it does
Finds factories without `device=` (`zeros`, `arange`, `randn`, `tensor` and more) in the methods of a module, where the
result meets the parameters, buffers or inputs of the module. The finding stands where the tensor is made. In a file
where nothing else shows that anybody minds devices, it must meet them whenever the method runs.

## Why is this bad?
The module works on the host. As soon as it is moved to an accelerator, its `forward` raises `RuntimeError: Expected
all tensors to be on the same device`.

## Example
```python
class Net(nn.Module):
    def forward(self, x):
        noise = torch.randn(x.shape)
        return x + noise
```

## Use instead
```python
class Net(nn.Module):
    def forward(self, x):
        noise = torch.randn(x.shape, device=x.device)
        return x + noise
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Called, Combined, Indexed
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import Culprit, blamed
from torchdevlint.records import replace
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=(Called, Combined, Indexed),
    message="{made} on {odd_place} in a module's method, meets {other} on {other_place}",
    fix="Make the tensor on the device of the module",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL109"),
)
def check(event: Called | Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each tensor that a method of a module makes on the host."""
    for meeting in blamed(event, facts, Culprit.CREATION):
        met = meeting.about[1:] if isinstance(event, Combined) else ()
        yield replace(meeting.finding(), about=met)
