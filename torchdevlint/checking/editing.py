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
    return notebooks.load(path) if notebooks.is_notebook(str(path)) else documents.load(path)
