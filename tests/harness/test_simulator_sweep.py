"""PyTorch's own samples of all operations and modules: none is refused on one device, each is on two."""

from __future__ import annotations

import pytest
import sweep
from simulated import run

pytestmark = pytest.mark.needs_torch

NOT_ON_THE_DEVICE: dict[str, str] = {}
NOT_REFUSED: dict[str, str] = {}


def test_operations_on_the_device_pass() -> None:
    outcome = run(sweep.operations_on_the_device, seconds=500)
    assert outcome.ran > 500
    assert outcome.wrong == NOT_ON_THE_DEVICE


def test_operations_on_both_are_refused() -> None:
    outcome = run(sweep.operations_on_both, seconds=500)
    assert outcome.ran > 150
    assert outcome.wrong == NOT_REFUSED


def test_modules_on_the_device_pass() -> None:
    outcome = run(sweep.modules_on_the_device, seconds=500)
    assert outcome.ran > 100
    assert outcome.wrong == {}


def test_modules_on_both_are_refused() -> None:
    outcome = run(sweep.modules_on_both, seconds=500)
    assert outcome.ran > 50
    assert outcome.wrong == {}
