"""An accelerator tensor is read through host memory.

## What it does
Finds `.numpy()`, NumPy functions and plotting calls on a tensor that this file moved to an accelerator or made there.

## Why is this bad?
NumPy and what is built on it read host memory only. PyTorch raises `TypeError: can't convert cuda:0 device type tensor
to numpy`.

## Example
```python
scores = model(x.to(device)).detach().numpy()
```

## Use instead
```python
scores = model(x.to(device)).detach().cpu().numpy()
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.events import HostRead
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import Symbol, SymbolKind
from torchdevlint.meetings import origin
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=HostRead,
    message="`{how}` reads {operand}, which is on {place}",
    fix="Copy the tensor to the host first",
    supersedes=(),
)
def check(event: HostRead, facts: FileFacts) -> Iterator[Finding]:
    """Yield each host read of a tensor that is on an accelerator under some condition."""
    operand = event.operand
    found = lattice.on_accelerator(operand.placement, facts, event.world)
    if found is None or found.why is None:
        return
    if isinstance(found.device, Symbol) and not facts.holds_modules(found.device):
        return
    if isinstance(found.device, Symbol) and found.device.kind is SymbolKind.OWNER and not facts.minds_devices:
        return  # whatever runs on the host only may read its own outputs there
    key = origin(operand.text, found.why, event.node)
    parts: dict[str, object] = {"how": event.how, "operand": f"`{operand.text}`", "place": found}
    parts["graph"] = "its graph" if event.graph else ""
    about = () if operand.part else (operand.node,)
    yield Finding(event.node, parts, key, about=about, subject=operand.text)  # each tensor that is read is one to copy
