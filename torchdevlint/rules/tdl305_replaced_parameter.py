"""Parameters were replaced after the optimizer took them.

## What it does
Finds layers and parameters that take the place of others in a module (`model.fc = …`, `assign=True` of
`load_state_dict`, `resize_token_embeddings`) while an optimizer holds the old ones, where this optimizer is stepped
later and nothing gives it the new ones.

## Why is this bad?
An optimizer holds the parameters that it was given, and no module. It goes on updating the old ones, which nothing uses
any more; the new ones get gradients and never change. Nothing is raised.

## Example
```python
optimizer = torch.optim.Adam(model.parameters())
model.fc = nn.Linear(512, 10)
```

## Use instead
```python
model.fc = nn.Linear(512, 10)
optimizer = torch.optim.Adam(model.parameters())
```

## References
- https://docs.pytorch.org/docs/stable/optim.html#constructing-it
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.incidents import Replaced
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Replaced,
    message="`{text}` gets new parameters after `{optimizer}` took the old ones ({built}): the new ones never change",
    fix="Build the optimizer after the replacement",
)
def check(event: Replaced, facts: FileFacts) -> Iterator[Finding]:
    """Yield each replacement after which an optimizer trains the parameters that were replaced."""
    if event.parts <= facts.taken.keys() | facts.frozen or event.owner in facts.frozen:
        return
    if facts.taken.get(event.owner, 0) > event.moment:
        return
    for optimizer in event.optimizers:
        if facts.goes_on(optimizer.key, event.owner, event.text, event.moment):
            parts: dict[str, object] = {"text": event.text, "optimizer": optimizer.text, "built": optimizer.node}
            yield Finding(event.node, parts)
            return
