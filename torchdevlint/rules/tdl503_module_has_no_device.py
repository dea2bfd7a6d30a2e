"""The device is read from a module that has none.

## What it does
Finds `model.device` where the model is built in this file from classes that define no `device`, or is wrapped in
`DataParallel`. A file that binds the attribute anywhere, on this class or on an object it cannot tell, is left alone.

## Why is this bad?
An `nn.Module` has no `device`, since its parameters may be on several. The line raises `AttributeError: 'Net' object
has no attribute 'device'`, and so does the wrapper of a model that has one.

## Example
```python
model = nn.Linear(8, 2).to(device)
output = model(x.to(model.device))
```

## Use instead
```python
model = nn.Linear(8, 2).to(device)
output = model(x.to(next(model.parameters()).device))
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
- https://github.com/pytorch/pytorch/issues/7460
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import AttributeMissed
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=AttributeMissed,
    message="`{text}` is a `{kind}`, a module that has no attribute `{name}`",
    fix="Ask a parameter: `next(model.parameters()).device`",
)
def check(event: AttributeMissed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each read of a device that its module does not have."""
    if not facts.may_bind(event.owners, event.name):
        parts: dict[str, object] = {"text": event.text, "kind": event.kind, "name": event.name}
        yield Finding(event.node, parts, (event.key, event.name))
