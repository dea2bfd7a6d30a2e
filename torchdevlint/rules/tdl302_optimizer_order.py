"""An optimizer was built before the module was moved.

## What it does
Finds moves of a module to an accelerator after an optimizer took its parameters, for optimizers that carry on.

## Why is this bad?
Today's PyTorch moves parameters in place, so most optimizers keep working; with Adagrad, on XLA, or with `to_empty` the
same order fails, and the documentation of `Module.cuda` asks for the move first.

## Example
```python
optimizer = torch.optim.Adam(model.parameters())
model.to(device)
optimizer.step()
```

## Use instead
```python
model.to(device)
optimizer = torch.optim.Adam(model.parameters())
```

## References
- https://docs.pytorch.org/docs/2.13/generated/torch.nn.Module.html#torch.nn.Module.cuda
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
    message="`{module}` moves to {after} after `{optimizer}` took its parameters ({built}): works for it in eager PyTorch, breaks with Adagrad, XLA or `to_empty`",
    fix="Move the module before building the optimizer",
    supersedes=(),
)
def check(event: Moved, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move after an optimizer that carries on."""
    yield from troubles(event, facts, Trouble.ORDER)
