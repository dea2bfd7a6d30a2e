"""A tensor is made on the host, only to be moved.

## What it does
Finds factories (`torch.zeros`, `torch.arange`, `torch.randn` and their like) whose result is moved to an accelerator in
the same expression. One that draws from a generator of the host's is left alone: elsewhere it would draw other numbers.

## Why is this bad?
The host fills memory that is thrown away, and a copy follows, for which the host waits. With `device=` the accelerator
fills its own memory.

## Example
```python
hidden = torch.zeros(layers, batch, size).to(device)
```

## Use instead
```python
hidden = torch.zeros(layers, batch, size, device=device)
```

## References
- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#create-tensors-directly-on-the-target-device
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.costs import MadeElsewhere
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=MadeElsewhere,
    message="`{text}` is made on the host, only to be moved to {place}",
    fix="Make it there, with `device=`",
    in_tests=False,
)
def check(event: MadeElsewhere, facts: FileFacts) -> Iterator[Finding]:
    """Yield each tensor that is moved to an accelerator as soon as it is made."""
    found = lattice.on_accelerator(event.after, facts, event.world)
    if found is not None:
        yield Finding(event.node, {"text": event.text, "place": str(found.device)}, about=(event.made,))
