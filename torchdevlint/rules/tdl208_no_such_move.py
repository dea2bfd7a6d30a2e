"""A move is asked of what has none, or with arguments that it does not take.

## What it does
Finds moves of lists, tuples and dicts, moves with an argument that `.to` does not take, models that `device_map` has
spread over devices and that are moved as a whole, and tensors that are given to `prepare` of Accelerate.

## Why is this bad?
A container has no `.to`, and raises `AttributeError`; an argument that there is not raises `TypeError`. A model that is
spread over several devices refuses to move. `prepare` moves modules and what loaders yield, and leaves tensors alone.

## Example
```python
for batch in loader:
    batch = batch.to(device)
```

## Use instead
```python
for batch in loader:
    batch = [tensor.to(device) for tensor in batch]
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
- https://huggingface.co/docs/accelerate/concept_guides/big_model_inference
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.incidents import NoMove
from torchdevlint.meetings import origin
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=NoMove,
    message="`{text}` {why}",
    fix="Move its tensors one by one, or where they are made",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL107", "TDL109"),
)
def check(event: NoMove, facts: FileFacts) -> Iterator[Finding]:
    """Yield each move that cannot be made so."""
    if not event.proof or event.proof in facts.tensors or event.proof in facts.modules:
        about = (event.node,) if event.named else ()
        cause = origin(event.text, event.stays, event.node) if event.stays is not None else None
        yield Finding(event.node, {"text": event.text, "why": event.why}, cause, about=about)
