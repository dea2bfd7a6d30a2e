"""Who has a fresh machine and the README gets to the first findings with the commands that it gives."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from recipes import ROOT, block

LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "fixtures", "tests")


@pytest.mark.needs_index
@pytest.mark.skipif(os.name == "nt", reason="the commands are those of other shells")
def test_the_first_commands_of_the_readme(tmp_path: Path) -> None:
    shutil.copytree(ROOT, tmp_path / "clone", ignore=LEFT_OUT)
    readme = (tmp_path / "clone" / "README.md").read_text("utf-8")
    [prepare] = re.findall(r"`(python3 -m venv .*?)`", readme)
    [first] = re.findall(r"^```console\n(.*)\n```$", readme.partition("## Use it")[0], re.MULTILINE)
    # nothing of the environment in which the tests run
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        ["bash", "-c", f"{prepare} > log && {first}"],
        cwd=tmp_path / "clone", env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 1, "there are findings"
    assert done.stdout.endswith(block("README.md", "text", "docs/examples/train.py"))
