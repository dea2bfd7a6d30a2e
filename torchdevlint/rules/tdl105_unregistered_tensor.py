"""A plain tensor attribute of a module does not move with the module.

## What it does
Finds tensors that `__init__` of an `nn.Module` assigns to `self`, that are neither parameter nor buffer, and that meet
the tensors of the module later. The finding stands where the attribute is assigned.

## Why is this bad?
`module.to(device)` moves parameters and buffers only. The plain tensor stays on the host, and `forward` raises
`RuntimeError: Expected all tensors to be on the same device`. It is missing from `state_dict()` too.

## Example
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)

    def forward(self, x):
        return x * self.scale
```

## Use instead
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        return x * self.scale
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Called, Combined, Indexed
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import Culprit, blamed
from torchdevlint.records import replace
from torchdevlint.rule import Finding, rule
from torchdevlint.why import Role


@rule(
    __name__,
    on=(Called, Combined, Indexed),
    message="{kept} stays on {odd_place} and meets {other} on {other_place}",
    fix="Register the tensor as a buffer",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL104", "TDL109"),
)
def check(event: Called | Combined | Indexed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each plain tensor attribute that stays behind."""
    for meeting in blamed(event, facts, Culprit.UNREGISTERED_TENSOR):
        finding, why = meeting.finding(), meeting.odd.possibility.why
        kept = why.of(Role.UNREGISTERED_TENSOR) if why is not None else None
        assert kept is not None  # it is what tells that this is to blame
        yield replace(finding, parts={**finding.parts, "kept": kept.text})
