"""A literal accelerator decides where something lives.

## What it does
Finds literals like `"cuda"` and `"cuda:0"` that nothing guards: no test, no fallback, no argument, no configuration. A
file gets one finding for each device, at the first line, with a count. What is meant for one device only is left
alone, as with TDL502.

## Why is this bad?
The script fails on a machine that does not have this accelerator, and cannot be told to use another.

## Example
```python
model.to("cuda")
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

from torchdevlint.events import DeviceNamed
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import ACCELERATOR
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=DeviceNamed,
    message="`{device}` is hardcoded: this fails where there is no such device",
    fix="Use the script's device variable",
    supersedes=("TDL402",),
    severity=Severity.WARNING,
    in_tests=False,
)
def check(event: DeviceNamed, facts: FileFacts) -> Iterator[Finding]:
    """Yield each literal that nothing guards."""
    if facts.fails(event.reliance) and not facts.reconfigured:
        of_any = event.device.startswith(ACCELERATOR) or event.device.isdecimal()
        yield Finding(
            event.node, {"device": event.device}, ("hardcoded", event.device), about=(event.node,) if of_any else ()
        )
