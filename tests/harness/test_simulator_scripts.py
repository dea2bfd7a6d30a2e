"""Whole scripts give on the simulated machine the numbers that they give on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import scripts
from simulated import run

from torchdevlint.harness.simulator import Machine

pytestmark = pytest.mark.needs_torch

SCRIPTS = (
    scripts.images,
    scripts.adversaries,
    scripts.sequences,
    scripts.attention,
    scripts.accumulation,
)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_gives_the_numbers_of_the_cpu(script: Callable[[str, str], list[float]], tmp_path: Path) -> None:
    on_cpu = run(script, None, name="cpu", folder=str(tmp_path))
    assert len(on_cpu) > 4
    assert run(script, Machine(), name="cuda", folder=str(tmp_path)) == pytest.approx(on_cpu, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("devices", [1, 2])
def test_replicas_give_the_numbers_of_the_cpu(devices: int, tmp_path: Path) -> None:
    on_cpu = run(scripts.replicas, None, name="cpu", folder=str(tmp_path))
    on_devices = run(scripts.replicas, Machine(devices), name="cuda", folder=str(tmp_path))
    assert on_devices == pytest.approx(on_cpu, rel=1e-5)
