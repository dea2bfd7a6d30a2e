"""An attribute of a module is asked of the wrapper around it.

## What it does
Finds attributes and methods of a module that are reached through `DataParallel` or `DistributedDataParallel`, which
have `.module` for that. Wrappers that pass attributes on (FSDP, `torch.compile`), tests with `hasattr` and
`isinstance`, and names that the wrappers have themselves are left alone.

## Why is this bad?
The line raises `AttributeError: 'DataParallel' object has no attribute …`. Where the module is wrapped for several
GPUs only, it does so there and nowhere else.

## Example
```python
model = nn.DataParallel(Net().to(device))
hidden = model.init_hidden(batch_size)
```

## Use instead
```python
model = nn.DataParallel(Net().to(device))
hidden = model.module.init_hidden(batch_size)
```

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
- https://docs.pytorch.org/tutorials/beginner/blitz/data_parallel_tutorial.html
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint import lattice
from torchdevlint.facts import FileFacts
from torchdevlint.parallel import WrapperAsked
from torchdevlint.rule import Finding, rule


@rule(
    __name__,
    on=WrapperAsked,
    message="`{text}` is a `{kind}` ({wrapped}), which has no attribute `{name}` of its own",
    fix="Ask the module in it: `.module`",
)
def check(event: WrapperAsked, facts: FileFacts) -> Iterator[Finding]:
    """Yield each attribute that nothing in the file binds on the wrapper, where no test tells that there is none."""
    told = not lattice.compatible(event.guards, frozenset(facts.unwrapped.get(event.wrapped, ())))
    if not told and not facts.may_bind(event.owners, event.name):
        parts: dict[str, object] = {"text": event.text, "kind": event.kind, "wrapped": event.wrapped}
        about = () if event.world or event.guards else (event.node,)  # else it may be no wrapper in another run
        yield Finding(event.node, {**parts, "name": event.name}, (event.wrapped, "asked"), about=about)
