"""How far from proportional the cost of the analysis is where a program of one shape gets longer."""

from __future__ import annotations

import time
from collections.abc import Iterator

import libcst as cst

from torchdevlint.engine import analyse
from torchdevlint.options import NotAnalysed

from .shapes import HEAD, SHAPES

LINES = (1_000, 10_000)
BOUND = 1.15


def figures() -> Iterator[str]:
    """Yield for each shape the seconds at both lengths, and how much the cost of a line grew."""
    analyse(f"{HEAD}x.cuda()\n")  # the imports behind the gate are not what is measured
    over = 0
    for name, shape in SHAPES.items():
        costs = []
        for lines in LINES:
            text = shape(max(1, lines // (shape(2).count("\n") - shape(1).count("\n"))))
            costs.append((text.count("\n"), rest(text)))
        (fewer, short), (more, long) = costs
        growth = long / more / (short / fewer)
        over += growth > BOUND
        yield f"{growth:5.2f}  {short * 1e3:7.0f} ms, {long * 1e3:8.0f} ms  {name}"
    yield f"{over} of {len(SHAPES)} shapes grow by more than {BOUND}"


def rest(text: str) -> float:
    """Return the seconds that everything but the parse takes."""
    start = time.process_time()
    cst.parse_module(text)
    parsed = time.process_time()
    try:
        analyse(text)
    except NotAnalysed:
        return 0.0
    return max(time.process_time() - parsed - (parsed - start), 1e-6)
