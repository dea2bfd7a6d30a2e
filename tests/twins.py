"""Correct programs beside twins that have a bug: what is found in each."""

from __future__ import annotations

import textwrap

from torchdevlint.engine import analyse
from torchdevlint.options import Options

HEAD = "import torch\nfrom torch import nn\n\n"


def found(source: str) -> list[str]:
    options = Options(wants=lambda code: not code.startswith(("TDL5", "TDL9")))
    return [diagnostic.code for diagnostic in analyse(source, options=options)]


def check(source: str, old: str, new: str, code: str) -> None:
    """Look that nothing is found in a program, and the code where one text of it is replaced by another."""
    correct = HEAD + textwrap.dedent(source)
    old, new = old.replace("\\n", "\n"), new.replace("\\n", "\n")
    assert old in correct
    assert found(correct) == []
    assert found(correct.replace(old, new)) == [code]
