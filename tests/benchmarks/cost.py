"""Measure what an analysis costs beside the parse, and what a refused file costs: cost.py PATH ..."""

from __future__ import annotations

import argparse
import gc
import importlib.util
import time
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from torchdevlint.engine import analyse
from torchdevlint.gate import may_find
from torchdevlint.options import NotAnalysed


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that one file took: in the parse alone, and in all the rest."""

    path: Path
    lines: int
    parse: float
    rest: float

    @property
    def ratio(self) -> float:
        return self.rest / self.parse


def figures() -> Iterator[str]:
    """Yield what the files of PyTorch cost that define its modules and optimizers, where PyTorch is installed."""
    found = importlib.util.find_spec("torch")
    if found is None or not found.submodule_search_locations:
        yield "PyTorch is not installed"
        return
    root = Path(found.submodule_search_locations[0])
    yield from report(*measure([root / "nn", root / "optim"], 2), 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files or directories of Python sources")
    parser.add_argument("--repeat", type=int, default=1, help="time each file so often and take the best")
    parser.add_argument("--worst", type=int, default=10, help="how many of the dearest files to list")
    arguments = parser.parse_args()

    for line in report(*measure(arguments.paths, arguments.repeat), arguments.worst):
        print(line)


def measure(paths: Iterable[Path], repeat: int) -> tuple[list[Cost], list[float], int]:
    """Return the costs of the files under the paths, what each refused one cost, and how many were not analysed."""
    analyse("import torch\ntorch.ones(1).to('cpu')\n")  # the imports behind the gate are not what is measured
    costs: list[Cost] = []
    refused: list[float] = []
    skipped = 0
    for path, text in sources(paths):
        gate = best(lambda text=text: may_find(text), repeat)
        if not may_find(text):
            refused.append(gate)
            continue
        try:
            parse = best(lambda text=text: cst.parse_module(text), repeat)
            whole = best(lambda text=text: analyse(text), repeat)
        except (cst.ParserSyntaxError, NotAnalysed):
            skipped += 1
            continue
        costs.append(Cost(path, text.count("\n") + 1, parse, whole - parse))
    return costs, refused, skipped


def sources(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the sources under the given paths, each file once; what is not text of its encoding is left out."""
    files = {file for path in paths for file in (path.rglob("*.py") if path.is_dir() else (path,)) if file.is_file()}
    for file in sorted(files):
        try:
            with tokenize.open(file) as source:
                yield file, source.read()
        except (SyntaxError, UnicodeDecodeError):
            continue


def best(action: Callable[[], object], repeat: int) -> float:
    times = []
    for _ in range(max(repeat, 1)):
        gc.collect(0)
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def report(costs: list[Cost], refused: list[float], skipped: int, worst: int) -> Iterator[str]:
    """Yield the lines that tell of all files together, and of the dearest."""
    mean = f", {mean_of(refused) * 1e3:.3f} ms each, the dearest {max(refused) * 1e3:.3f} ms" if refused else ""
    yield f"refused by the gate: {len(refused)} files{mean}"
    yield f"let through: {len(costs)} files, {sum(cost.lines for cost in costs)} lines; not analysed: {skipped}"
    if not costs:
        return
    parse, rest = sum(cost.parse for cost in costs), sum(cost.rest for cost in costs)
    yield f"parse {parse:.2f} s, everything else {rest:.2f} s: {rest / parse:.2f} of the parse"
    # in a file of a few lines the constant part is all there is
    long = [cost for cost in costs if cost.lines >= 100]
    for title, order in (
        ("highest ratio (files of 100 lines or more)", sorted(long, key=lambda cost: cost.ratio)),
        ("most time", sorted(costs, key=lambda cost: cost.rest)),
    ):
        yield f"{title}:"
        for cost in reversed(order[-worst:]):
            yield f"  {cost.ratio:6.2f}  {cost.rest * 1e3:8.1f} ms  {cost.lines:6} lines  {cost.path}"


def mean_of(values: list[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
