"""A parameter or leaf is moved, and its copy is used in its place.

## What it does
Finds `nn.Parameter(…).to(device)` that is assigned to a module or given to an optimizer, and tensors with
`requires_grad=True` that are moved before an optimizer gets them.

## Why is this bad?
The result of the move is an ordinary tensor, computed from the leaf. A module does not register it, so that it is
missing in `parameters()` and never trained; an optimizer raises `ValueError: can't optimize a non-leaf Tensor`. Where
the move changes nothing, as on a machine without the accelerator, it is the leaf itself and all is well.

## Example
```python
image = torch.randn(1, 3, 64, 64, requires_grad=True).to(device)
optimizer = torch.optim.Adam([image])
```

## Use instead
```python
image = torch.randn(1, 3, 64, 64, device=device, requires_grad=True)
optimizer = torch.optim.Adam([image])
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.events import LeafMoved
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=LeafMoved,
    message="result of `{text}` on {place} is a copy and no {kind}: {use} ({used})",
    fix="Make it on the device, or move before asking for a gradient",
)
def check(event: LeafMoved, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move to another device of a leaf whose copy stands for it."""
    clash = lattice.clash(event.before, event.after, facts, event.world)
    if clash is not None:
        parts: dict[str, object] = {
            "text": event.text,
            "place": str(clash.right.device),
            "kind": event.kind,
            "use": event.use,
            "used": event.used,
        }
        yield Finding(event.node, parts, about=(event.used,))
