"""An optimizer's state was loaded before the module was moved.

## What it does
Finds moves of a module after `optimizer.load_state_dict`, where the optimizer is stepped later. The finding stands at
the move.

## Why is this bad?
The state is cast to the device that the parameters have when it is loaded. After the move it is left behind, and
`step()` raises `RuntimeError: Expected all tensors to be on the same device`.

## Example
```python
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(checkpoint["optimizer"])
model.to(device)
```

## Use instead
```python
model.to(device)
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(checkpoint["optimizer"])
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.load_state_dict.html
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
    message="`{module}` moves to {after} after state was loaded into `{optimizer}` ({loaded})",
    fix="Move the module before loading the state",
    supersedes=("TDL302",),
)
def check(event: Moved, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move after a load of state."""
    yield from troubles(event, facts, Trouble.LOADED)
