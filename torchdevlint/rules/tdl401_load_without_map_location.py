"""A checkpoint is read without `map_location`.

## What it does
Finds `torch.load` and its kin without `map_location`, in a file that can use an accelerator, where the result reaches
a module, an optimizer, a move or the caller. Where a file needs CUDA anyway TDL501, TDL502 and TDL507 say so first.
What is read from a checkpoint that this very run wrote goes back to where it was; after training a script is taken to
read its own best one. Weights beside the code are taken to load everywhere, and a file of which a data set is made to
hold what was prepared on the host.

## Why is this bad?
Tensors go back to the device from which they were saved. On a machine without that device the load raises. On a
machine with several accelerators every process loads to the one that saved, and fills its memory.

## Example
```python
model.load_state_dict(torch.load("model.pt"))
model.to(device)
```

## Use instead
```python
model.load_state_dict(torch.load("model.pt", map_location=device))
model.to(device)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.load.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Loaded
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=Loaded,
    message="`{text}` without `map_location` loads to the device the file was saved from",
    fix="Add `map_location=`",
    supersedes=(),
    severity=Severity.WARNING,
    in_tests=False,
)
def check(event: Loaded, facts: FileFacts) -> Iterator[Finding]:
    """Yield each load that goes back to where the file was saved."""
    if event.safe or not facts.accelerated or not facts.keeps(event.key):
        return
    if not event.distributed and not facts.loads_anywhere(event.scope, event.world):
        return
    if (facts.saves and all(facts.saves)) or facts.is_cache(event.files) or event.node in facts.shipped:
        return  # whatever this script writes comes from the host, or this file does
    if event.key in facts.data_loads or (event.key in facts.sent_on and not event.distributed):
        return  # it is no checkpoint, or the next call fails anyway
    yield Finding(event.node, {"text": event.text})
