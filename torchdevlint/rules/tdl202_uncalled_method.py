"""A move, or a question for an accelerator, is named and not called.

## What it does
Finds `x.cuda`, `x.cpu`, `x.to` and casts without parentheses: as a statement, in place of their object, as operands
and arguments, and with an attribute that only their result has. Finds `torch.cuda.is_available` and the like without
parentheses as tests, in comparisons and in arithmetic.

## Why is this bad?
A method that is not called moves nothing, and is no tensor. A function counts as true, so that the script takes the
way for an accelerator where there is none.

## Example
```python
device = "cuda" if torch.cuda.is_available else "cpu"
model.cuda
```

## Use instead
```python
device = "cuda" if torch.cuda.is_available() else "cpu"
model.cuda()
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.cuda.is_available.html
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import Uncalled
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import origin
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=Uncalled,
    message="`{text}` is not called: {effect}",
    fix="Call it",
    supersedes=("TDL101", "TDL102", "TDL103", "TDL104", "TDL109", "TDL113"),
)
def check(event: Uncalled, facts: FileFacts) -> Iterator[Finding]:
    """Yield each method of a proven tensor or module, and each function, that is used without being called."""
    if all(key in facts.tensors or key in facts.modules for key in event.proofs):
        why = next((p.why for p in event.before if p.why is not None), None)
        parts: dict[str, object] = {"text": event.text, "effect": event.effect}
        yield Finding(event.node, parts, origin(event.text, why, event.node), why, (event.node,) if event.bare else ())
