"""Every process of a group puts its module on the same device.

## What it does
Finds modules that are moved to `cuda` without an index, or to one index, after `init_process_group`, in a file that
runs several processes on one machine, tells them apart by their rank, and chooses no device for any of them: neither
by `torch.cuda.set_device` or `CUDA_VISIBLE_DEVICES`, nor by an index that cannot be followed.

## Why is this bad?
The current device of every process is `cuda:0`. NCCL refuses to work with one device for two ranks, a wrapper with
`device_ids=[rank]` sends its inputs elsewhere, and where neither is so, all processes share one device and the others
idle.

## Example
```python
def work(rank, world_size):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    model = DistributedDataParallel(Net().cuda())


mp.spawn(work, args=(4,), nprocs=4)
```

## Use instead
```python
def work(rank, world_size):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    model = DistributedDataParallel(Net().cuda(), device_ids=[rank])


mp.spawn(work, args=(4,), nprocs=4)
```

## References
- https://docs.pytorch.org/docs/stable/distributed.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.parallel import PlacedAlike
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=PlacedAlike,
    message="`{text}` goes to `{place}` in every process of the group ({joined}), the same device in all of them",
    fix="Choose a device by the rank: `torch.cuda.set_device(local_rank)`",
)
def check(event: PlacedAlike, facts: FileFacts) -> Iterator[Finding]:
    """Yield the first module of each group that goes where those of all other processes are."""
    told = facts.ranked and facts.neighbours and not facts.chosen
    if told and (not event.proof or event.proof in facts.modules):
        parts: dict[str, object] = {"joined": event.joined, "text": event.text, "place": event.place.device}
        yield Finding(event.node, parts, (event.joined, "alike"))
