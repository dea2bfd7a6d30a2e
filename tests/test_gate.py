"""The gate refuses what no rule could fire in, and never a file in which one can."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from torchdevlint.gate import MAX_CHARACTERS, MAX_LINE_CHARACTERS, check_size, may_find
from torchdevlint.knowledge import DEFAULT
from torchdevlint.options import NotAnalysed

ROOT = Path(__file__).parents[1]

LET_THROUGH = {
    "a move": "import torch\nx = torch.ones(2)\nx.to('cuda')\n",
    "a module that makes a tensor": (
        "from torch import nn, zeros\nclass A(nn.Module):\n  def forward(self, x): return x + zeros(2)\n"
    ),
    "a module whose base is imported": (
        "import torch\nfrom base import A\nclass B(A):\n  def forward(self, x): return x + torch.zeros(2)\n"
    ),
    "losses added up on the host": "import torch\ntotal = 0\nfor x in y:\n  l = f(x); l.backward(); total += l\n",
    "losses added up without backward": (
        "import torch.nn.functional as F\ndef f(m, d):\n  t = 0\n  for x, y in d: t += F.cross_entropy(m(x), y)\n"
    ),
    "a load": "import torch\nweights = torch.load('a.pt')\n",
    "a discarded cast": "import torch\nx = torch.ones(2)\nx.long()\n",
    "only transformers": (
        "from transformers import AutoModel\nmodel = AutoModel.from_pretrained('a').to('cuda')\nmodel(**tokens)\n"
    ),
    "only lightning": "import os, lightning as L\nclass A(L.LightningModule): pass\n",
    "a submodule of accelerate": "from accelerate.utils import set_seed\ndevice = 'cuda'\n",
    "only accelerate": "import accelerate\nmodel = accelerate.Accelerator().prepare(model)\n",
    "moves passed as functions": "import torch\ny = map(torch.Tensor.cuda, x)\n",
    "an import in a function": "def f():\n    import torch; return torch.zeros(2, device='mps')\n",
}

REFUSED = {
    "nothing": "",
    "another library": "import numpy as np\nx = np.zeros(3)\nmodel.to('cuda')\n",
    "a word that a library shares": "import os\n# we accelerate transformers\ndevice = 'cuda'\nx.to(device)\n",
    "names alone": "from torch import Tensor\n__all__ = ['Tensor']\n",
    "an alias of a type": "import torch\nArray = torch.Tensor\ndef f(x: Array) -> Array: return x + 1\n",
}


@pytest.mark.parametrize("text", LET_THROUGH.values(), ids=LET_THROUGH.keys())
def test_lets_through(text: str) -> None:
    assert may_find(text)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_refuses(text: str) -> None:
    assert not may_find(text)


def test_lets_every_fixture_through() -> None:
    refused = [str(path) for path in sorted(ROOT.glob("fixtures/*/bad*.py")) if not may_find(path.read_text("utf-8"))]
    assert refused == []


# libraries of the knowledge that make and move no tensors: they matter beside others only
GENERAL = {
    *("absl", "argparse", "builtins", "configargparse", "itertools", "matplotlib", "more_itertools", "numpy"),
    *("multiprocessing", "os"),
    *("omegaconf", "pandas", "print", "pylab", "rich", "seaborn", "sklearn", "tensorboardX", "tqdm", "yacs"),
}


def test_lets_every_library_of_the_knowledge_through() -> None:
    names = {*DEFAULT.names, *(alias for alias, _ in DEFAULT.aliases)}
    libraries = {name.partition(".")[0] for name in names} - GENERAL
    for library in libraries:
        assert may_find(f"import {library}\ndevice = 0\n"), library
        assert may_find(f"import os, {library} as a\ndevice = 0\n"), library
        assert may_find(f"if x:\n    from {library}.b import a\ndevice = 0\n"), library


def test_a_refused_file_imports_no_libcst() -> None:
    code = (
        "import sys; from torchdevlint.flake8_plugin import Plugin; import ast;"
        "assert list(Plugin(ast.parse(''), ['import os\\n'], 'a.py').run()) == [];"
        "sys.exit('libcst' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_size() -> None:
    check_size("x = 1\n" * 1000)
    check_size(("x" * (MAX_LINE_CHARACTERS - 1) + "\n") * 3)
    with pytest.raises(NotAnalysed, match=r"^longer than 4,000,000 characters$"):
        check_size("x" * (MAX_CHARACTERS + 1))
    with pytest.raises(NotAnalysed, match=r"^a line is longer than 200,000 characters$"):
        check_size("y\n" + "x" * (MAX_LINE_CHARACTERS + 1) + "\ny\n")
