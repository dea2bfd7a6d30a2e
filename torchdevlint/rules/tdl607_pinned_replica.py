"""A replica meets a tensor that is on the same device in all replicas.

## What it does
Finds what is pinned to one accelerator in the `forward` of a module in `DataParallel` and meets there the parts or
inputs of the module: a tensor sent to `"cuda:0"`, and a plain tensor attribute, which replicas share. `.cuda()` and
`"cuda"` are fine: they mean the device of the replica.

## Why is this bad?
With two GPUs or more, the second replica raises `RuntimeError: Caught RuntimeError in replica 1 on device 1`, because
its parameters and inputs are on `cuda:1`. With one GPU nothing is seen of it.

## Example
```python
def forward(self, x):
    noise = torch.randn(x.shape, device="cuda:0")
    return self.head(x + noise)
```

## Use instead
```python
def forward(self, x):
    noise = torch.randn(x.shape, device=x.device)
    return self.head(x + noise)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
- https://github.com/pytorch/pytorch/issues/8637
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import ReplicaMet
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import is_accelerator
from torchdevlint.meetings import meetings, origin
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=ReplicaMet,
    message="`{odd}` is on {place} in every replica of `{text}` ({called}), but `{other}` is where the replica is",
    fix="Use the device of an input, or register a buffer",
)
def check(event: ReplicaMet, facts: FileFacts) -> Iterator[Finding]:
    """Yield each side of a meeting that is on an accelerator, and not on that of the replica."""
    for meeting in meetings(event.met, facts):
        odd, other = meeting.odd, meeting.other
        if odd.possibility.device == event.device:
            odd, other = other, odd
        if other.possibility.device == event.device and is_accelerator(odd.possibility.device):
            parts: dict[str, object] = {"odd": odd.text, "place": odd.possibility, "text": event.text}
            parts |= {"called": event.node, "other": other.text}
            why = odd.possibility.why
            yield Finding(event.met.node, parts, origin(odd.text, why, event.met.node), why)
