"""`CUDA_VISIBLE_DEVICES` is set after CUDA has read it.

## What it does
Finds assignments to `os.environ["CUDA_VISIBLE_DEVICES"]` that come after CUDA was initialised on every way: by
`torch.cuda.is_available()`, by a tensor on CUDA and the like. `import torch` and `torch.cuda.device_count()` do not
initialise it. A file that starts other processes is left alone, since these read the variable anew.

## Why is this bad?
The variable is read once. Setting it later changes nothing, without a word: the script runs on devices that it was
told to leave alone.

## Example
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
```

## Use instead
```python
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
```

## References
- https://github.com/pytorch/pytorch/issues/80876
- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.events import SetTooLate
from torchdevlint.facts import FileFacts
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=SetTooLate,
    message="`{variable}` is set after `{text}` initialised CUDA ({begun}), which reads it once",
    fix="Set it before anything asks for CUDA",
)
def check(event: SetTooLate, facts: FileFacts) -> Iterator[Finding]:
    """Yield each variable that is set when nothing reads it any more."""
    if not facts.starts_processes:
        parts: dict[str, object] = {"variable": event.variable, "text": event.text, "begun": event.begun}
        yield Finding(event.node, parts)
