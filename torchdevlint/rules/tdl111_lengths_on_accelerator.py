"""The lengths of a packed sequence are on an accelerator.

## What it does
Finds `pack_padded_sequence` with lengths that are on an accelerator: moved there with the batch, or computed from a
tensor that is there.

## Why is this bad?
The lengths are read on the host. The call raises `RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor`.

## Example
```python
tokens, lengths = tokens.to(device), lengths.to(device)
packed = pack_padded_sequence(embedding(tokens), lengths, batch_first=True)
```

## Use instead
```python
tokens = tokens.to(device)
packed = pack_padded_sequence(embedding(tokens), lengths, batch_first=True)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.events import HostNeeded, Need
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import Symbol
from torchdevlint.meetings import origin
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=HostNeeded,
    message="`{how}` takes lengths on the host, and {operand} is on {place}",
    fix="Keep the lengths on the host",
    supersedes=(),
)
def check(event: HostNeeded, facts: FileFacts) -> Iterator[Finding]:
    """Yield each call whose lengths are on an accelerator under some condition."""
    if event.need is not Need.LENGTHS:
        return
    operand = event.operand
    found = lattice.on_accelerator(operand.placement, facts, event.world)
    if found is None or found.why is None or facts.is_only_handed_in(found.why):
        return
    if isinstance(found.device, Symbol) and not facts.holds_modules(found.device):
        return
    key = origin(operand.text, found.why, event.node)
    parts: dict[str, object] = {"how": event.how, "operand": f"`{operand.text}`", "place": found}
    yield Finding(event.node, parts, key, about=() if operand.part else (operand.node,))
