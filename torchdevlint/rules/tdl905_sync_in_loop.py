"""Every step waits for the accelerator to add a number up.

## What it does
Finds `.item()`, `float(…)` and `.cpu()` of accelerator tensors that a loop over batches does at every step only to add
the number to a total or list, where nothing else in the loop waits for the accelerator. A number that is read once in a
while, as under `if step % 100 == 0`, is fine.

## Why is this bad?
The accelerator runs behind the host, which queues work ahead of it. To read a number the host has to wait until the
queue is empty, and the accelerator then has nothing to do until the next batch is there.

## Example
```python
total = 0.0
for x, y in loader:
    loss = criterion(model(x.to(device, non_blocking=True)), y.to(device, non_blocking=True))
    total += loss.item()
```

## Use instead
```python
total = torch.zeros((), device=device)
for x, y in loader:
    loss = criterion(model(x.to(device, non_blocking=True)), y.to(device, non_blocking=True))
    total += loss.detach()
total = total.item()
```

## References
- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#avoid-unnecessary-cpu-gpu-synchronization
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.costs import Counted
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Counted,
    message="`{text}` waits for {place} at every step, only to be added to `{total}`",
    fix="Add the tensor up, detached, and read the total after the loop",
    in_tests=False,
)
def check(event: Counted, facts: FileFacts) -> Iterator[Finding]:
    """Yield each read that is only added up, in loops that wait for nothing else."""
    if event.loop not in facts.costs.stepping or facts.costs.waits_for_more(event.loop):
        return
    found = lattice.on_accelerator(event.before, facts, event.world)
    if found is not None:
        yield Finding(event.node, {"text": event.text, "place": found, "total": event.total}, event.loop)
