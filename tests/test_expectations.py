"""The expectations in scripts are read as they are meant, and compared with nothing left over."""

from __future__ import annotations

import pytest
from expectations import BadExpectationError, Expectation, mismatches, parse

from torchdevlint.engine import Diagnostic

READ = {
    "x  # error: [TDL103]": (Expectation(1, "TDL103"),),
    "x  #error:[TDL103]": (Expectation(1, "TDL103"),),
    "x  # error: 14 [TDL103]": (Expectation(1, "TDL103", 14),),
    'x  # error: [TDL103] "is on cpu, not"': (Expectation(1, "TDL103", None, "is on cpu, not"),),
    'x  # error: 14 [TDL103] "a"': (Expectation(1, "TDL103", 14, "a"),),
    "x  # error: [TDL103], 5 [TDL201]": (Expectation(1, "TDL103"), Expectation(1, "TDL201", 5)),
    'x  # error: 3 [TDL103] "a", [TDL201], 7 [TDL401] "b"': (
        Expectation(1, "TDL103", 3, "a"),
        Expectation(1, "TDL201"),
        Expectation(1, "TDL401", 7, "b"),
    ),
    "x  # error: [TDL103]  # error: [TDL201]": (Expectation(1, "TDL103"), Expectation(1, "TDL201")),
    "x\n\ny  # error: [TDL103]": (Expectation(3, "TDL103"),),
    "raise ValueError('no error: none')": (),
    "x = 1  # noqa: TDL103": (),
}


@pytest.mark.parametrize(("text", "expected"), READ.items(), ids=READ.keys())
def test_reads(text: str, expected: tuple[Expectation, ...]) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x  # error: TDL103",
        "x  # error: [TDL13]",
        "x  # error [TDL103]",
        "x  # error: [TDL103] is on cpu",
        "x  # error: [TDL103], nothing",
        "x  # error: [TDL103] [TDL201]",
        'x  # error: [TDL103] "a',
    ],
)
def test_refuses(text: str) -> None:
    with pytest.raises(BadExpectationError, match="line 1"):
        parse(text)


def diagnostic(line: int, code: str, column: int = 0, message: str = "") -> Diagnostic:
    return Diagnostic(code, message, line, column, line, column + 1)


def test_nothing_differs() -> None:
    expected = parse('x  # error: [TDL103], 3 [TDL103] "a"\n\ny  # error: [TDL201]')
    found = [diagnostic(1, "TDL103", 2, "an a"), diagnostic(1, "TDL103", 4), diagnostic(3, "TDL201")]
    assert mismatches(expected, found) == []


DIFFERENT = {
    "another line": diagnostic(2, "TDL103", 2, "a"),
    "another code": diagnostic(1, "TDL104", 2, "a"),
    "another column": diagnostic(1, "TDL103", 3, "a"),
    "another message": diagnostic(1, "TDL103", 2, "b"),
}


@pytest.mark.parametrize("found", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_something_differs(found: Diagnostic) -> None:
    missed, false = mismatches(parse('x  # error: 3 [TDL103] "a"'), [found])
    assert missed == "missed alarm: line 1 TDL103 3 a"
    assert false.startswith(f"false alarm: line {found.line}, column {found.column + 1}: {found.code}")


def test_one_finding_meets_one_expectation() -> None:
    assert mismatches(parse("x  # error: [TDL103], [TDL103]"), [diagnostic(1, "TDL103")]) == [
        "missed alarm: line 1 TDL103"
    ]
