"""Other linters beside this one: ruff leaves our comments alone, and plugins of flake8 share an environment."""

from __future__ import annotations

import re
import subprocess
import venv
from pathlib import Path

import pytest
from recipes import BUG, FOUND, ROOT, block, run

SILENCED = BUG.replace("'cpu')\n", "'cpu')  # noqa: TDL201\n")
# what each of them finds, and this one
ALL_OF_THEM = """\
import time

import torch


async def wait(things=[]):
    time.sleep(1)


x = torch.ones(3)
x.to("cuda" if torch.cuda.is_available() else "cpu")
print(torch.load("model.pt", map_location="cpu"))
"""
CODES = {"B006": 6, "ASYNC251": 7, "TDL201": 11, "TOR102": 12}


def test_ruff_leaves_our_comments_alone(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SILENCED, "utf-8")
    (tmp_path / "pyproject.toml").write_text(block("README.md", "toml", "[tool.ruff.lint]"), "utf-8")
    command = ["ruff", "check", "--quiet", "--no-cache", "--select", "RUF100,RUF102", "--fix", "train.py"]
    assert run(command, tmp_path) == (0, "")
    assert script.read_text("utf-8") == SILENCED
    # and without these lines it takes them away
    (tmp_path / "pyproject.toml").unlink()
    assert run(command, tmp_path) == (0, "")
    assert script.read_text("utf-8") == BUG


@pytest.mark.needs_index
def test_plugins_of_flake8_share_an_environment(tmp_path: Path) -> None:
    # TorchFix wants an older libcst than there is
    venv.create(tmp_path / "venv", with_pip=True)
    python = next(path for path in (tmp_path / "venv").glob("*/python*") if path.stem == "python")
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", ROOT, "flake8-bugbear", "flake8-async", "torchfix"],
        check=True, capture_output=True,
    )  # fmt: skip
    script = tmp_path / "train.py"

    def found() -> dict[str, int]:
        command = [python, "-I", "-m", "flake8", "--isolated", "--select", "B,ASYNC251,TOR,TDL,E9", script.name]
        told = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
        assert told.stderr == ""
        return {
            code: int(line) for line, code in re.findall(r"^train\.py:(\d+):\d+: (\w+) ", told.stdout, re.MULTILINE)
        }

    script.write_text(ALL_OF_THEM, "utf-8")
    assert found() == CODES
    # a comment silences its own code, and no other's
    script.write_text(re.sub(r"\n", lambda _: "  # noqa: TDL201\n", ALL_OF_THEM), "utf-8")
    assert found() == {code: line for code, line in CODES.items() if not FOUND.startswith(code)}
