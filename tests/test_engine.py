"""The engine as one call: what it refuses, how it says what it found, and sources that are extreme in one way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import NoReturn

import libcst as cst
import pytest

from torchdevlint import engine
from torchdevlint.engine import Diagnostic, analyse, diagnose
from torchdevlint.facts import FileFacts
from torchdevlint.gate import MAX_CHARACTERS, MAX_LINE_CHARACTERS
from torchdevlint.lattice import HOST, Concrete, Possibility
from torchdevlint.options import NotAnalysed, Options
from torchdevlint.rule import Finding, Rule
from torchdevlint.settle import Settled
from torchdevlint.why import Role, Why

BUG = "import torch\nx = torch.ones(3)\nx.cuda()\n"


def only(*codes: str) -> Options:
    return Options(wants=lambda code: code in codes)


def found(text: str, *codes: str) -> list[tuple[str, int]]:
    return [(d.code, d.line) for d in analyse(text, options=only(*codes))]


# what is refused


def test_the_package_imports_no_libcst() -> None:
    code = "import sys, torchdevlint.flake8_plugin, torchdevlint.gate; sys.exit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_the_gate_refuses_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: str) -> NoReturn:
        raise AssertionError(text)

    monkeypatch.setattr(engine, "parse", parse)
    assert analyse("import os\nx.cuda()\n") == ()
    with pytest.raises(AssertionError):
        analyse(BUG)


@pytest.mark.parametrize("text", ["", "\n", "# torch, device\n", "import torch  # device", "\ufeffimport torch\n"])
def test_nothing_to_find(text: str) -> None:
    assert analyse(text) == ()


def test_what_libcst_cannot_parse() -> None:
    with pytest.raises(NotAnalysed, match=r"^libcst cannot parse line 4: "):
        analyse(BUG + "x = = 1\n")


def test_a_text_that_cannot_be_encoded_is_not_analysed() -> None:
    with pytest.raises(NotAnalysed, match=r"^the text cannot be encoded$"):
        analyse("import torch\nx = '\udc80'\nx.cuda()\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BUG + "# x\n" * (MAX_CHARACTERS // 4), "longer than 4,000,000 characters"),
        (BUG + "#" * (MAX_LINE_CHARACTERS + 1), "a line is longer than 200,000 characters"),
    ],
)
def test_what_is_too_large(text: str, reason: str) -> None:
    with pytest.raises(NotAnalysed, match=f"^{reason}$"):
        analyse(text)


def test_what_is_nested_too_deeply(monkeypatch: pytest.MonkeyPatch) -> None:
    def interpret(*arguments: object, **more: object) -> NoReturn:
        raise RecursionError

    monkeypatch.setattr(engine, "interpret", interpret)
    with pytest.raises(NotAnalysed, match=r"^nested too deeply$"):
        analyse(BUG)


# what is wanted


def test_only_wanted_codes_are_reported() -> None:
    assert found(BUG, "TDL201") == [("TDL201", 3)]
    assert found(BUG, "TDL999") == []


def test_a_test_file_may_name_its_device() -> None:
    chosen = "device = 'cuda' if torch.cuda.is_available() else 'cpu'\nnet = torch.load('net.pt')\nnet.to(device)\n"
    for body, codes in (("x = torch.ones(3).to('cuda')\ny = x.cuda()\n", ["TDL501", "TDL502"]), (chosen, ["TDL401"])):
        source = f"import torch\n{body}"
        assert [d.code for d in analyse(source, options=Options(filename="train.py"))] == codes
        assert analyse(source, options=Options(filename="tests/train.py")) == ()


def test_positions_count_code_points() -> None:
    (one,) = analyse("import torch\nx = torch.ones(3); '\U0001f600é'; x.cuda()\n", options=only("TDL201"))
    assert (one.line, one.column, one.end_line, one.end_column) == (2, 25, 2, 33)


def test_findings_are_sorted_by_position() -> None:
    source = (
        "import torch\n\n\ndef late():\n    y = torch.ones(3)\n    y.cuda()\n    return torch.cat([y, y])\n\n\n"
        "x = torch.ones(3)\nz = torch.ones(3)\nz.cuda(); x.cuda()\nlate()\n"
    )
    places = [(d.line, d.column) for d in analyse(source, options=only("TDL201"))]
    assert len(places) == 3
    assert places == sorted(places)


# what is said

SOURCE = cst.parse_module("x = make()\ny = x.cpu()\ny + z\n")


def expression(line: int) -> cst.BaseExpression:
    statement = SOURCE.body[line - 1]
    assert isinstance(statement, cst.SimpleStatementLine)
    part = statement.body[0]
    assert isinstance(part, cst.Assign | cst.Expr)
    return part.value


def check(event: object, facts: FileFacts) -> Iterator[Finding]:
    raise AssertionError


def rule(message: str) -> Rule:
    return Rule("TDL199", "test", (), message, "Mend it", (), False, True, check)


def said(message: str, **parts: object) -> str:
    (diagnostic,) = diagnose(SOURCE, [Settled(rule(message), Finding(expression(3), parts))])
    return diagnostic.message


MADE = Why(Role.CREATED, expression(1), "made by `make`")
MOVED = Why(Role.MOVED_TO_HOST, expression(2), "moved by `.cpu`", MADE)
BATCH = Why(Role.BATCH, expression(1), "from `loader`")


def test_a_message_is_given_its_parts() -> None:
    assert said("{odd} met {other}", odd="`y`", other="`z`") == "`y` met `z`"


def test_a_node_is_its_line() -> None:
    assert said("made on {where}", where=expression(2)) == "made on line 2"
    assert said("made on {where}", where=cst.Name("x")) == "made on another line"


@pytest.mark.parametrize(
    ("possibility", "text"),
    [
        (Possibility(HOST), "cpu"),
        (Possibility(Concrete("cuda", 1), why=MADE), "cuda:1 (line 1)"),
        (Possibility(HOST, why=MOVED), "cpu (line 2)"),
        (Possibility(HOST, why=BATCH), "cpu (from `loader`, line 1)"),
        (Possibility(HOST, why=Why(Role.CREATED, cst.Name("x"), "made elsewhere")), "cpu"),
    ],
)
def test_a_possibility_is_its_device_and_line(possibility: Possibility, text: str) -> None:
    assert said("on {where}", where=possibility) == f"on {text}"


def test_of_several_places_the_first_is_told_and_the_others_are_counted() -> None:
    places = [Finding(expression(line), {"odd": f"`{line}`"}) for line in (2, 1, 3)]
    (diagnostic,) = diagnose(SOURCE, [Settled(rule("{odd} stays"), places[0], tuple(places[1:]))])
    assert (diagnostic.line, diagnostic.message) == (1, "`1` stays, and 2 more")


def test_a_diagnostic_stands_where_its_node_does() -> None:
    settled = [Settled(rule("text"), Finding(expression(3), {}))]
    assert list(diagnose(SOURCE, settled)) == [Diagnostic("TDL199", "text", 3, 0, 3, 5)]


# extremes

HEAD = "import torch\nx = torch.ones(3)\n"
TAIL = "x.cuda()\n"
NESTED = "    " * 90
# Python 3.12 bounds recursion that passes through C by a number of its own, which no program can change
ELIFS = 500 if sys.version_info[:2] == (3, 12) else 1_000
EXTREMES = {
    "90 indents": HEAD + "".join("    " * i + "if a:\n" for i in range(90)) + NESTED + TAIL,
    "20 loops in each other": HEAD + "".join("    " * i + f"for a{i} in b:\n" for i in range(20)) + "    " * 20 + TAIL,
    "20 functions in each other": HEAD + "".join("    " * i + f"def f{i}():\n" for i in range(20)) + "    " * 20 + TAIL,
    "15 comprehensions in each other": HEAD + "y = " + "[" * 15 + "x.cuda()" + " for a in b]" * 15 + "\n" + TAIL,
    "190 parentheses": HEAD + "y = " + "(" * 190 + "x" + ")" * 190 + "\n" + TAIL,
    "190 lists in each other": HEAD + "y = " + "[" * 190 + "x" + "]" * 190 + "\n" + TAIL,
    "190 calls in each other": HEAD + "y = " + "f(" * 190 + "x" + ")" * 190 + "\n" + TAIL,
    "a sum of 300 terms": HEAD + "y = " + " + ".join(["x"] * 300) + "\n" + TAIL,
    "a conjunction of 300 terms": HEAD + "y = " + " and ".join(["x"] * 300) + "\n" + TAIL,
    "300 terms, each the power of the next": HEAD + "y = " + " ** ".join(["x"] * 300) + "\n" + TAIL,
    "300 negations": HEAD + "y = " + "-" * 300 + "x\n" + TAIL,
    "300 conditionals": HEAD + "y = " + "x if a else " * 300 + "x\n" + TAIL,
    "300 chained calls": HEAD + "y = x" + ".to('cuda')" * 300 + "\n" + TAIL,
    "300 attributes": HEAD + "y = x" + ".a" * 300 + "\n" + TAIL,
    "300 subscripts": HEAD + "y = x" + "[0]" * 300 + "\n" + TAIL,
    "300 comparisons": HEAD + "y = " + " < ".join(["x"] * 300) + "\n" + TAIL,
    "300 targets": HEAD + "y = " * 300 + "x\n" + TAIL,
    "300 arguments": HEAD + "y = f(" + "x, " * 300 + ")\n" + TAIL,
    "1,000 elif": HEAD + "if a == 0:\n    y = x.cuda()\n" + "elif a == 1:\n    y = x.cpu()\n" * ELIFS + TAIL,
    "1,000 cases": HEAD + "match a:\n" + "    case 1:\n        y = x.cpu()\n" * 1_000 + TAIL,
    "1,000 handlers": HEAD + "try:\n    f()\n" + "except A:\n    y = x.cpu()\n" * 1_000 + TAIL,
    "a line of 100 kB": HEAD + "y = [" + "x, " * 33_000 + "]\n" + TAIL,
    "a string of 100 kB": HEAD + "y = '" + "x" * 100_000 + "'\n" + TAIL,
    "a number of 10,000 digits": HEAD + "y = " + "1" * 10_000 + "\n" + TAIL,
    "10,000 lines": HEAD + "y = x + 1\n" * 10_000 + TAIL,
    "10,000 lines under guards": HEAD + "".join(f"if a{i}:\n    y = x.cpu()\n" for i in range(5_000)) + TAIL,
    "2,000 functions that call each other": HEAD
    + "".join(f"def f{i}(x):\n    return f{i + 1}(x) + f{i + 2}(x)\n" for i in range(2_000))
    + "f0(x)\n"
    + TAIL,
    "a function that calls itself": HEAD + "def f(x):\n    return f(x.cpu()) + f(x.cpu())\n\nf(x)\n" + TAIL,
    "a list that holds itself": HEAD + "y = [x]\ny.append(y)\nf(y)\nz = y + [y[1][1]]\n" + TAIL,
    "an object that holds itself": HEAD + "class A: pass\na = A()\na.a = a\nf(a)\nprint(a.a.a.a)\n" + TAIL,
    "a class that inherits from itself": HEAD + "class A: pass\nclass A(A): pass\nA().f(x)\n" + TAIL,
    "modules that hold each other": "from torch import nn\na = nn.Sequential()\nb = nn.Sequential(a)\n"
    "a.append(b)\na.c = b\na.cuda()\na(b)\nf(a)\n" + HEAD + TAIL,
}


@pytest.mark.parametrize("source", EXTREMES.values(), ids=EXTREMES.keys())
def test_extremes_are_analysed_to_the_end(source: str) -> None:
    line = source.rstrip("\n").count("\n") + 1
    assert ("TDL201", line) in found(source, "TDL201")
