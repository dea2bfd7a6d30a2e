"""Notebooks as tests write them."""

from __future__ import annotations

from typing import Any


def code(source: str, *, as_list: bool = True, **metadata: Any) -> dict[str, Any]:
    text = source.splitlines(keepends=True) if as_list else source
    return {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": text}


def notebook(*sources: str, as_list: bool = True, **metadata: Any) -> dict[str, Any]:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# %time"]}]
    cells += [code(source, as_list=as_list) for source in sources]
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
