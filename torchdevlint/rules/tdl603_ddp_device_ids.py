"""The devices that a wrapper for one process is told are not those of its module.

## What it does
Finds `DistributedDataParallel` with `device_ids` of several devices, or of another device than that on which the module
or a part of it is. A module on the CPU is TDL602's.

## Why is this bad?
Several devices raise `ValueError: device_ids can only be None or contain a single element`. To another device the
wrapper sends the inputs, where the first layer raises that not all tensors are on the same device. For a module over
several devices `device_ids` has to be left out.

## Example
```python
model = DistributedDataParallel(Net().to("cuda:1"), device_ids=[0])
```

## Use instead
```python
model = DistributedDataParallel(Net().to("cuda:1"), device_ids=[1])
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
    message="`{text}` gets `device_ids` of {ids}, but {what} {place}",
    fix="Name the device of the module, or none",
)
def check(event: Replicated, facts: FileFacts) -> Iterator[Finding]:
    """Yield each wrapper that is told too many devices, or another than that of a part of its module."""
    if event.wrapped is not None:
        return
    parts: dict[str, object] = {"text": event.text}
    clash = lattice.clash(event.state, event.home, facts, event.world)
    if event.devices > 1:
        yield Finding(event.node, parts | {"ids": f"{event.devices} devices", "what": "a process has", "place": "one"})
    elif clash is not None and all(lattice.is_accelerator(side.device) for side in (clash.left, clash.right)):
        more = {"ids": clash.right.device, "what": f"`{event.kind}` is on", "place": clash.left}
        yield Finding(event.node, parts | more)
