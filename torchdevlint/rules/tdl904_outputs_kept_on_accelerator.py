"""A list gathers the outputs of all batches on the accelerator.

## What it does
Finds tensors that every pass of a loop over batches adds to a list, which are read on the host afterwards: those that
still have their graph, those that are all that a module gave, and those that are copied to the host one by one. What is
small, as the classes that `argmax` gives are, and put together before it is copied is left alone: that is one copy
instead of many.

## Why is this bad?
The memory of the accelerator has to hold the outputs of the whole data set, and with the graph all activations that led
to them, though they are only wanted on the host.

## Example
```python
outputs = []
for x, _ in loader:
    outputs.append(model(x.to(device)))
scores = torch.cat(outputs).detach().cpu()
```

## Use instead
```python
outputs = []
for x, _ in loader:
    outputs.append(model(x.to(device)).detach().cpu())
scores = torch.cat(outputs)
```

## References
- https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.costs import Gathered
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Gathered,
    message="`{total}` keeps `{text}` of every batch on {place}{graph}, though it is read on the host ({read})",
    fix="Gather it detached, on the host",
    in_tests=False,
)
def check(event: Gathered, facts: FileFacts) -> Iterator[Finding]:
    """Yield each output that is gathered with a graph that nothing needs, or to be copied by itself."""
    if event.graph and event.key in facts.costs.computed:
        return
    read = facts.costs.fetched.get(event.key)
    if read is None and (event.graph or event.whole):
        read = facts.costs.fetched_whole.get(event.key)
    found = lattice.on_accelerator(event.place, facts, event.world)
    if read is not None and found is not None:
        parts: dict[str, object] = {"total": event.total, "text": event.text, "place": str(found.device), "read": read}
        yield Finding(event.node, {**parts, "graph": ", with its graph" if event.graph else ""})
