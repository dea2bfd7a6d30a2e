"""A folder with one script that has a finding and one that has none, and one with a script that can be mended."""

from __future__ import annotations

from pathlib import Path

import pytest
from trees import READ, THROWN_AWAY


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(THROWN_AWAY)
    (tmp_path / "clean.py").write_text("import torch\n\nx = torch.ones(3)\nx = x.to('cpu')\n")
    return tmp_path


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(READ)
    return path
