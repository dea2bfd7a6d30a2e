"""A copy to the host is read before it has arrived.

## What it does
Finds `.to("cpu", non_blocking=True)` of accelerator tensors whose result is computed with, printed or read as an array
while nothing since the copy can have waited for the accelerator.

## Why is this bad?
The call returns before the copy is done. What is read then is whatever was in the memory, and no error is raised.

## Example
```python
predictions = logits.argmax(dim=1).to("cpu", non_blocking=True)
correct += (predictions == labels).sum().item()
```

## Use instead
```python
predictions = logits.argmax(dim=1).to("cpu")
correct += (predictions == labels).sum().item()
```

## References
- https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.events import ReadEarly
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import Symbol
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=ReadEarly,
    message="nothing waits for this copy from {place} before it is read ({read})",
    fix="Drop `non_blocking`, or synchronize",
    supersedes=(),
)
def check(event: ReadEarly, facts: FileFacts) -> Iterator[Finding]:
    """Yield each copy off an accelerator that is read before anything waits for it."""
    found = lattice.on_accelerator(event.before, facts, event.world)
    if found is not None and (not isinstance(found.device, Symbol) or facts.holds_modules(found.device)):
        yield Finding(event.node, {"place": found, "read": event.at})
