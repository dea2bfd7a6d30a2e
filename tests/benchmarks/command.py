"""What the command costs: a second run of an unchanged tree, a second process, and memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = 3000
CHECK = (sys.executable, "-m", "torchdevlint", "check", "--isolated", "--exit-zero", "--output-file", os.devnull)
_PEAK = """
import resource, sys
{work}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
_PARSE = "import libcst\nlibcst.parse_module(open(sys.argv[1], encoding='utf-8').read())"
_ANALYSE = (
    "from torchdevlint.engine import analyse\nfor path in sys.argv[1:]: analyse(open(path, encoding='utf-8').read())"
)


def figures() -> Iterator[str]:
    """Yield the figures, a line each: seconds of the clock, for that is what caches and processes save, and MiB."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        tree = folder / "tree"
        paths = grow(tree, FILES)
        cached = ("-j1", "--cache-dir", str(folder / "cache"), str(tree))
        first, again = timed(*CHECK, *cached), timed(*CHECK, *cached)
        yield f"{FILES} files: {first:.1f} s, and unchanged {again:.2f} s, {again / first:.3f} of it"
        one, two = (timed(*CHECK, "--no-cache", f"-j{jobs}", str(tree)) for jobs in (1, 2))
        yield f"-j1 {one:.1f} s, -j2 {two:.1f} s: {one / two:.2f} times as fast"
        few, many = (peak(_ANALYSE, *paths[:number]) for number in (FILES // 10, FILES))
        yield f"peak memory after {FILES // 10} files {few} MiB, after {FILES} {many} MiB"
    largest = max(Path(sysconfig.get_path("purelib"), "torch").rglob("*.py"), key=lambda path: path.stat().st_size)
    parse, whole = peak(_PARSE, largest), peak(_ANALYSE, largest)
    yield f"peak memory of torch's largest file: parse {parse} MiB, analysis {whole} MiB, {whole / parse:.2f} of it"


def grow(tree: Path, number: int) -> list[Path]:
    """Write so many files, which are the fixtures again and again; return their paths."""
    sources = sorted((ROOT / "fixtures").rglob("*.py"))
    made = []
    for i in range(number):
        source = sources[i % len(sources)]
        path = tree / str(i // len(sources)) / source.parent.name / source.name
        path.parent.mkdir(parents=True, exist_ok=True)
        made.append(Path(shutil.copy(source, path)))
    return made


def timed(*command: str) -> float:
    """Return the seconds that a command takes."""
    began = time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT)
    return time.perf_counter() - began


def peak(work: str, *paths: Path) -> int:
    """Return the peak memory of a process that works on files, in MiB."""
    command = [sys.executable, "-c", _PEAK.format(work=work), *paths]
    return int(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)
