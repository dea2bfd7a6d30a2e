"""Modules kept in a plain container do not move with the module.

## What it does
Finds modules and parameters that an `nn.Module` keeps in a plain list, tuple or dict and uses, where nothing else
registers them.

## Why is this bad?
They are missing from `parameters()`. They do not move to the device, the optimizer does not train them, and
`state_dict()` does not save them.

## Example
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(3)]
```

## Use instead
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
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
    message="modules in a plain container stay on {odd_place} and meet {other} on {other_place}",
    fix="Use `nn.ModuleList` or `nn.ModuleDict`",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL104", "TDL107", "TDL108"),
)
def check(event: Called | Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each plain container of modules that stays behind."""
    for meeting in blamed(event, facts, Culprit.UNREGISTERED_MODULE):
        yield meeting.finding()
