"""What is pinned is on an accelerator.

## What it does
Finds `pin_memory()` of accelerator tensors, and loaders with `pin_memory=True` whose dataset or `collate_fn` moves what
it gives to an accelerator.

## Why is this bad?
Only host memory can be pinned. The call, or the iteration of the loader, raises `RuntimeError: cannot pin
'torch.cuda.FloatTensor' only dense CPU tensors can be pinned`.

## Example
```python
data = TensorDataset(features.to(device), labels.to(device))
loader = DataLoader(data, batch_size=32, pin_memory=True)
```

## Use instead
```python
data = TensorDataset(features, labels)
loader = DataLoader(data, batch_size=32, pin_memory=True)
```

## References
- https://docs.pytorch.org/docs/stable/data.html#memory-pinning
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.events import HostNeeded, Need
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import Symbol
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=HostNeeded,
    message="`{how}` pins what is on {place}: only host memory can be pinned",
    fix="Pin on the host, then move",
    supersedes=(),
)
def check(event: HostNeeded, facts: FileFacts) -> Iterator[Finding]:
    """Yield each call that pins what is on an accelerator; a test may tell where a device is that is only named."""
    found = lattice.on_accelerator(event.operand.placement, facts, event.world)
    if event.need is not Need.PINNING or found is None or found.why is None or facts.is_only_handed_in(found.why):
        return
    if not isinstance(found.device, Symbol) or (facts.holds_modules(found.device) and not event.world):
        yield Finding(event.node, {"how": event.how, "place": found})
