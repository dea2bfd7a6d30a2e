"""An index is copied to the accelerator at every use.

## What it does
Finds tensors on an accelerator that are indexed by a tensor on the host, in a loop or in a method of a module.

## Why is this bad?
PyTorch allows it, and copies the index each time, for which the host waits.

## Example
```python
order = torch.randperm(len(x))
for start in range(0, len(x), 64):
    batch = x[order[start : start + 64]]
```

## Use instead
```python
order = torch.randperm(len(x), device=x.device)
for start in range(0, len(x), 64):
    batch = x[order[start : start + 64]]
```

## References
- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#avoid-unnecessary-cpu-gpu-synchronization
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.costs import IndexCopied
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=IndexCopied,
    message="`{index}` is on the host and is copied to {place}, where `{text}` is, at every use",
    fix="Make the index there",
    in_tests=False,
)
def check(event: IndexCopied, facts: FileFacts) -> Iterator[Finding]:
    """Yield each index on the host into a tensor on an accelerator."""
    if any(proof and proof not in facts.tensors for proof in event.proofs):
        return
    found = lattice.on_accelerator(event.place, facts, event.world)
    if found is not None and lattice.on_host(event.before, facts, event.world):
        yield Finding(event.node, {"index": event.index, "place": str(found.device), "text": event.text})
