"""A backward pass runs on the losses of several replicas at once.

## What it does
Finds a `DataParallel` around a module whose `forward` returns a scalar, and `.backward()` on what the wrapper gives.
Where the script makes one number of it somewhere (`loss.mean()`), nothing is said.

## Why is this bad?
The wrapper gathers the scalars of the replicas into a vector. With two GPUs or more, `.backward()` raises
`RuntimeError: grad can be implicitly created only for scalar outputs`. With one GPU nothing is seen of it.

## Example
```python
class WithLoss(nn.Module):
    def forward(self, x, y):
        return F.cross_entropy(self.net(x), y)


model = nn.DataParallel(WithLoss().to(device))
loss = model(x, y)
loss.backward()
```

## Use instead
```python
class WithLoss(nn.Module):
    def forward(self, x, y):
        return F.cross_entropy(self.net(x), y)


model = nn.DataParallel(WithLoss().to(device))
loss = model(x, y).mean()
loss.backward()
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
- https://discuss.pytorch.org/t/dataparallel-imbalanced-memory-usage/22551
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.parallel import BackwardOfMany
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=BackwardOfMany,
    message="`{text}` holds a scalar of every replica of `{wrapper}` ({gathered}): with two GPUs it is no scalar",
    fix="Make one number of it: `loss.mean()`",
)
def check(event: BackwardOfMany, facts: FileFacts) -> Iterator[Finding]:
    """Yield each backward pass on a vector of losses of which nothing makes one number."""
    if event.gathered not in facts.reduced:
        parts: dict[str, object] = {"text": event.text, "wrapper": event.wrapper, "gathered": event.gathered}
        yield Finding(event.node, parts, (event.gathered, "gathered"))
