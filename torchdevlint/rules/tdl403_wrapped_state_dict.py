"""The state of a wrapped module is loaded into a bare one, or the reverse.

## What it does
Finds state dicts of a `DataParallel` or `DistributedDataParallel` that are loaded into the module without the wrapper,
and those of the bare module that are loaded into the wrapper, where both can be seen in one file. Files that the
script writes and reads itself are followed.

## Why is this bad?
A wrapper keeps its module as `module`, so that all keys of its state dict begin with `module.`. `load_state_dict`
raises `RuntimeError: Error(s) in loading state_dict`, with a list of all keys; with `strict=False` it loads nothing.

## Example
```python
model = nn.DataParallel(Net())
torch.save(model.state_dict(), "net.pt")
net = Net()
net.load_state_dict(torch.load("net.pt", map_location="cpu"))
```

## Use instead
```python
model = nn.DataParallel(Net())
torch.save(model.module.state_dict(), "net.pt")
net = Net()
net.load_state_dict(torch.load("net.pt", map_location="cpu"))
```

## References
- https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html#saving-torch-nn-dataparallel-models
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.facts import FileFacts
from torchdevlint.incidents import Keys, StateLoaded
from torchdevlint.lattice import ALWAYS, Condition, compatible
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=StateLoaded,
    message="`{text}` has keys {wanted} `{prefix}`, but the state that it is given has them {given} it ({made})",
    fix="Save and load the state of the module without its wrapper",
)
def check(event: StateLoaded, facts: FileFacts) -> Iterator[Finding]:
    """Yield each load of a state whose keys are those of the other kind."""
    if event.values & facts.rewritten:
        return
    given = list(_given(event, facts))
    for keys, condition in given:
        if not compatible(condition, condition):
            continue  # it can never be given
        # One state that may be given is of the other kind, and so is everything that may be given where it is.
        rivals = (other for other, other_if in given if compatible(condition, other_if))
        if all(_differ(event.wanted, other) and other.state not in facts.rewritten for other in rivals):
            parts: dict[str, object] = {
                "text": event.text,
                "wanted": "with" if event.wanted.prefix else "without",
                "prefix": event.wanted.prefix or keys.prefix,
                "given": "without" if event.wanted.prefix else "with",
                "made": keys.node,
            }
            yield Finding(event.node, parts, about=() if event.wanted.prefix or condition else (event.node,))
            return


def _given(event: StateLoaded, facts: FileFacts) -> Iterator[tuple[Keys, Condition]]:
    """Yield what may be given in the world of the event; an unknown state where a file does not tell."""
    unknown = Keys("", False, 0, 0, None)
    yield from ((keys, condition) for keys, condition in event.given if compatible(condition, event.world))
    for entries in facts.written.get(event.file, ()):
        here = [(keys, condition) for path, keys, condition in entries if path == event.path]
        yield from [one for one in here if compatible(one[1], event.world)] if here else [(unknown, ALWAYS)]


def _differ(wanted: Keys, given: Keys) -> bool:
    """Tell whether keys are surely of the other kind: a bare module is known, or is the very one that is wrapped."""
    if wanted.prefix == given.prefix:
        return False
    return (wanted.certain and given.certain) or (wanted.of == given.of != 0 and (wanted.certain or given.certain))
