"""A device is compared with what it never equals.

## What it does
Finds a `torch.device` that is compared with a text, and the device of a tensor with a `torch.device("cuda")`; but not
a comparison with `"cpu"` that decides about moves alone.

## Why is this bad?
The comparison has one outcome whatever the device: an object never equals a text, and a tensor on a GPU is on `cuda:0`
or another with an index. The code behind the test always runs, or never.

## Example
```python
if x.device == "cuda":
    torch.cuda.synchronize()
```

## Use instead
```python
if x.device.type == "cuda":
    torch.cuda.synchronize()
```

## References
- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.incidents import DeviceCompared
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=DeviceCompared,
    message="`{text}` never equals `{other}`: {why}",
    fix="Compare `.type`",
)
def check(event: DeviceCompared, facts: FileFacts) -> Iterator[Finding]:
    """Yield each comparison of a device that has one outcome."""
    if event.proof == 0 or event.proof in facts.tensors:
        yield Finding(event.node, {"text": event.text, "other": event.other, "why": event.why}, about=event.sides)
