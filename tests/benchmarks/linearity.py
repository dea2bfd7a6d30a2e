"""How far from proportional the cost of the analysis is where a program of one shape gets longer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from torchdevlint import engine, gate, knowledge
from torchdevlint.interpreter.driver import interpret
from torchdevlint.options import NotAnalysed, Options
from torchdevlint.recursion import deep_recursion, uninterrupted

from .shapes import HEAD, SHAPES

LINES = (1_000, 10_000, 50_000)
BOUND = 1.15


def figures() -> Iterator[str]:
    """Yield for each shape the milliseconds at each length, and how much the cost of a line grew at most."""
    rest(f"{HEAD}x.cuda()\n")  # the imports behind the gate are not what is measured
    over = 0
    for name, shape in SHAPES.items():
        costs = [(text.count("\n"), min(rest(text) for _ in range(3 if short else 1))) for short, text in _texts(shape)]
        (lines, seconds), *longer = costs
        growth = max((more / seconds) / (further / lines) for further, more in longer)
        over += growth > BOUND
        told = ", ".join(f"{cost * 1e3:6.0f} ms" if cost else "refused" for _, cost in costs)
        yield f"{growth:5.2f}  {told}  {name}"
    yield f"{over} of {len(SHAPES)} shapes grow by more than {BOUND}"


def _texts(shape: Callable[[int], str]) -> Iterator[tuple[bool, str]]:
    """Yield the texts of all lengths, each with whether it is so short that chance has a part in what it costs."""
    each = shape(2).count("\n") - shape(1).count("\n")
    return ((lines < 10_000, shape(max(1, lines // each))) for lines in LINES)


def rest(text: str) -> float:
    """Return the seconds that everything but the parse takes; 0.0 for a text that is not analysed."""
    with uninterrupted(), deep_recursion():
        try:
            gate.check_size(text)
            module = engine.parse(text)
            start = time.process_time()
            if gate.may_find(text):
                found = interpret(module, text, knowledge.DEFAULT)
                engine.diagnose(module, engine.find(found, Options()), text=text)
            return time.process_time() - start
        except (NotAnalysed, RecursionError):
            return 0.0
