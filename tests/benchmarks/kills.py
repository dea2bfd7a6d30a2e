"""Kills `torchdevlint check --fix` at random moments, and tells whether each file is the old one or the new one.

`python tests/benchmarks/kills.py --kills 50 --files 500`: the exit status is 1 where a file is neither.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OLD = "import torch\n\nx = torch.ones(3)\nx.to('cpu')\nprint(x)\n"
NEW = OLD.replace("x.to", "x = x.to")
COMMAND = [sys.executable, "-m", "torchdevlint", "check", "--isolated", "--fix-only", "--unsafe-fixes", "-j", "1", "."]


def kill(folder: Path, files: int, after: float) -> tuple[int, int]:
    """Fix fresh files, kill that after some seconds, and return how many are new and how many are neither.

    A file that was being written may leave its unfinished copy beside it, under another name.
    """
    paths = [folder / f"a{number}.py" for number in range(files)]
    for path in paths:
        path.write_text(OLD)
    process = subprocess.Popen(COMMAND, cwd=folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    texts = [path.read_text() for path in paths]
    return texts.count(NEW), sum(text not in (OLD, NEW) for text in texts)


def whole(folder: Path, files: int) -> float:
    """Return how many seconds it takes to fix the files undisturbed."""
    start = time.perf_counter()
    for number in range(files):
        (folder / f"a{number}.py").write_text(OLD)
    subprocess.run(COMMAND, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> int:
    """Kill as often as asked, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    moments = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        longest = whole(Path(folder), asked.files)
        seen = [kill(Path(folder), asked.files, moments.uniform(0, longest)) for _ in range(asked.kills)]
    midway = sum(0 < new < asked.files for new, _ in seen)
    neither = sum(broken for _, broken in seen)
    sys.stdout.write(f"{asked.kills} kills, {midway} of them midway: {neither} files are neither old nor new\n")
    return int(neither > 0)


if __name__ == "__main__":
    sys.exit(main())
