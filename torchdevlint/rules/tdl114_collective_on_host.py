"""A tensor on the CPU is given to a collective of an NCCL process group.

## What it does
Finds `all_reduce`, `broadcast`, `all_gather` and the like on tensors of the CPU, in a file that makes its process group
with NCCL and no other.

## Why is this bad?
NCCL moves tensors between GPUs only. The call raises `RuntimeError: No backend type associated with device type cpu`.

## Example
```python
dist.init_process_group("nccl")
total = torch.tensor(loss.item())
dist.all_reduce(total)
```

## Use instead
```python
dist.init_process_group("nccl")
total = torch.tensor(loss.item(), device=loss.device)
dist.all_reduce(total)
```

## References
- https://docs.pytorch.org/docs/stable/distributed.html#backends
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.facts import FileFacts
from torchdevlint.incidents import Collected
from torchdevlint.lattice import ACCELERATOR, Concrete
from torchdevlint.meetings import origin
from torchdevlint.rule import Finding, rule

_THERE = lattice.on(Concrete(ACCELERATOR))


@rule(
    __name__,
    on=Collected,
    message="`{text}` gets `{given}` on {place}, but NCCL, which the process group uses, moves accelerator tensors",
    fix="Make or move the tensor to the device of the process",
)
def check(event: Collected, facts: FileFacts) -> Iterator[Finding]:
    """Yield each host tensor that the only process group there is cannot move."""
    clash = lattice.clash(event.placement, _THERE, facts, event.world)
    if facts.groups == {True} and clash is not None and lattice.is_host(clash.left.device):
        parts: dict[str, object] = {"text": event.text, "given": event.tensor, "place": clash.left}
        yield Finding(event.node, parts, origin(event.tensor, clash.left.why, event.node))
