"""Generated training programs: what raises on a simulated GPU is found, and nothing else is complained of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# drawn by seed, with the mix of the long run; and drawn by hypothesis, which shrinks what is wrong
RUNS = [("--programs", "150", "--seed", "1"), ("--examples", "50")]


@pytest.mark.needs_torch
@pytest.mark.parametrize("arguments", RUNS, ids=lambda arguments: arguments[0])
def test_generated_programs(arguments: tuple[str, ...]) -> None:
    # torch is replaced by a simulation for good, so each run is a process of its own
    command = [sys.executable, "-m", "tests.differential", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
