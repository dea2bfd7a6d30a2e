"""A module is asked for its device while it is built, and the answer is kept.

## What it does
Finds `self.device` in the `__init__` of a Lightning module, a metric or a model of Transformers, where it is kept as an
attribute, or where a plain tensor attribute is made. Buffers, parameters and layers made there move later, and are
fine; so is an attribute that another method binds.

## Why is this bad?
The device is that of the host until the framework moves the module, and what is kept stays: in `training_step`, where
`self.device` is the accelerator, tensors made on the kept one do not meet the others.

## Example
```python
class Model(LightningModule):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 2)
        self.place = self.device

    def training_step(self, batch, index):
        noise = torch.randn(8, device=self.place)
        return self.head(batch + noise).mean()
```

## Use instead
```python
class Model(LightningModule):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 2)

    def training_step(self, batch, index):
        noise = torch.randn(8, device=self.device)
        return self.head(batch + noise).mean()
```

## References
- https://lightning.ai/docs/pytorch/stable/accelerators/accelerator_prepare.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.parallel import DeviceKept
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=DeviceKept,
    message="`{text}` tells where the module is built, not where it will run, and `{kept}` {how}",
    fix="Ask where it is used, or register a buffer",
)
def check(event: DeviceKept, facts: FileFacts) -> Iterator[Finding]:
    """Yield each device that is kept before its module is moved."""
    yield Finding(event.node, {"text": event.text, "kept": event.kept, "how": event.what})
