"""A loss is accumulated with its graph.

## What it does
Finds losses that carry a graph and are added to a total, a list or a dict in a loop, where the total is only printed,
formatted, logged, divided, compared or converted afterwards.

## Why is this bad?
A tensor with a graph keeps the graph alive, and so does the total. With a backward pass in each step that is a growing
chain of graph nodes; without one it is all activations of all steps, until memory is gone.

## Example
```python
total = 0.0
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    total += loss
print(total / len(loader))
```

## Use instead
```python
total = 0.0
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    total += loss.item()
print(total / len(loader))
```

## References
- https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Tallied
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=Tallied,
    message="`{total}` accumulates `{text}` with its graph: {kept}",
    fix="Accumulate `.detach()` or `.item()`",
    supersedes=(),
    severity=Severity.WARNING,
)
def check(event: Tallied, facts: FileFacts) -> Iterator[Finding]:
    """Yield each accumulation of tensors with a graph that nothing needs."""
    if event.key in facts.consumed or not (event.loop in facts.training_loops or event.loop in facts.calling_loops):
        return
    if event.key in facts.returned and event.loop not in facts.training_loops:
        return  # whoever gets it may run the backward pass that nothing here runs
    if event.home in facts.stepping_loops:
        return  # it is made anew in each step, of which the loop is a part
    if event.attribute and any(name == event.attribute for _, name in facts.backward):
        return
    carries = event.graph is True or event.slot in facts.backward or event.proof in facts.graphs
    if not carries or (event.proof and event.proof not in facts.graphs and event.slot not in facts.backward):
        return
    steps = event.loop in facts.training_loops
    kept = "graph nodes of every step stay alive" if steps else "the activations of every step stay alive"
    parts: dict[str, object] = {"total": event.total, "text": event.text, "kept": kept}
    yield Finding(event.node, parts)
