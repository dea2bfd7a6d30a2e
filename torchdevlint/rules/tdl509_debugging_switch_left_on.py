"""A switch for debugging is on in every run of a script.

## What it does
Finds `CUDA_LAUNCH_BLOCKING` and `TORCH_SHOW_CPP_STACKTRACES` set in the script itself, and anomaly detection turned on
by it, where no test precedes and nothing turns it off. A function that the script does not call is left alone.

## Why is this bad?
Nothing fails, and every run is slow: the host waits for each kernel, or each operation of the backward pass is checked.
Such switches belong to the run in which a fault is searched for.

## Example
```python
torch.autograd.set_detect_anomaly(True)
```

## Use instead
```python
if args.debug:
    torch.autograd.set_detect_anomaly(True)
```

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
- https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#disable-debugging-apis
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import DebuggingLeftOn
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, Severity, rule


@rule(
    __name__,
    on=DebuggingLeftOn,
    message="`{text}` is a switch for debugging and on in every run: {effect}",
    fix="Turn it on by an argument, or where the script is started",
    in_tests=False,
    severity=Severity.WARNING,
)
def check(event: DebuggingLeftOn, facts: FileFacts) -> Iterator[Finding]:
    """Yield each switch that nothing turns off."""
    if not (facts.debugging_ends or (event.repeats and facts.repeats)):
        yield Finding(event.node, {"text": event.text, "effect": event.effect})
