"""Every process of a distributed training gets the whole dataset.

## What it does
Finds loaders without a sampler over a whole dataset that feed a training with `DistributedDataParallel`. Where
something that is the process's own (its rank, a variable of the environment) may reach the dataset, the loader, the
batches or the seed, nothing is said.

## Why is this bad?
Nothing fails. Each process goes through all of the data, so that an epoch is as many epochs as there are processes,
and takes as long as with one; without shuffling, all of them compute the same gradients.

## Example
```python
loader = DataLoader(dataset, batch_size=32, shuffle=True)
```

## Use instead
```python
loader = DataLoader(dataset, batch_size=32, sampler=DistributedSampler(dataset))
```

## References
- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
- https://docs.pytorch.org/tutorials/intermediate/ddp_tutorial.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.parallel import Fed
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=Fed,
    message="`{text}` gives each process of a distributed training ({wrapped}) all of the dataset: no rank reaches it",
    fix="Give the loader a `DistributedSampler`",
    severity=Severity.WARNING,
)
def check(event: Fed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each loader that a loop trains on and that nothing divides."""
    if event.loop in facts.training_loops and event.node not in facts.divided:
        yield Finding(event.node, {"text": event.text, "wrapped": event.wrapped})
