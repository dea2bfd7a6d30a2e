"""Each sample is copied to the accelerator by itself.

## What it does
Finds moves to an accelerator in the `__getitem__` of a dataset whose loader makes batches of several samples, in the
process that trains.

## Why is this bad?
A copy of a few bytes takes as long to start as one of a whole batch, so that a batch of 64 costs 64 times as much; and
then the samples are put together on the accelerator, by one more operation.

## Example
```python
class Points(Dataset):
    def __getitem__(self, index):
        return self.points[index].to(device)


for x in DataLoader(Points(), batch_size=64):
    model(x)
```

## Use instead
```python
class Points(Dataset):
    def __getitem__(self, index):
        return self.points[index]


for x in DataLoader(Points(), batch_size=64):
    model(x.to(device))
```

## References
- https://docs.pytorch.org/docs/stable/data.html#memory-pinning
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.costs import SampleMoved
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=SampleMoved,
    message="`{text}` copies one sample at a time to {place}, for the batches of the loader of {loader}",
    fix="Move the batch in the training loop",
    in_tests=False,
)
def check(event: SampleMoved, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move of a part of a sample from the host to an accelerator."""
    found = lattice.on_accelerator(event.after, facts, event.world)
    if found is not None and lattice.on_host(event.before, facts, event.world):
        parts: dict[str, object] = {"text": event.text, "place": str(found.device), "loader": event.loader}
        yield Finding(event.node, parts, event.loader)
