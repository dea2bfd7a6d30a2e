"""A checkpoint is read to a literal accelerator.

## What it does
Finds `map_location="cuda"`, `"cuda:0"` and the like, and functions that send every storage to an accelerator
(`lambda storage, location: storage.cuda(0)`), that no guard, fallback or argument precedes.

## Why is this bad?
On a machine without that accelerator the load raises. Where several processes run, each loads to the same device and
fills its memory.

## Example
```python
state = torch.load("model.pt", map_location="cuda:0")
```

## Use instead
```python
state = torch.load("model.pt", map_location=device)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.load.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.incidents import LoadPinned
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=LoadPinned,
    message="`{text}` loads to {device} whatever there is: this fails where there is no such device",
    fix="Use the script's device variable",
    in_tests=False,
    severity=Severity.WARNING,
)
def check(event: LoadPinned, facts: FileFacts) -> Iterator[Finding]:
    """Yield each load to a literal accelerator that nothing guards."""
    if not event.guarded and not facts.reconfigured:
        yield Finding(event.node, {"text": event.text, "device": event.device}, ("pinned", event.device))
