"""Try many damaged sources: python -m tests.fuzzing --inputs 50000 --seed 1 [--sources DIR ...] [--keep DIR]."""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from .grammar import programs
from .trying import Tried, attempt, mutated, read

ROOT = Path(__file__).parents[2]
GRAMMATICAL = 20
"""One in so many texts is made from Python's grammar rather than from a file."""
AGAIN = 500
"""So many texts are tried in two processes more, with other seeds of hashes."""


def main() -> int:
    """Try the texts; print what went wrong with which, and the totals. The exit status is 1 where anything did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sources", nargs="*", type=Path, default=[ROOT / "fixtures"], help="real files to damage")
    parser.add_argument("--longest", type=int, default=30_000, help="characters of a file that is damaged")
    parser.add_argument("--keep", type=Path, help="where to write the texts with which something went wrong")
    parser.add_argument("--digest", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    sources = read([path for folder in arguments.sources for path in folder.rglob("*.py")], arguments.longest)
    began = time.monotonic()
    counts: Counter[str] = Counter()
    digest = hashlib.sha256()
    grammatical = 0 if arguments.digest else arguments.inputs // GRAMMATICAL
    for text in programs(arguments.seed, grammatical):
        _count(attempt(text), counts, arguments.keep)
    for text in mutated(arguments.seed, arguments.inputs - grammatical, sources):
        tried = attempt(text)
        digest.update(tried.outcome.encode(errors="replace"))
        _count(tried, counts, arguments.keep)
    if arguments.digest:
        print(digest.hexdigest())
        return 0
    counts["with another seed of hashes"] += len({_digest(arguments, seed) for seed in ("0", "1")}) - 1
    seconds = time.monotonic() - began
    print(f"{arguments.inputs} texts in {seconds:.0f} s (seed {arguments.seed}): {counts['analysed']} analysed,")
    print(f"{counts['refused']} refused for a reason with a name, {counts['trouble']} went wrong,")
    print(f"{counts['with another seed of hashes']} of {AGAIN} had another outcome with another seed of hashes")
    return int(counts["trouble"] + counts["with another seed of hashes"] > 0)


def _count(tried: Tried, counts: Counter[str], keep: Path | None) -> None:
    counts["analysed"] += tried.analysed
    counts["refused"] += tried.outcome.startswith("!")
    if tried.trouble is None:
        return
    counts["trouble"] += 1
    print(tried.trouble.what[:200], flush=True)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        whole = f"{tried.trouble.what}\n{tried.trouble.text}"
        (keep / f"{counts['trouble']:04}.txt").write_text(whole, "utf-8", errors="replace")


def _digest(arguments: argparse.Namespace, seed: str) -> str:
    """Return the digest of the outcomes of some texts in another process."""
    sources = [str(path.resolve()) for path in arguments.sources]
    command = [sys.executable, "-m", "tests.fuzzing", "--digest", "--inputs", str(AGAIN), "--seed", str(arguments.seed)]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(
        [*command, "--sources", *sources], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
