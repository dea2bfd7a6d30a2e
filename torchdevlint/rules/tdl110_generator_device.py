"""A generator of random numbers is not where the numbers are drawn.

## What it does
Finds random tensors, splits and shuffled loaders that draw on another type of device than that of their generator. A
loader draws on the default device whenever it is iterated, by a generator of the host's if it is given none.

## Why is this bad?
The call, or the iteration of the loader, raises `RuntimeError: Expected a 'cpu' device type for generator but found
'cuda'`.

## Example
```python
generator = torch.Generator(device=device).manual_seed(0)
noise = torch.randn(4, 8, generator=generator).to(device)
```

## Use instead
```python
generator = torch.Generator(device=device).manual_seed(0)
noise = torch.randn(4, 8, generator=generator, device=device)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
- https://github.com/pytorch/pytorch/issues/44714
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.events import Drawn
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Drawn,
    message="`{text}` draws on {place} from a generator on {source}",
    fix="Build the generator for the device where it draws",
    supersedes=(),
)
def check(event: Drawn, facts: FileFacts) -> Iterator[Finding]:
    """Yield each call that draws elsewhere than where its generator is; of which index a device is does not count."""
    place, source = lattice.without_index(event.place), lattice.without_index(event.generator)
    clash = lattice.clash(place, source, facts, event.world)
    if clash is not None:
        parts: dict[str, object] = {"text": event.text, "place": clash.left, "source": clash.right}
        yield Finding(event.node, parts, event.node)
