"""The CPU that linters take on the same files, in interleaved rounds.

``python -m tests.benchmarks.peers FOLDER`` keeps in the folder what the registry gives: the files, and an environment
for each linter.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .packages import WITH_TORCH, WITHOUT_TORCH, download, drawn

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = {
    "floor": ("flake8",),
    "ours": ("flake8", str(ROOT)),
    "torchfix": ("flake8", "torchfix==0.7.0"),
    "preflight": ("torch-preflight==0.5.0",),
}
"""What is installed in each; in the floor there is flake8 alone."""
ROUNDS = 3
FLAKE8 = ("flake8", "-j1", "--isolated", "--exit-zero", "--select")
COMMANDS = {
    "flake8 alone": ("floor", *FLAKE8, "TDL"),
    "flake8 with TDL": ("ours", *FLAKE8, "TDL"),
    "flake8 without TDL": ("ours", *FLAKE8, "E9"),
    "flake8 with TorchFix": ("torchfix", *FLAKE8, "TOR"),
    "check": ("ours", "torchdevlint", "check", "-j1", "--isolated", "--no-cache", "--exit-zero"),
    "torch-preflight": ("preflight", "torch-preflight", "check"),
}


def environments(folder: Path) -> None:
    """Make the environments that are not there; ours is made anew."""
    for name, packages in ENVIRONMENTS.items():
        place = folder / name
        if not place.exists():
            subprocess.run([sys.executable, "-m", "venv", place], check=True)
            subprocess.run([place / "bin" / "pip", "install", "-q", *packages], check=True)
        elif name == "ours":
            subprocess.run([place / "bin" / "pip", "install", "-q", "--force-reinstall", "--no-deps", ROOT], check=True)


def cpu(folder: Path, command: tuple[str, ...], files: list[Path]) -> float:
    """Return the seconds of CPU that a command takes on files; what it finds is of no interest."""
    environment, program, *options = command
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [folder / environment / "bin" / program, *options, *files], check=False, capture_output=True, cwd=folder
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compared(folder: Path, rounds: int) -> Iterator[str]:
    """Yield the medians of interleaved rounds, a line each, and what follows from them."""
    download(folder, (*WITH_TORCH, *WITHOUT_TORCH))
    environments(folder)
    for torch, names in ((True, WITH_TORCH), (False, WITHOUT_TORCH)):
        files = drawn(folder, names, torch=torch)
        lines = sum(path.read_bytes().count(b"\n") for path in files)
        yield f"{len(files)} files {'with' if torch else 'without'} torch, {lines:,} lines, {rounds} rounds"
        taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(rounds):
            for name, command in COMMANDS.items():
                taken[name].append(cpu(folder, command, files))
        median = {name: statistics.median(times) for name, times in taken.items()}
        yield from (f"  {name:22} {seconds:7.2f} s of CPU" for name, seconds in median.items())
        floor = median["flake8 alone"]
        ours, theirs = (median[f"flake8 with {name}"] - floor for name in ("TDL", "TorchFix"))
        yield f"  added to flake8: {ours:.2f} s by TDL, {theirs:.2f} s by TorchFix: {ours / theirs:.2f} of it"
        yield f"  added to flake8 by TDL that is not selected: {median['flake8 without TDL'] - floor:.2f} s"
        yield f"  torch-preflight takes {median['torch-preflight'] / median['check']:.1f} times what `check -j1` takes"


def figures() -> Iterator[str]:
    """Yield what `compared` finds, in a folder of the system's for temporary files that is found again next time."""
    folder = Path(tempfile.gettempdir()).resolve() / "torchdevlint-peers"
    folder.mkdir(exist_ok=True)
    try:
        yield from compared(folder, ROUNDS)
    except subprocess.CalledProcessError as error:
        yield f"nothing is compared: `{' '.join(map(str, error.cmd))}` failed"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for line in compared(arguments.folder.resolve(), arguments.rounds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
