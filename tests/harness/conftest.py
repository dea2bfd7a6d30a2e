"""The tests of the harness run PyTorch; where it is not installed, they are not collected."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_simulator_*.py"]
