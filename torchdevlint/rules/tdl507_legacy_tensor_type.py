"""A legacy type of CUDA tensors is used and nothing guards it.

## What it does
Finds `torch.cuda.FloatTensor` and its kin where they make tensors, move them with `.type(…)`, or become the default
type, and no test precedes. The choice `torch.cuda.FloatTensor if cuda else torch.FloatTensor` is one. A file that never
asks whether an accelerator is there gets one finding with a count; in others each text gets one. What is meant for
CUDA only is left alone, as with TDL502.

## Why is this bad?
Without CUDA the line raises `TypeError: type torch.cuda.FloatTensor not available`, or that CUDA is not there. The type
says where and what at once, so that the script cannot be told to use another device; other accelerators have none.

## Example
```python
noise = torch.cuda.FloatTensor(8, 100).normal_()
```

## Use instead
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
noise = torch.randn(8, 100, device=device)
```

## References
- https://docs.pytorch.org/docs/stable/tensors.html
- https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import LegacyTyped
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=LegacyTyped,
    message="`{text}` is a legacy type that exists only with CUDA, and nothing guards it",
    fix="Use a factory with `device=`",
    in_tests=False,
    severity=Severity.WARNING,
)
def check(event: LegacyTyped, facts: FileFacts) -> Iterator[Finding]:
    """Yield each type that nothing guards."""
    if facts.fails(event.reliance):
        yield Finding(event.node, {"text": event.text}, ("legacy", "" if not facts.guards else event.text))
