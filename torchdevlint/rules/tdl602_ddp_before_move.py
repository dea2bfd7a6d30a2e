"""A module is wrapped for distributed training while it is on the host.

## What it does
Finds `DistributedDataParallel(model, device_ids=[…])` around a module that was not moved before.

## Why is this bad?
The wrapper compares the devices with where the parameters are, and raises `ValueError: DistributedDataParallel
device_ids and output_device arguments only work with single-device/multiple-device GPU modules or CPU modules`.

## Example
```python
model = DistributedDataParallel(Net(), device_ids=[rank])
model.to(rank)
```

## Use instead
```python
model = Net().to(rank)
model = DistributedDataParallel(model, device_ids=[rank])
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.facts import FileFacts
from torchdevlint.parallel import Replicated
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Replicated,
    message="`{text}` with `device_ids` gets `{kind}`, which is on {place}",
    fix="Move the module before wrapping it",
)
def check(event: Replicated, facts: FileFacts) -> Iterator[Finding]:
    """Yield each wrapper that asks at once and gets a module that is not there."""
    clash = lattice.clash(event.state, event.home, facts, event.world)
    if event.wrapped is None and clash is not None and lattice.is_host(clash.left.device):
        parts: dict[str, object] = {"text": event.text, "kind": event.kind, "place": clash.left}
        yield Finding(event.node, parts)
