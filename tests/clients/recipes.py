"""What the documents tell people to copy, and the programs of this environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent

BUG = "import torch\n\nx = torch.ones(3)\nx.to('cuda' if torch.cuda.is_available() else 'cpu')\nprint(x)\n"
FOUND = "TDL201 result of `x.to` is thrown away: it does not change `x` itself"
CLEAN = BUG.replace("\nx.to", "\nx = x.to")
BROKEN = "import torch\n\nx = torch.ones(3\n"
MENDABLE = """\
import torch
from torch import nn

model = nn.Linear(2, 2)
total = 0
for step in range(3):
    loss = model(torch.ones(2)).sum()
    loss.backward()
    total += loss
print(total)
"""
MENDED = MENDABLE.replace("+= loss\n", "+= loss.detach()\n")


def blocks(document: str, language: str) -> list[str]:
    """Return the fenced blocks of a document in a language."""
    text = (ROOT / document).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def block(document: str, language: str, containing: str) -> str:
    """Return the one block of a document in a language that contains some text."""
    [found] = [text for text in blocks(document, language) if containing in text]
    return found


def run(command: list[str], folder: Path, text: str | None = None) -> tuple[int, str]:
    """Run a program of this environment; return its status and output, and fail where it complains."""
    result = subprocess.run(
        [SCRIPTS / command[0], *command[1:]], cwd=folder, input=text, capture_output=True, encoding="utf-8", check=False
    )
    assert result.stderr == ""
    return result.returncode, result.stdout


def with_scripts(**others: str) -> dict[str, str]:
    """Return an environment in which the programs of this one are found first."""
    return {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}", **others}
