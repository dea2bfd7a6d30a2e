"""Analyse sources that are extreme in one way each, and print time, limit and outcome of each."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import libcst as cst

from torchdevlint.engine import analyse
from torchdevlint.options import NotAnalysed

HEAD = "import torch\nx = torch.ones(3)\n"
TAIL = "x.cuda()\n"

EXTREMES = {
    "empty": "",
    "only a comment": "# torch, device\n",
    "10,000 lines of assignments": HEAD + "y = x + 1\n" * 10_000 + TAIL,
    "10,000 lines of moves": HEAD + "x = x.to('cuda')\nx = x.cpu()\n" * 5_000 + TAIL,
    "10,000 lines under guards": HEAD + "".join(f"if a{i}:\n    x = x.cuda()\n" for i in range(5_000)) + TAIL,
    "2,000 functions that call each other": HEAD
    + "".join(f"def f{i}(x):\n    return f{i + 1}(x) + f{i + 2}(x.cuda())\n" for i in range(2_000))
    + "f0(x)\n",
    "a function that calls itself": HEAD + "def f(x):\n    return f(x.cuda()) + f(x.cpu())\n\nf(x)\n" + TAIL,
    "90 indents": HEAD + "".join("    " * i + "if a:\n" for i in range(90)) + "    " * 90 + TAIL,
    "20 loops in each other": HEAD
    + "".join("    " * i + f"for a{i} in b:\n" for i in range(20))
    + "    " * 20
    + "x = x.cuda() + x\n"
    + TAIL,
    "15 comprehensions in each other": HEAD + "y = " + "[" * 15 + "x.cuda()" + " for a in b]" * 15 + "\n" + TAIL,
    "190 parentheses": HEAD + "y = " + "(" * 190 + "x" + ")" * 190 + "\n" + TAIL,
    "sum of 300 terms": HEAD + "y = " + " + ".join(["x"] * 300) + "\n" + TAIL,
    "300 chained calls": HEAD + "y = x" + ".to('cuda')" * 300 + "\n" + TAIL,
    "1,000 elif": HEAD + "if a == 0:\n    x = x.cuda()\n" + "elif a == 1:\n    x = x.cpu()\n" * 1_000 + TAIL,
    "a line of 100 kB": HEAD + "y = [" + "x, " * 33_000 + "]\n" + TAIL,
    "a string of 100 kB": HEAD + "y = '" + "x" * 100_000 + "'\n" + TAIL,
    "a dictionary of 10,000 tensors": HEAD + "y = {" + ", ".join(f"'{i}': x" for i in range(10_000)) + "}\n" + TAIL,
    "1,000 attributes of a module": "import torch\nfrom torch import nn\n\n\nclass A(nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n"
    + "".join(f"        self.a{i} = nn.Linear(2, 2)\n" for i in range(1_000))
    + "    def forward(self, x):\n"
    + "".join(f"        x = self.a{i}(x)\n" for i in range(1_000))
    + "        return x\n\n\nA().cuda()(torch.ones(2))\n",
    "a list of eight times the same, eight deep": HEAD
    + "a = [x]\n"
    + "a = [a, a, a, a, a, a, a, a]\n" * 8
    + "f(a)\n"
    + TAIL,
    "a Sequential of twenty times the same, six deep": HEAD
    + "m = torch.nn.Linear(2, 2)\n"
    + ("m = torch.nn.Sequential(" + "m, " * 20 + ")\n") * 6
    + "m.cuda()(x)\n",
    "a list appended to itself ten times": HEAD + "a = [x]\n" + "a.append(a)\n" * 10 + "f(a)\n" + TAIL,
    "six comprehensions over displays": HEAD + "y = " + "[" * 6 + "x.cuda()" + " for a in [x, x, x, x]]" * 6 + "\n",
    "128 tensors that are each on a device of their own": HEAD
    + "".join(f"a{i} = torch.ones(3, device='cuda' if f{i} else 'cpu')\n" for i in range(128))
    + "y = torch.cat(["
    + ", ".join(f"a{i}" for i in range(128))
    + "])\n",
    "a test of 3,000 terms": HEAD + "if " + " or ".join(f"a{i}" for i in range(3_000)) + ":\n    x.cuda()\n",
    "600 tests of a value that they move": HEAD
    + "if x.sum():\n    x = x.cuda()\nelse:\n    x = x.cpu()\n" * 600
    + "y = x + x.sum()\n",
    "500 classes behind one": "import torch\n\n\nclass A0(torch.nn.Module):\n    pass\n\n\n"
    + "".join(
        f"class A{i + 1}(A{i}):\n    def f{i}(self, x):\n        self.a{i} = x.cuda()\n"
        f"        return self.f{i - 1}(x)\n\n\n"
        for i in range(500)
    )
    + "A500().cuda()\n",
    "1,000 functions in a function": HEAD
    + "def f(x):\n"
    + "".join(f"    def g{i}(y):\n        return y.cuda() + x\n" for i in range(1_000))
    + "    return x\n"
    + TAIL,
    "1,000 ways out of a function": HEAD
    + "def f(x):\n"
    + "".join(f"    y{i} = x.cuda()\n    if a{i}:\n        return y{i}\n" for i in range(1_000))
    + "f(x)\n",
}


def best_of_three(function: Callable[[str], object], source: str) -> float:
    """Return the seconds that a function takes when nothing else gets in its way."""
    times = []
    for _ in range(3):
        start = time.process_time()
        function(source)
        times.append(time.process_time() - start)
    return min(times)


def codes(source: str) -> str:
    """Return what comes of a source: the codes that are found, or why there are none."""
    try:
        return ", ".join(sorted({found.code for found in analyse(source)})) or "none"
    except NotAnalysed as reason:
        return f"not analysed: {reason}"


def figures() -> Iterator[str]:
    """Yield time, limit and outcome of each source."""
    analyse(HEAD + TAIL)  # the imports behind the gate are not what is measured
    for name, source in EXTREMES.items():
        limit = 3 * best_of_three(cst.parse_module, source) + 0.005
        whole = best_of_three(codes, source)
        verdict = "OVER" if whole > limit else "ok"
        yield f"{verdict:4}  {whole * 1e3:9.1f} ms of {limit * 1e3:9.1f}  {name}: {codes(source)}"


def main() -> int:
    lines = list(figures())
    print(*lines, sep="\n")
    return int(any(line.startswith("OVER") for line in lines))


if __name__ == "__main__":
    sys.exit(main())
