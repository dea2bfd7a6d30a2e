"""A module was sent to the host and is then used with accelerator inputs.

## What it does
Finds modules that were sent to the CPU, to be saved or evaluated, and are called with accelerator inputs afterwards.
The next iteration of a loop counts. The finding stands at the move.

## Why is this bad?
`module.cpu()` moves the module itself, not a copy. The next call raises `RuntimeError: Expected all tensors to be on
the same device`.

## Example
```python
for x, y in loader:
    loss = criterion(model(x.to(device)), y.to(device))
    torch.save(model.cpu().state_dict(), "model.pt")
```

## Use instead
```python
for x, y in loader:
    loss = criterion(model(x.to(device)), y.to(device))
    torch.save({k: v.cpu() for k, v in model.state_dict().items()}, "model.pt")
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.cpu
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Called
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import Culprit, blamed
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Called,
    message="{odd} is sent to the host here and meets {other} on {other_place} afterwards",
    fix="Save a CPU copy of the state dict",
    supersedes=("TDL101", "TDL102", "TDL301"),
)
def check(event: Called, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move to the host after which the module is used elsewhere."""
    for meeting in blamed(event, facts, Culprit.LEFT):
        yield meeting.finding()
