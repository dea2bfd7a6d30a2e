"""A clock is read before the accelerator is done.

## What it does
Finds differences of two readings of a clock (`time.time()`, `time.perf_counter()`), between which a module was called
or something computed on an accelerator, where nothing has waited for that when the clock is read the second time.
Training steps, and loops over batches as a whole, are left alone.

## Why is this bad?
A call returns as soon as its work is queued. What is measured is how long that takes, and not the work.

## Example
```python
start = time.perf_counter()
scores = model(x)
print(time.perf_counter() - start)
```

## Use instead
```python
torch.accelerator.synchronize()
start = time.perf_counter()
scores = model(x)
torch.accelerator.synchronize()
print(time.perf_counter() - start)
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.costs import Timed
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Timed,
    message="the clock is read before {place} is done with `{text}` ({launch}): nothing has waited for it",
    fix="Synchronize before the clock is read",
    in_tests=False,
)
def check(event: Timed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each time that ends before the accelerator does."""
    if event.loop in facts.training_loops:
        return
    found = lattice.on_accelerator(event.place, facts, event.world)
    if found is not None:
        yield Finding(event.node, {"text": event.text, "launch": event.launch, "place": str(found.device)})
