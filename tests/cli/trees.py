"""A script with a finding, and what the command prints of it."""

from __future__ import annotations

import pytest

THROWN_AWAY = "import torch\n\nx = torch.ones(3)\nx.to('cpu')\n"


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()
