"""An optimizer was built before the module was moved.

## What it does
Finds moves of a module to an accelerator after an optimizer took its parameters, for the optimizers that carry on.
Where the order really breaks the training, TDL301 speaks.

## Why is this bad?
Most optimizers keep working in today's PyTorch, because a module that moves keeps its parameter objects. The same
lines fail with Adagrad, on XLA and with `to_empty`, and the documentation of `Module.cuda` asks for the move first.

## Example
```python
optimizer = torch.optim.Adam(model.parameters())
model.to(device)
loss = criterion(model(x.to(device)), y.to(device))
loss.backward()
optimizer.step()
```

## Use instead
```python
model.to(device)
optimizer = torch.optim.Adam(model.parameters())
loss = criterion(model(x.to(device)), y.to(device))
loss.backward()
optimizer.step()
```

## References
- https://docs.pytorch.org/docs/2.13/generated/torch.nn.Module.html#torch.nn.Module.cuda
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Moved
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, Severity, rule
from torchdevlint.rules.order import Trouble, troubles


@rule(
    __name__,
    on=Moved,
    message="`{module}` moves to {after} after `{optimizer}` took its parameters ({built}): "
    "this order fails with {fails}",
    fix="Move the module before building the optimizer",
    supersedes=(),
    severity=Severity.WARNING,
)
def check(event: Moved, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move after an optimizer that carries on."""
    yield from troubles(event, facts, Trouble.ORDER)
