"""The long run: so many programs by seed, in parallel processes; disagreements are written to a folder."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from pathlib import Path

from .comparing import Tally, compare
from .drawing import seeded
from .programs import program
from .running import import_torch

AT_ONCE = 50


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the programs that are disagreed about")
    parser.add_argument("--seconds", type=float, help="report what is compared by then, and end")
    parser.add_argument("--examples", type=int, metavar="N", help="let hypothesis draw N programs instead, and shrink")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print the program of this number and end")
    arguments = parser.parse_args()
    if arguments.show is not None:
        print(program(seeded((arguments.seed, arguments.show))).text)
        return 0
    start = time.monotonic()
    import_torch()
    if arguments.examples is not None:
        from .shrinking import check

        total = check(arguments.examples)
        wrong: list[str] = []
    else:
        total = run(arguments.seed, arguments.programs, arguments.jobs, arguments.keep, arguments.seconds)
        wrong = total.departures()
    print(total.report())
    print(f"{time.monotonic() - start:.0f} s")
    for _, text in (*total.false_alarms, *total.broken):
        print("", text, sep="\n")
    for sentence in wrong:
        print(sentence)
    return 1 if total.false_alarms or total.broken or wrong else 0


def run(seed: int, programs: int, jobs: int, keep: Path | None, seconds: float | None) -> Tally:
    """Compare the programs of a seed in so many processes, or as many of them as there is time for."""
    start = time.monotonic()
    total = Tally()
    parts = [(seed, range(k, min(k + AT_ONCE, programs))) for k in range(0, programs, AT_ONCE)]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for tally in pool.imap_unordered(_compare, parts):
            total.merge(tally)
            if keep is not None:
                _keep(tally, keep)
            if seconds is not None and time.monotonic() - start > seconds:
                break
    return total


def _compare(work: tuple[int, range]) -> Tally:
    seed, part = work
    tally = Tally()
    for number, one in zip(part, compare([program(seeded((seed, number))) for number in part]), strict=True):
        tally.add(one, f"{seed}-{number}")
    return tally


def _keep(tally: Tally, folder: Path) -> None:
    for kind, kept in (("false", tally.false_alarms), ("missed", tally.missed), ("broken", tally.broken)):
        for name, text in kept:
            (folder / kind).mkdir(parents=True, exist_ok=True)
            (folder / kind / f"{name}.txt").write_text(text)


if __name__ == "__main__":
    sys.exit(main())
