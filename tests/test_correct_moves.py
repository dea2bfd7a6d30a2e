"""Ways of Python's own to move both of two modules, each beside a twin that moves the first of them only."""

from __future__ import annotations

import pytest
from twins import HEAD, found

TWO = "a, b = nn.Linear(4, 4), nn.Linear(4, 4)\n"
MEET = "b(a(torch.ones(3, 4).cuda()))\n"

# ways to move both of two modules, or only the first of them
MOVES = {
    "a chain of lists": ("import itertools\nfor m in itertools.chain([a], {second}):\n    m.cuda()", "[b]", "[]"),
    "a chain of parts": (
        "import itertools\nfor m in itertools.chain.from_iterable([[a], {second}]):\n    m.cuda()",
        "[b]",
        "[]",
    ),
    "a chain of parameters": (
        "from itertools import chain\nfor p in chain({second}):\n    p.data = p.data.cuda()",
        "a.parameters(), b.parameters()",
        "a.parameters()",
    ),
    "groups of an optimizer": (
        (
            "o = torch.optim.SGD([{{'params': a.parameters()}}, *{second}], 0.1)\n"
            "for group in o.param_groups:\n    for p in group['params']:\n        p.data = p.data.cuda()"
        ),
        "[{'params': b.parameters()}]",
        "[]",
    ),
    "a dict of pairs": ("for m in dict(zip(['a', 'b'], {second})).values():\n    m.cuda()", "[a, b]", "[a]"),
    "a sequence of pairs": (
        "from collections import OrderedDict\nnn.Sequential(OrderedDict([('a', a), {second}])).cuda()",
        "('b', b)",
        "",
    ),
    "a callable handed on": (
        (
            "from concurrent.futures import ThreadPoolExecutor\na.cuda()\n"
            "with ThreadPoolExecutor() as pool:\n    pool.submit({second})"
        ),
        "b.cuda",
        "print",
    ),
    "a function handed on": (
        "import threading\ndef move():\n    {second}\na.cuda()\nthreading.Thread(target=move).start()",
        "b.cuda()",
        "pass",
    ),
    "a lambda handed on": ("import timeit\na.cuda()\ntimeit.timeit(lambda: ({second},))", "b.cuda()", "a.cuda()"),
    "a partial handed on": (
        (
            "import threading\nfrom functools import partial\na.cuda()\n"
            "threading.Thread(target=partial({second}, 'cuda')).start()"
        ),
        "b.to",
        "a.to",
    ),
    "fields by position": (
        (
            "from dataclasses import dataclass\n@dataclass\nclass Nets:\n    a: nn.Module\n    b: nn.Module\n"
            "nets = Nets(a, b)\nnets.a.cuda()\n{second}"
        ),
        "nets.b.cuda()",
        "",
    ),
    "an iterator of its own": (
        (
            "class Group:\n    def __init__(self, items):\n        self.items = items\n"
            "    def __iter__(self):\n        return iter(self.items)\nfor m in Group({second}):\n    m.cuda()"
        ),
        "[a, b]",
        "[a]",
    ),
    "elements of its own": (
        (
            "class Group:\n    def __init__(self, items):\n        self.items = items\n"
            "    def __getitem__(self, i):\n        return self.items[i]\n"
            "group = Group([a, b])\ngroup[0].cuda()\n{second}"
        ),
        "group[1].cuda()",
        "",
    ),
    "a type of CUDA": (
        "a.type(torch.cuda.FloatTensor)\n{second}",
        "b.type(torch.cuda.FloatTensor)",
        "b.type(torch.half)",
    ),
    "by name": (
        "whole = nn.Sequential(a, b)\nfor name in ['0', '1']:\n    {second}",
        "whole.get_submodule(name).cuda()",
        "a.cuda()",
    ),
    "a lambda with a default": (
        "acts = []\nfor m in {second}:\n    acts.append(lambda m=m: m.cuda())\nfor act in acts:\n    act()",
        "(a, b)",
        "(a,)",
    ),
    "through the namespace": ("a.cuda()\nfor name in ['b']:\n    {second}", "globals()[name].cuda()", "a.cuda()"),
    "an attribute of a function": ("def f():\n    pass\na.cuda()\nf.b = b\n{second}", "f.b.cuda()", "f.a = 1"),
}
KNOWN_ONLY = {"by name", "a function handed on", "a lambda with a default", "an attribute of a function"}
"""Ways of which only the correct one is told apart: what may have been moved is not reported."""


def two(name: str, which: int) -> str:
    return HEAD + TWO + MOVES[name][0].format(second=MOVES[name][which]) + "\n" + MEET


@pytest.mark.parametrize("name", MOVES)
def test_what_was_moved_meets_what_was_moved(name: str) -> None:
    assert found(two(name, 1)) == []


@pytest.mark.parametrize("name", sorted(set(MOVES) - KNOWN_ONLY))
def test_what_was_left_behind_is_found(name: str) -> None:
    assert found(two(name, 2)) == ["TDL102"]
