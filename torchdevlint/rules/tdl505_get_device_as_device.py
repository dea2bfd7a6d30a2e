"""The number of a tensor's device is used as a device.

## What it does
Finds `x.get_device()` where a device is expected (`device=x.get_device()`, `.to(x.get_device())`), for a tensor that
may be on the CPU and with no test before.

## Why is this bad?
On the CPU the number is -1, and the line raises `RuntimeError: Device index must not be negative`.

## Example
```python
mask = torch.ones(x.shape[1], device=x.get_device())
```

## Use instead
```python
mask = torch.ones(x.shape[1], device=x.device)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.get_device.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.events import NumberAsDevice
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=NumberAsDevice,
    message="`{text}` is used as a device: it is -1 on the CPU",
    fix="Use `.device`",
)
def check(event: NumberAsDevice, facts: FileFacts) -> Iterator[Finding]:
    """Yield each number of a device that may be none."""
    if not any(lattice.is_accelerator(p.device) for p in lattice.expanded(event.placement, facts, event.world)):
        yield Finding(event.node, {"text": event.text})
