"""The table of device checks is that of the installed PyTorch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from torchdevlint.harness.simulator import generate_rules

pytestmark = pytest.mark.needs_torch
pytest.importorskip("yaml")


def test_the_table_is_fresh() -> None:
    assert generate_rules.main(["--check"]) == 0
    assert json.loads(generate_rules.TABLE.read_text())["torch"] == torch.__version__.split("+")[0]


def test_a_stale_table_is_found_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "device_rules.json"
    table.write_text("{}")
    committed = generate_rules.TABLE.read_text()
    monkeypatch.setattr(generate_rules, "TABLE", table)
    assert generate_rules.main(["--check"]) == 1
    assert "is not what the installed PyTorch says" in capsys.readouterr().err
    assert generate_rules.main([]) == 0
    assert table.read_text() == committed


def test_the_generator_is_a_program() -> None:
    command = [sys.executable, "-m", "torchdevlint.harness.simulator.generate_rules", "--check"]
    assert subprocess.run(command, check=False).returncode == 0
