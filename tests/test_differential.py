"""Generated training programs: what raises on a simulated GPU is found, and nothing else is complained of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = 200


@pytest.mark.needs_torch
def test_generated_programs() -> None:
    """Torch is replaced by a simulation for good, so this is a process of its own."""
    command = [sys.executable, "-m", "tests.differential", "--programs", str(PROGRAMS), "--seed", "1", "--shrink", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
