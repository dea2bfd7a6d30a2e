"""A replicated module is not on the first of its devices.

## What it does
Finds calls of a `DataParallel` with several devices, or with all that there are, whose module is on the CPU or on
another device than the first.

## Why is this bad?
With two or more GPUs the call raises `RuntimeError: module must have its parameters and buffers on device cuda:0
(device_ids[0]) but found one of them on device: cpu`. With one GPU the wrapper moves the module itself, so that this
is not seen there.

## Example
```python
model = nn.DataParallel(Net())
output = model(x)
```

## Use instead
```python
model = nn.DataParallel(Net().to(device))
output = model(x)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
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
    message="`{text}` replicates a module on {place}, but with two GPUs or more it has to be on {home} ({wrapped})",
    fix="Move the module to the first device",
)
def check(event: Replicated, facts: FileFacts) -> Iterator[Finding]:
    """Yield each call of a wrapper whose module is somewhere else."""
    clash = lattice.clash(event.state, event.home, facts, event.world)
    if event.wrapped is not None and clash is not None and _is_possible(clash):
        home = str(clash.right.device)
        parts: dict[str, object] = {"text": event.text, "place": clash.left, "home": home, "wrapped": event.wrapped}
        yield Finding(event.node, parts, (event.wrapped, "replicas"))


def _is_possible(clash: lattice.Clash) -> bool:
    """Tell whether a module can be where it is on a machine with several devices of the wrapper's type."""
    here, home = clash.left.device, clash.right.device
    return lattice.is_host(here) or (
        isinstance(here, lattice.Concrete) and isinstance(home, lattice.Concrete) and here.type == home.type
    )
