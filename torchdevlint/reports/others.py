"""What no rule tells: that a file could not be analysed, and that a comment is of no use; shown as rules are."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from torchdevlint import claims
from torchdevlint.checking.comments import UNUSED
from torchdevlint.facts import FileFacts
from torchdevlint.options import FAILURE
from torchdevlint.rule import Finding, Rule, Severity


def _says_nothing_of_devices(event: object, facts: FileFacts) -> Iterator[Finding]:
    yield from ()


_ALL = (
    Rule(
        FAILURE,
        "not-analysed",
        on=(),
        message="{reason}",
        fix="Mend the syntax, or leave the file out",
        supersedes=(),
        once=False,
        in_tests=True,
        check=_says_nothing_of_devices,
        doc="""A file, or a cell of a notebook, could not be analysed, so that nothing in it was looked at.

## What it does
Tells why: a syntax error, a file that cannot be read, is too large or too deeply nested, or an error in torchdevlint
itself. It is reported whatever is selected.

## Why is this bad?
A file that nobody looked at is not a file without bugs.
""",
    ),
    Rule(
        UNUSED,
        "unused-noqa",
        on=(),
        message="`# noqa` comment silences nothing: {codes}",
        fix="Remove the codes from the comment",
        supersedes=(),
        once=False,
        in_tests=True,
        check=_says_nothing_of_devices,
        severity=Severity.ADVICE,
        doc="""A `# noqa` comment names a code of ours that is not reported on its line.

## What it does
Finds comments that silence nothing, where `--report-unused-noqa` asks for them.

## Why is this bad?
The comment will silence a finding that is new, and that nobody has looked at.
""",
    ),
    Rule(
        claims.CODE,
        "misspelt-claim",
        on=(),
        message="the comment {reason}",
        fix="Write `# tdl: NAME on DEVICE`, or `# tdl: cpu-only`",
        supersedes=(),
        once=False,
        in_tests=True,
        check=_says_nothing_of_devices,
        doc="""A comment that begins with `# tdl:` tells nothing: by its form, by what it names, or by where it stands.

## What it does
Finds comments that are meant to tell where a value is, and are misspelt or stand where no statement is.

## Why is this bad?
What the comment was to tell is not known, so that bugs are not found.

## Example
```python
images = load()  # tdl: imags on cuda
```

## Use instead
```python
images = load()  # tdl: images on cuda
```
""",
    ),
)
OTHERS = MappingProxyType({one.code: one for one in _ALL})
"""What is told by no rule, by its code."""
