"""Real files to measure on: drawn by seed from packages of the registry, 300 that import torch and 300 that do not."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path

WITH_TORCH = (
    "accelerate", "diffusers", "lightning", "timm", "torch_geometric", "torchvision", "transformers", "ultralytics",
)  # fmt: skip
WITHOUT_TORCH = ("django", "requests", "sympy")
SEED = 7
NUMBER = 300
_IMPORT = re.compile(r"^[ \t]*(?:from|import) +torch\b", re.MULTILINE)


def download(folder: Path, names: tuple[str, ...]) -> None:
    """Bring the newest wheels of packages into a folder, and unpack their Python files there, once."""
    for name in names:
        if (folder / name).is_dir():
            continue
        wheels = folder / "wheels" / name
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", wheels]
        subprocess.run([*command, name], check=True)
        for wheel in wheels.glob("*.whl"):
            with zipfile.ZipFile(wheel) as packed:
                packed.extractall(folder / name, [one for one in packed.namelist() if one.endswith(".py")])


def drawn(folder: Path, names: tuple[str, ...], *, torch: bool) -> list[Path]:
    """Return files of packages, `NUMBER` of them, the same for the same releases; by whether they import torch."""
    files = []
    for path in sorted(path for name in names for path in (folder / name).rglob("*.py")):
        text = path.read_text("utf-8", errors="replace")
        if len(text) > 1000 and (_IMPORT.search(text) is not None) == torch:
            files.append(path)
    return random.Random(SEED).sample(files, min(NUMBER, len(files)))
