"""A script with a finding, and what the command prints of it."""

from __future__ import annotations

import pytest

THROWN_AWAY = "import torch\n\nx = torch.ones(3)\nx.to('cpu')\n"
READ = f"{THROWN_AWAY}print(x)\n"
"""The same, where a fix can be made."""
KEPT = READ.replace("x.to", "x = x.to")
Capture = pytest.CaptureFixture[str]


def lines(capsys: Capture) -> list[str]:
    return capsys.readouterr().out.splitlines()
