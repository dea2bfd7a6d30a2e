"""Comments by which an author says that code fails, as lessons do: what fails there is no finding."""

from __future__ import annotations

import re
from itertools import accumulate

from torchdevlint.positions import lines_of

_SAYS = re.compile(
    r"#.*\b(?:"
    r"(?:will|would|should|must|going to) (?:now |then |also )?(?:raise|error|fail|crash|throw|not work)\b"
    r"|(?:this|that|it|line|which) (?:raises|errors|fails|crashes|throws)\b"
    r"|(?:error|exception) (?:will|would|should) (?:happen|occur|be raised|be thrown)\b"
    r")",
    re.IGNORECASE,
)
_TO_BE_DONE = re.compile(r"#.*\b(?:todo|fixme|xxx|bug|without|otherwise|else|unless)\b", re.IGNORECASE)
"""What makes such a comment a complaint about the code, or one about other code than this."""

MAX_LINES = 6
"""How many lines below a comment are what it speaks of, where no empty line ends them before."""


def announced(text: str) -> frozenset[int]:
    """Return the lines, from 1, of which a comment says that they fail: its own, or those below up to an empty one."""
    if _SAYS.search(text) is None:
        return frozenset()
    lines = lines_of(text)
    found: set[int] = set()
    for number, line in enumerate(lines, 1):
        if _SAYS.search(line) is None or _TO_BE_DONE.search(line) is not None:
            continue
        found.add(number)
        if line.lstrip().startswith("#"):
            below = accumulate((bool(one.strip()) for one in lines[number : number + MAX_LINES]), min)
            found.update(number + 1 + offset for offset, belongs in enumerate(below) if belongs)
    return frozenset(found)
