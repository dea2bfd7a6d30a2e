"""The result of a move is thrown away.

## What it does
Finds `tensor.to(…)`, `tensor.cuda()`, `tensor.cpu()` and casts that stand as statements of their own. Modules, and
library objects that move in place, are fine. So is a move that nothing would notice: of a tensor that is not used
afterwards, is moved again first, or only leaves the function.

## Why is this bad?
A tensor does not move in place. The statement makes a copy and drops it, and the tensor stays where it was.

## Example
```python
x.cuda()
out = model(x)
```

## Use instead
```python
x = x.cuda()
out = model(x)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Moved
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import origin
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Moved,
    message="result of `{text}.{target}` is thrown away: it does not change `{text}` itself",
    fix="Assign the result",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL104", "TDL109", "TDL113"),
)
def check(event: Moved, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move of a tensor whose result nobody takes."""
    if not event.discarded or event.moves_in_place or not event.named or event.idle:
        return
    if event.moves_in_place is None and not _is_tensor(event, facts):
        return
    why = next((p.why for p in event.before if p.why is not None), None)
    parts: dict[str, object] = {"text": event.text, "target": event.target}
    yield Finding(event.node, parts, origin(event.text, why, event.node), why)


def _is_tensor(event: Moved, facts: FileFacts) -> bool:
    """Tell whether an object of unknown kind is a tensor: proven, or a part of a loader's item."""
    return event.proof not in facts.modules and (event.proof in facts.tensors or event.member)
