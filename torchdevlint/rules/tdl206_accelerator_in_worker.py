"""A worker of a data loader uses the accelerator.

## What it does
Finds moves to an accelerator in `__getitem__`, `collate_fn` or a transform of a `DataLoader` with `num_workers` above
zero, where its workers are forked: on Linux this is the default before Python 3.14. Spawned workers are left alone.

## Why is this bad?
Once the main process has used CUDA, a forked worker raises `RuntimeError: Cannot re-initialize CUDA in forked
subprocess`. Before that, each worker makes a context of its own and fills the memory of the device.

## Example
```python
class Pictures(Dataset):
    def __getitem__(self, index):
        return self.pictures[index].to(device), self.labels[index]


loader = DataLoader(Pictures(), batch_size=32, num_workers=4)
```

## Use instead
```python
class Pictures(Dataset):
    def __getitem__(self, index):
        return self.pictures[index], self.labels[index]


loader = DataLoader(Pictures(), batch_size=32, num_workers=4, pin_memory=True)
for x, y in loader:
    x = x.to(device, non_blocking=True)
```

## References
- https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#poison-fork-note
- https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.events import PlacedInWorker
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=PlacedInWorker,
    severity=Severity.WARNING,
    message="`{text}` uses {place} in a worker of the loader of {loader}: forked workers cannot once this process has",
    fix="Move the batch in the training loop",
)
def check(event: PlacedInWorker, facts: FileFacts) -> Iterator[Finding]:
    """Yield each placement on an accelerator in a worker."""
    found = lattice.on_accelerator(event.after, facts, event.world)
    if found is not None:
        parts: dict[str, object] = {"text": event.text, "place": str(found.device), "loader": event.loader}
        yield Finding(event.node, parts, (event.loader, "worker"))
