"""A call places something on CUDA and nothing guards it.

## What it does
Finds `.cuda()`, `torch.cuda.set_device(0)` and the like that no test guards. A file that never asks whether an
accelerator is there gets one finding with a count; in others each kind of call gets one.

It speaks where another machine is meant: in programs, and in files that ask for an accelerator or are given a device. A
program that waits for CUDA, measures it, or has its models in half precision is meant for CUDA; a block under the main
guard that tries out what the file defines is no program; and helpers without such a sign are left to who uses them.

## Why is this bad?
The call raises on a machine without CUDA, and the script cannot be told to use another device.

## Example
```python
model.cuda()
```

## Use instead
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from torchdevlint.events import CudaCalled
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=CudaCalled,
    message="`{text}` needs CUDA and nothing guards it",
    fix="Use `.to(device)`",
    supersedes=(),
    severity=Severity.WARNING,
    in_tests=False,
)
def check(event: CudaCalled, facts: FileFacts) -> Iterator[Finding]:
    """Yield each call that nothing guards."""
    if facts.fails(event.reliance):
        origin = ("unguarded", "" if not facts.guards else event.text)
        moves = isinstance(event.node, cst.Name)  # a method whose name is what is reported
        yield Finding(event.node, {"text": event.text}, origin, about=(event.node,) if moves else ())
