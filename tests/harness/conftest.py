"""The tests of the simulator run PyTorch: where it is not installed, they are not collected."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest
import simulated

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_simulator_*.py"]


@pytest.fixture(scope="session", autouse=True)
def server() -> Iterator[None]:
    """End the server with the last test, so that what coverage has measured in it is there to be combined."""
    yield
    simulated.stop()
