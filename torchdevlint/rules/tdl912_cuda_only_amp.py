"""Mixed precision by names for CUDA alone.

## What it does
Finds calls of `torch.cuda.amp.autocast` and `torch.cuda.amp.GradScaler`, unless the file uses the new names too; and
`torch.autocast("cuda")` and `torch.amp.GradScaler()` without `enabled=` in a script that asks whether there is CUDA.

## Why is this bad?
Since PyTorch 2.4 the names in `torch.cuda.amp` warn that they are deprecated. On a machine without CUDA the new ones
warn at every run too, and switch themselves off, unless they are told whether they are meant.

## Example
```python
scaler = torch.cuda.amp.GradScaler()
with torch.cuda.amp.autocast():
    loss = criterion(model(x), y)
```

## Use instead
```python
scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")
with torch.autocast(device.type, enabled=device.type == "cuda"):
    loss = criterion(model(x), y)
```

## References
- https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.costs import Renamed, SwitchedOff
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=(Renamed, SwitchedOff),
    message="`{text}` {fault}",
    fix="Name the type of the device, and say with `enabled=` whether it is meant",
    in_tests=False,
)
def check(event: Renamed | SwitchedOff, facts: FileFacts) -> Iterator[Finding]:
    """Yield each deprecated name, and what depends on CUDA in a file that does not; each name once."""
    parts: dict[str, object] = {"text": event.text}
    match event:
        case Renamed(now=now) if not _has_its_reason(event, facts):
            parts["now"] = now
            fault = f"is deprecated since PyTorch 2.4: it is `{now}` now"
        case SwitchedOff() if facts.guards:
            fault = "warns and does nothing where there is no CUDA, which this file allows for"
        case _:
            return
    yield Finding(event.node, {**parts, "fault": fault}, (event.text, fault))


def _has_its_reason(event: Renamed, facts: FileFacts) -> bool:
    """Tell whether the old name stands in for today's, where PyTorch does not have that."""
    return event.node in facts.costs.renewed or (event.tested and event.now in facts.costs.modern)
