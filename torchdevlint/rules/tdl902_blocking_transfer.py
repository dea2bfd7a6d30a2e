"""The host waits for a copy that need not be waited for.

## What it does
Finds batches of a loader that pins them (`pin_memory=True`) and that are moved to an accelerator without
`non_blocking=True`.

## Why is this bad?
Pinned memory is what lets a copy run while the host goes on. Without `non_blocking=True` the host waits all the same,
not only for the copy but for all work that was queued before it. Nothing can be read too early: the accelerator does
what it is told in order.

## Example
```python
loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
for x, y in loader:
    x, y = x.to(device), y.to(device)
```

## Use instead
```python
loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
for x, y in loader:
    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
```

## References
- https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.costs import BatchMoved
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=BatchMoved,
    message="`{text}` waits for the copy to {place}, though the loader pins its batches ({loader})",
    fix="Pass `non_blocking=True`",
    in_tests=False,
)
def check(event: BatchMoved, facts: FileFacts) -> Iterator[Finding]:
    """Yield each blocking move of a pinned part of a batch."""
    loader = facts.costs.pinning.get(event.loader)
    found = lattice.on_accelerator(event.after, facts, event.world)
    if loader is None or found is None or not event.waits:
        return
    if lattice.on_host(event.before, facts, event.world):
        yield Finding(event.node, {"text": event.text, "place": str(found.device), "loader": loader}, event.loader)
