"""What can be edited: a Python file, or a notebook, each with the same methods."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from torchdevlint.checking import documents, notebooks
from torchdevlint.checking.documents import Document
from torchdevlint.checking.notebooks import Notebook

Editable: TypeAlias = Document | Notebook


def load(path: Path) -> Editable:
    """Read a file for editing. Raises `OSError`, and `NotEditable` where something would be lost."""
    return parse(str(path), path.read_bytes())


def parse(name: str, data: bytes) -> Editable:
    """Return what the bytes of a file of that name are. Raises `NotEditable` where something would be lost."""
    return notebooks.editable(data) if notebooks.is_notebook(name) else documents.parse(data)
