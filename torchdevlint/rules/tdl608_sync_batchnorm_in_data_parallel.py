"""Batch normalisation that synchronises between processes runs in one process.

## What it does
Finds a module converted by `SyncBatchNorm.convert_sync_batchnorm` that is given to `DataParallel`, and one that a
script calls itself without having joined a process group by anything that can be seen.

## Why is this bad?
Nothing fails. `SyncBatchNorm` exchanges its statistics between the processes of a group. In the threads of
`DataParallel`, and without a group, each replica uses those of its own part of the batch, as it did before.

## Example
```python
model = nn.SyncBatchNorm.convert_sync_batchnorm(Net())
model = nn.DataParallel(model.to(device))
```

## Use instead
```python
model = nn.SyncBatchNorm.convert_sync_batchnorm(Net())
model = DistributedDataParallel(model.to(rank), device_ids=[rank])
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.parallel import Unsynchronised
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=Unsynchronised,
    message="`{text}` runs layers converted to synchronise ({converted}) {how}, where they do not",
    fix="Use `DistributedDataParallel`",
    severity=Severity.WARNING,
)
def check(event: Unsynchronised, facts: FileFacts) -> Iterator[Finding]:
    """Yield each module that was converted for nothing."""
    how = "in the threads of one process" if event.replicas else "without a process group"
    parts: dict[str, object] = {"text": event.text, "converted": event.converted, "how": how}
    yield Finding(event.node, parts, (event.converted, "synchronise"))
