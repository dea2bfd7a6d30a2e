"""Print all figures, or those of the modules that are named: ``python -m tests.benchmarks [NAME ...]``."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path


def modules() -> Iterator[tuple[str, Callable[[], Iterator[str]], str]]:
    """Yield name, `figures` and description of each module here that measures something."""
    for found in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if found.name != "__main__":
            module = importlib.import_module(f"{__package__}.{found.name}")
            if hasattr(module, "figures"):
                yield found.name, module.figures, module.__doc__ or ""


def main() -> None:
    measured = list(modules())
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(name for name, _, _ in measured))
    wanted = parser.parse_args().names
    for name, figures, description in measured:
        if not wanted or name in wanted:
            print(f"{name}: {description.strip().splitlines()[0]}")
            for line in figures():
                print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
