"""An evaluation builds graphs that nothing needs.

## What it does
Finds loops over batches that call a module in evaluation mode (`model.eval()`) and run no backward pass, where nothing
switches the building of graphs off: neither `torch.no_grad()` nor `torch.inference_mode()`, as a context or a decorator
of the function or of whoever calls it.

## Why is this bad?
`eval()` changes what layers compute, not what is remembered of it. Without `no_grad` every batch keeps the activations
of all layers for a backward pass that never comes: that takes several times the memory, and time.

## Example
```python
model.eval()
for x, y in loader:
    scores = model(x.to(device))
    hits += (scores.argmax(dim=1) == y.to(device)).sum()
```

## Use instead
```python
model.eval()
with torch.no_grad():
    for x, y in loader:
        scores = model(x.to(device))
        hits += (scores.argmax(dim=1) == y.to(device)).sum()
```

## References
- https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.costs import Evaluated
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Evaluated,
    message="`{text}` builds a graph for every batch, and no backward pass runs in this loop ({loop})",
    fix="Evaluate under `torch.no_grad()`",
    in_tests=False,
)
def check(event: Evaluated, facts: FileFacts) -> Iterator[Finding]:
    """Yield each loop that evaluates a module with a graph and hands nothing of it out."""
    *around, loop = event.loops
    if loop in facts.training_loops or loop in facts.costs.differentiating or event.frame in facts.costs.handing:
        return
    # whoever calls this from elsewhere may have switched graphs off, but not around a training
    if event.rooted or not facts.training_loops.isdisjoint(around):
        yield Finding(event.node, {"text": event.text, "loop": loop}, loop)
