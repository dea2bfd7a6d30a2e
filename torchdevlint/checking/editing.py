"""What can be edited: a Python file, or a notebook, each with the same methods."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

from torchdevlint.checking import documents, notebooks
from torchdevlint.checking.documents import Document, NotEditable
from torchdevlint.checking.notebooks import Notebook
from torchdevlint.checking.writing import replace_bytes

Editable: TypeAlias = Document | Notebook


def load(path: Path) -> Editable:
    """Read a file for editing. Raises `OSError`, and `NotEditable` where something would be lost."""
    return parse(str(path), path.read_bytes())


def save(path: Path, changed: Editable, original: Editable) -> None:
    """Replace a file, at once. Raises `OSError`, and `NotEditable` where it is not to be replaced.

    A file of several names may be in a store of packages, too; replaced, it would leave its other names behind.
    """
    if not os.access(path, os.W_OK):
        raise NotEditable("it is read-only")
    if path.stat().st_nlink > 1:
        raise NotEditable("it has other names (hard links), which would keep the old text")
    if path.read_bytes() != original.encode():
        raise NotEditable("it changed meanwhile")
    replace_bytes(path, changed.encode())


def parse(name: str, data: bytes) -> Editable:
    """Return what the bytes of a file of that name are. Raises `NotEditable` where something would be lost."""
    return notebooks.editable(data) if notebooks.is_notebook(name) else documents.parse(data)
