"""Cells as IPython reads them: what is Python stays in its place, and what is not says no more than is known."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchdevlint.checking.magics import NoPython, translate, unknown


def python(source: str) -> str:
    return "\n".join(line.text for line in translate(source))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", ""),
        ("x = 1\r\ny = 2", "x = 1\ny = 2"),
        ("%matplotlib inline\nx = 1", "get_ipython()(inline)\nx = 1"),
        ("%load_ext autoreload\n%autoreload 2\nx = 1", "get_ipython()(autoreload)\npass\nx = 1"),
        ("!pip install torch \\\n  numpy\nx = 1", "pass\n\nx = 1"),
        ("if x:\n    !ls\n    %cd ..\nelse:\n    y = 1", "if x:\n    pass\n    pass\nelse:\n    y = 1"),
        ("x = !ls\ny = x", "x = get_ipython()\ny = x"),
        ("a.b[0] = %pwd", "a.b[0] = get_ipython()"),
        ("a != b\nx = 1\n!ls", "a != b\nx = 1\npass"),
        ("print?\nx = 1", "pass\nx = 1"),
        ("model.forward??\nx = 1", "pass\nx = 1"),
        ("?model\nx = 1", "pass\nx = 1"),
        ("/print x\n,f a b\n;f a\nx = 1", "pass\npass\npass\nx = 1"),
        # a magic without its sign, where that is no Python
        ("cd torch/models\npip install timm -q\nx = 1", "get_ipython()(torch, models)\npass\nx = 1"),
        ("if x:\n    run train.py", "if x:\n    get_ipython()(train)"),
        ("ls -la\n!ls\ncd = 1", "ls -la\npass\ncd = 1"),
        ("%matplotlib inline\ncolors = ['a',\n  'b']", "get_ipython()(inline)\ncolors = ['a',\n  'b']"),
        ("!ls\nhistory += [\n  1]\ncat **= (\n  2)", "pass\nhistory += [\n  1]\ncat **= (\n  2)"),
        ("!ls\nconfig if x else (\n  1)", "pass\n_ = \\\nconfig if x else (\n  1)"),
        # what is measured runs, in the place where it stands
        ("%time y = f(x)", "0;    y = f(x)"),
        ("%time f(x)", "_=    f(x)"),
        ("%timeit -n 10 -r 3 f(x)", "_=                 f(x)"),
        ("%timeit y = f(x)", "y, = get_ipython()(f, x)"),
        ("%time for i in x: f(i)", "i, = get_ipython()(x, f, i)"),
        ("y = %time f(x)", "y =       f(x)"),
        ("y = %timeit -o f(x)", "y = get_ipython()"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out\n%%time\nx = 1", "\n\n\nx = 1"),
        ("%%bash\necho $x\nx = 1", "\n\n"),
        ("%%writefile a.py\nx = 1", "\n"),
        ("%%!\nls", "\n"),
        # what another magic does to the names of its cell is unknown
        ("%%px\nx = f(y)\nimport a.b as c, d.e\ndef g(): pass", "g, x, c, d, = get_ipython()(f, y)\n\n\n"),
        ("%%px\n1 +", "pass\n"),
        ("%lprun -f f f(x)", "pass"),
        # a cell that is indented as a whole
        ("    x = 1\n\n    y = 2", "x = 1\n\ny = 2"),
        # what only looks like a magic
        ('x = """\n%time f(x)\n!ls\n"""', 'x = """\n%time f(x)\n!ls\n"""'),
        ("x = (a\n  % b)\n!ls", "x = (a\n  % b)\npass"),
        ("x = a \\\n  % b\n!ls", "x = a \\\n  % b\npass"),
        ("f('(', \"\\\"(\", '''(''')  # (\n!ls", "f('(', \"\\\"(\", '''(''')  # (\npass"),
        ("x = ')'\n!ls", "x = ')'\npass"),
        # what a cell shows is not thrown away
        ("x = 1\nx", "x = 1\n_ = \\\nx"),
        ("x = 1\n\n# so\n(x\n .y)", "x = 1\n\n# so\n_ = \\\n(x\n .y)"),
        ("(\nx\n)", "_ = \\\n(\nx\n)"),
        ("x = 1\nx;", "x = 1\nx;"),
        ("x = 1\nx;  # so", "x = 1\nx;  # so"),
        ("x = 1\nx  # a; b", "x = 1\n_ = \\\nx  # a; b"),
        ("x = 1; x", "x = 1; x"),
        ('"""A text."""', '"""A text."""'),
        ("await f()", "_ = \\\nawait f()"),
    ],
)
def test_cells(source: str, expected: str) -> None:
    assert python(source) == expected
    ast.parse(expected)


def test_rows_and_shifts() -> None:
    lines = translate("  x = 1\n\n  x.cuda()")
    assert [(line.row, line.shift, line.added) for line in lines] == [
        (1, 2, False), (2, 0, False), (3, 2, True), (3, 2, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "row", "column"),
    [
        ("x = 1\ny = (", 2, 4),
        ("  x = 1\n  y = (", 2, 6),
        ("x = '\0'", 1, 0),
        ("-" * 100_000 + "1", 1, 0),
        ("\ud800", 1, 0),
    ],
)
def test_what_is_no_python(source: str, row: int, column: int) -> None:
    with pytest.raises(NoPython) as reason:
        translate(source)
    assert (reason.value.row, reason.value.column) == (row, column)
    assert reason.value.message


def test_unknown_code() -> None:
    assert unknown("x =") == "pass"
    assert unknown("1") == "pass"
    assert unknown("from a import *") == "pass"
    assert unknown("class A: pass") == "A, = get_ipython()()"


@given(
    st.lists(
        st.sampled_from(
            [
                "x = 1",
                "%time f(x)",
                "!ls \\",
                "x?",
                '"""',
                "'''",
                "(",
                ")",
                "  y",
                "%%bash",
                "x = !ls",
                "# (",
                "",
                "if x:",
            ]
        )
    )
)
def test_any_cell_is_translated_line_by_line_or_refused(texts: list[str]) -> None:
    try:
        lines = translate("\n".join(texts))
    except NoPython as reason:
        rows = range(1, len(texts) + 1)
        assert reason.row in rows  # noqa: PT017 (either is fine)
        return
    ast.parse("\n".join(line.text for line in lines))
    rows = [line.row for line in lines if not line.added]
    assert rows == list(range(1, len(rows) + 1))
