"""Positions are those of libcst's own provider, for whatever nodes are asked for."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

import torchdevlint
from torchdevlint.positions import Span, locate

SOURCES = {
    "empty": "",
    "only a comment": "# nothing\n",
    "no newline at the end": "x = 1",
    "carriage returns": "x = 1\r\nif x:\r\n    y = (\r\n        2\r\n    )\r\n",
    "lone carriage returns": "x = 1\ry = 2\r",
    "tabs and form feeds": "if x:\n\ty = 1\n\x0c\nz = f(\n\t1,\n)\n",
    "astral characters": 's = "😀𝔘é"; y = f(s, "ß")\n',
    "lines joined by backslash": "y = 1 + \\\n    f(2)\nwith a as b, \\\n        c as d: pass\n",
    "strings over lines": 'y = """a\nb""" + f("""\n\n""", 1)\n',
    "parentheses and comments": "y = ((  # why\n    f  # this\n    (1)\n))\n",
    "several on a line": "a(); b(); c()  # d\n",
    "everything else": """
@first
@second(1)
async def f(a, /, b: int = 2, *c, d=[i for i in range(3)], **e) -> None:
    'doc'
    async with a as b, c:
        await d
    try:
        return {**e, 1: 2}
    except (A, B) as error:
        raise C from error
    else:
        del a[0], b
    finally:
        global g
    match a:
        case [1, *rest] if rest:
            pass
        case {"k": v, **others} | C(x=1):
            assert v, others
    while (n := f()):
        continue
    else:
        x += 1 if a else lambda *z: z
    for i, *j in k: print(f"{i!r:>{j}}")

class D(E, metaclass=F):

    # a comment that belongs to what follows

    h: int

    @property
    def i(self): yield from self.j[1:2, ...]
""",
}


def provided(module: cst.Module) -> dict[cst.CSTNode, Span]:
    ranges = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    # the module itself is out: where no newline ends the file, libcst's provider counts one all the same
    return {
        node: Span(r.start.line, r.start.column, r.end.line, r.end.column)
        for node, r in ranges.items()
        if node is not module
    }


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_all_nodes_at_once(source: str) -> None:
    module = cst.parse_module(source)
    expected = provided(module)
    assert locate(module, expected) == expected


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_each_node_alone(source: str) -> None:
    module = cst.parse_module(source)
    for node, span in provided(module).items():
        assert locate(module, [node]) == {node: span}


@pytest.mark.parametrize("path", sorted(Path(torchdevlint.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_few_nodes_of_real_files(path: Path) -> None:
    module = cst.parse_module(path.read_text("utf-8"))
    expected = provided(module)
    few = random.Random(0).sample(list(expected), min(5, len(expected)))  # noqa: S311
    assert locate(module, few) == {node: expected[node] for node in few}


def test_no_nodes() -> None:
    assert locate(cst.parse_module("x = 1\n"), []) == {}


def test_a_node_of_another_module_is_left_out() -> None:
    module, other = cst.parse_module("x = 1\n"), cst.parse_module("y = 2\n")
    wanted = (module.body[0], other.body[0])
    assert list(locate(module, wanted)) == [module.body[0]]


def test_columns_count_characters_and_not_bytes() -> None:
    module = cst.parse_module('s = "😀é"; f(s)\n')
    call = cst.ensure_type(
        cst.ensure_type(cst.ensure_type(module.body[0], cst.SimpleStatementLine).body[1], cst.Expr).value, cst.Call
    )
    assert locate(module, [call])[call] == Span(1, 10, 1, 14)


# Python 3.12 bounds recursion that passes through C by a number of its own, which no program can change
ELIFS = 500 if sys.version_info[:2] == (3, 12) else 999


@pytest.mark.parametrize(
    "source",
    [
        "if a:\n    b\n" + "elif a:\n    b\n" * ELIFS + "f()\n",
        "x = a" + ".b(1)" * 300 + "; f()\n",
        "x = " + " + ".join("a" * 300) + "; f()\n",
        "x = " + "(" * 190 + "1" + ")" * 190 + "; f()\n",
    ],
    ids=["elif", "calls", "sum", "parentheses"],
)
def test_deep_nesting(source: str) -> None:
    limit = sys.getrecursionlimit()
    module = cst.parse_module(source)
    statement = cst.ensure_type(module.body[-1], cst.SimpleStatementLine).body[-1]
    line = source.splitlines()[-1]
    assert locate(module, [statement])[statement] == Span(
        source.count("\n"), line.index("f()"), source.count("\n"), len(line)
    )
    assert sys.getrecursionlimit() == limit


def test_the_generator_stops_at_the_last_node() -> None:
    module = cst.parse_module("f()\n" + "g()\n" * 1000)
    seen = 0

    class Counting(cst.Module):
        def _codegen_impl(self, state: object) -> None:
            nonlocal seen
            super()._codegen_impl(state)
            seen += 1

    locate(Counting(body=module.body), [module.body[0]])
    assert seen == 0
