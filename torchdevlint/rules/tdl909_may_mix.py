"""Two sides that meet are moved under different conditions.

## What it does
Finds operands, and modules and their inputs, of which one is moved wherever there is an accelerator and the other only
where a switch of the script says so.

## Why is this bad?
On a machine with an accelerator and with the switch off, one of them is there and the other is not, and PyTorch raises.

## Example
```python
if args.cuda:
    model.cuda()
for x, y in loader:
    if torch.cuda.is_available():
        x = x.cuda()
    scores = model(x)
```

## Use instead
```python
device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")
model.to(device)
for x, y in loader:
    scores = model(x.to(device))
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import traces
from torchdevlint.events import Called, Combined
from torchdevlint.facts import FileFacts
from torchdevlint.meetings import mixtures, origin
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=(Combined, Called),
    message="`{odd}` is on cpu where {guards}, but `{other}` is on {place} wherever there is one",
    fix="Move both to one device variable",
    in_tests=False,
)
def check(event: Combined | Called, facts: FileFacts) -> Iterator[Finding]:
    """Yield each meeting of something that a switch moves with something that the machine moves."""
    for meeting in mixtures(event, facts):
        odd, other = meeting.odd, meeting.other
        guards = traces.guards(odd.possibility.condition) or "a test says so"
        parts: dict[str, object] = {"odd": odd.text, "guards": guards, "other": other.text}
        why = odd.possibility.why
        yield Finding(
            meeting.node, {**parts, "place": str(other.possibility.device)}, origin(odd.text, why, meeting.node), why
        )
