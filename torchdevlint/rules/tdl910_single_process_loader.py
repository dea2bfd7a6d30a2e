"""Files are read between the steps, by the process that trains.

## What it does
Finds loaders of data sets that read a file for each sample, where nothing was said about `num_workers`, and whose
batches a loop gives to a module, in a file that uses an accelerator. Data that is in memory is best served by the
process itself.

## Why is this bad?
Without workers a batch is read when it is asked for, and the accelerator has nothing to do until it is there. Workers
read the next batches while a step is running.

## Example
```python
loader = DataLoader(ImageFolder("train", transform), batch_size=64, shuffle=True)
```

## Use instead
```python
loader = DataLoader(ImageFolder("train", transform), batch_size=64, shuffle=True, num_workers=4)
```

## References
- https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#enable-asynchronous-data-loading-and-augmentation
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.costs import LoaderBuilt
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=LoaderBuilt,
    message="`{text}` has no workers: each batch is read from files ({reads}) between two steps",
    fix="Pass `num_workers=`",
    in_tests=False,
)
def check(event: LoaderBuilt, facts: FileFacts) -> Iterator[Finding]:
    """Yield each loader without workers that reads files for a loop that calls a module."""
    loops = facts.costs.draws.get(event.key, set())
    if event.alone and event.reads is not None and facts.accelerated and not loops.isdisjoint(facts.costs.stepping):
        yield Finding(event.node, {"text": event.text, "reads": event.reads})
