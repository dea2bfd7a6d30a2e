"""A loader with workers does not pin the batches that go to an accelerator.

## What it does
Finds loaders with `num_workers` above zero and nothing said about `pin_memory`, whose batches are moved to an
accelerator. Without workers nobody could pin a batch in the meantime, and such loaders are left alone.

## Why is this bad?
Out of ordinary memory a batch is copied twice, by the host first, which waits for it. A loader with workers can pin its
batches in a thread of its own, while the step before is running; the copy is faster then and can be left to itself.

## Example
```python
loader = DataLoader(data, batch_size=64, num_workers=4)
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
- https://docs.pytorch.org/docs/stable/data.html#memory-pinning
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.costs import LoaderBuilt
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=LoaderBuilt,
    message="`{text}` has workers and does not pin its batches, which are copied to {place} ({move})",
    fix="Pass `pin_memory=True`",
    in_tests=False,
)
def check(event: LoaderBuilt, facts: FileFacts) -> Iterator[Finding]:
    """Yield each loader that could pin what is moved to an accelerator."""
    if event.pins is not False or not event.workers:
        return
    for move in facts.costs.moves.get(event.key, ()):
        found = lattice.on_accelerator(move.after, facts, move.world)
        if found is not None and lattice.on_host(move.before, facts, move.world):
            yield Finding(event.node, {"text": event.text, "place": str(found.device), "move": move.node})
            return
