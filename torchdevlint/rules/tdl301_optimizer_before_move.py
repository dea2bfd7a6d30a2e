"""An optimizer was built before a move that breaks it.

## What it does
Finds moves of a module whose parameters an optimizer holds already, where this really fails: the optimizer made its
state in the constructor (Adagrad), it was stepped before, or the move replaces the parameters (`to_empty`).

## Why is this bad?
The state of the optimizer stays on the old device, and `step()` raises. Where the parameters are replaced, the
optimizer holds the old ones and the new ones are never trained.

## Example
```python
optimizer = torch.optim.Adagrad(model.parameters())
model.to(device)
loss = criterion(model(x.to(device)), y.to(device))
loss.backward()
optimizer.step()
```

## Use instead
```python
model.to(device)
optimizer = torch.optim.Adagrad(model.parameters())
loss = criterion(model(x.to(device)), y.to(device))
loss.backward()
optimizer.step()
```

## References
- https://github.com/pytorch/pytorch/issues/7321
- https://github.com/pytorch/pytorch/issues/53692
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Moved
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule
from torchdevlint.rules.order import Trouble, troubles


@rule(
    __name__,
    on=Moved,
    message="`{module}` moves to {after} after `{optimizer}` took its parameters ({built}): {reason}",
    fix="Move the module before building the optimizer",
    supersedes=("TDL302", "TDL303"),
)
def check(event: Moved, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move that breaks an optimizer."""
    yield from troubles(event, facts, Trouble.BREAKS)
