"""The pieces that fixes are made of, where no script shows them, and findings that no fix can place."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from torchdevlint import mending
from torchdevlint.engine import all_rules, analyse
from torchdevlint.facts import FileFacts
from torchdevlint.lattice import HOST, Possibility
from torchdevlint.mending.calls import argument_added, argument_dropped
from torchdevlint.mending.devices import device_at, sent_to
from torchdevlint.mending.edits import Edit, safe, unsafe
from torchdevlint.mending.source import Source
from torchdevlint.mending.statements import moved_up, within
from torchdevlint.mending.uses import is_imported, is_set_once, value_of
from torchdevlint.options import Options
from torchdevlint.positions import Span
from torchdevlint.rule import Finding, Rule

LOST = cst.Name("lost")
"""A node of which nobody knows the place."""
PARTS: dict[str, object] = dict.fromkeys(
    ("built", "begun", "made", "gathered", "converted", "loop", "graph", "now", "role", "other_place"), LOST
)


def source(text: str) -> Source:
    return Source(text, {}, FileFacts())


def call(text: str) -> tuple[Source, ast.Call]:
    given = source(text)
    return given, next(one for one in ast.walk(given.tree) if isinstance(one, ast.Call))


def after(given: Source, edit: Edit | None) -> str | None:
    """The text of a source of a few lines after an edit."""
    if edit is None:
        return None
    lines, span = given.lines, edit.span
    head = "\n".join([*lines[: span.line - 1], lines[span.line - 1][: span.column]])
    return head + edit.text + "\n".join([lines[span.end_line - 1][span.end_column :], *lines[span.end_line :]])


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
@pytest.mark.parametrize("about", [(), (LOST, LOST)], ids=["nothing", "something"])
def test_what_has_no_place_has_no_fix(rule: Rule, about: tuple[cst.CSTNode, ...]) -> None:
    assert mending.repair(rule, Finding(LOST, PARTS, about=about), source("x = 1\n")) is None


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_sentence_tells_what_mends_it(rule: Rule) -> None:
    assert mending.told(rule).endswith(".")


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("f()", "f(a=1)"),
        ("f(\n)", "f(\na=1)"),
        ("f(  # why\n)", None),
        ("f(x for x in y)", None),
        ("f((x for x in y))", "f((x for x in y), a=1)"),
        ("f((x), )", "f((x), a=1, )"),
        ("f((x  # why\n  )\n )", "f((x  # why\n  ), a=1\n )"),
        ("f((x \\\n  ))", "f((x \\\n  ), a=1)"),
        ("f(\n    x,\n    **y)", None),
        ("f('é', *x)", "f('é', *x, a=1)"),
        ("f(\n  x,  # why\n)", "f(\n  x,  # why\n  a=1,\n)"),
        ("f(\n  x  # why\n)", "f(\n  x,  # why\n  a=1\n)"),
        ("f(y,\n  x)  # why", "f(y,\n  x,\n  a=1)  # why"),
    ],
)
def test_an_argument_comes_last(text: str, fixed: str | None) -> None:
    given, called = call(text)
    assert after(given, argument_added(given, called, "a", "1")) == fixed


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("f(a=1)", "f()"),
        ("f(a=1, b=2)", "f(b=2)"),
        ("f(x, a=(1), b=2)", "f(x, b=2)"),
        ("f(x, a=1,)", "f(x,)"),
        ("f(x, b=2)", None),
    ],
)
def test_an_argument_goes_with_its_comma(text: str, fixed: str | None) -> None:
    given, called = call(text)
    assert after(given, argument_dropped(given, called, "a")) == fixed
    assert argument_dropped(given, None, "a") is None


def test_a_statement_does_not_move_far_or_back() -> None:
    far = source("a = 1\n" + "b = 2\n" * 41 + "c = 3\n")
    assert moved_up(far, far.tree.body[-1], far.tree.body[0]) is None
    assert moved_up(far, far.tree.body[0], far.tree.body[1]) is None
    assert moved_up(far, far.tree.body[0], None) is None


def test_a_comment_that_ends_a_file_stays_whole() -> None:
    given = source("def f():\n    pass\na = 1\nb = 2\n# c\nx = 3\n")
    moved = moved_up(given, given.tree.body[3], given.tree.body[1])
    assert moved is not None
    assert moved[0].text == "# c\nx = 3\n"


def test_a_block_is_indented_as_the_file_is() -> None:
    for text, step in (("for x in y: z()\n", "    "), ("for x in y:\n  z()\n\n  z()\n", "  ")):
        given = source(text)
        edits = within(given, given.tree.body[0], "with a")
        assert edits is not None
        assert edits[0].text == f"with a:\n{step}"
    assert within(given, None, "with a") is None


def test_values_that_are_not_known() -> None:
    given = source("from .a import b\nimport c.d\nx, y = 1, 2\nz = {}\nz['a'] = x\nfor w in z: print(w, x, b)\nz.f.g\n")
    names = {one.id: one for one in ast.walk(given.tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    assert [value_of(given, names[name]) is None for name in ("x", "w", "z", "print")] == [True, True, False, True]
    assert value_of(given, ast.parse("f()", mode="eval").body) is None
    assert not is_imported(given, ast.parse("[f][0]", mode="eval").body)
    assert given.scopes.spelled("c.d.e", names["x"]) == "c.d.e"
    assert given.scopes.spelled("b", names["x"]) is None
    assert device_at(given, names["x"]) is None
    assert sent_to(given, Possibility(HOST), names["x"]) is None
    assert given.call(LOST) is None
    assert given.statement(LOST) is None
    assert given.scopes.statement(given.tree) is None


def test_lines_are_those_of_the_parser() -> None:
    text = "import torch\rx = torch.ones(3)\r\nx.to('cpu')\nprint(x)\n"
    (found,) = analyse(text, options=Options(details=True))
    assert (found.line, found.repair is not None) == (3, True)


def test_a_handler_binds_the_name_of_the_exception() -> None:
    given = source("try:\n    pass\nexcept ValueError as error:\n    kept = 1\n")
    assert given.scopes.bindings(given.tree) == {"error": [3], "kept": [4]}


@pytest.mark.parametrize(
    ("text", "once"),
    [
        ("class A(B):\n    def __init__(self):\n        super().__init__()\n        self.x = 1\n", True),
        ("def build(self):\n    self.x = 1\n", False),
        ("self.x = 1\n", False),
    ],
)
def test_an_attribute_is_set_once_by_a_method_of_its_class(text: str, once: bool) -> None:
    given = source(text)
    target = next(one for one in ast.walk(given.tree) if isinstance(one, ast.Attribute) and one.attr == "x")
    assert is_set_once(given, target) is once


def test_what_stands_in_one_line_is_mended_together() -> None:
    one, other = Edit(Span(1, 2, 1, 3), "a"), Edit(Span(1, 5, 1, 6), "b")
    assert mending._together(safe(one), None) == safe(one)
    assert mending._together(safe(one), safe(one)) == safe(one)
    assert mending._together(safe(one), safe(other)) == safe(one, other)
    assert mending._together(safe(one), unsafe(other)) == safe(one)
    assert mending._together(safe(one), safe(Edit(Span(1, 3, 1, 6), "b"))) == safe(one)
