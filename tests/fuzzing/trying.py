"""What is asked of the analysis of any text, and the texts that it is asked of."""

from __future__ import annotations

import ast
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import libcst as cst

from torchdevlint.engine import analyse
from torchdevlint.gate import may_find
from torchdevlint.options import NotAnalysed, Options

from .mutations import MUTATIONS

NAMED = ("longer than", "a line is longer than", "more than", "nested too deeply", "the text cannot be encoded")
"""How the reasons begin for which a program of Python is not analysed."""
LIBCST = "libcst cannot parse"
REFUSED = "Python refuses it"
PATIENCE = 3.0
"""How many times the parse an analysis may take, beside `GRACE` seconds for a clock that was stopped meanwhile."""
GRACE = 0.25 if sys.gettrace() is None else 1.0  # who measures coverage slows Python, and not the parser
EVERYTHING = Options(wants=lambda _: True, details=True)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong with a text, in a line."""

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a text: what is found in it, or why it was not analysed, and what went wrong."""

    outcome: str
    analysed: bool
    trouble: Trouble | None = None


def attempt(text: str) -> Tried:
    """Analyse a text twice; look for an exception, a reason without a name, another outcome, and too long a time."""
    try:
        began = time.process_time()
        first = outcome(text)
        between = time.process_time()
        again = outcome(text)
        took = min(between - began, time.process_time() - between)
    except Exception as error:  # noqa: BLE001 (what is looked for)
        return Tried("", False, Trouble(f"{type(error).__name__}: {error}", text))
    trouble = None
    if first != again:
        trouble = "another outcome the second time"
    elif first.startswith("!") and not first.startswith(tuple(f"!{reason}" for reason in (*NAMED, LIBCST, REFUSED))):
        trouble = f"a reason without a name: {first[1:]}"
    elif first.startswith(f"!{LIBCST}") and is_parsed(text):
        trouble = f"libcst takes what is said that it refuses: {first[1:]}"
    elif took > GRACE and took > GRACE + PATIENCE * parse_time(text):
        trouble = f"took {took:.2f} s, the parse {parse_time(text):.2f} s"
    return Tried(first, not first.startswith("!") and may_find(text), Trouble(trouble, text) if trouble else None)


def outcome(text: str) -> str:
    """Return the findings in a text, or `!` and the reason for which it is not analysed."""
    try:
        return repr(analyse(text, options=EVERYTHING))
    except NotAnalysed as reason:
        return f"!{reason}"
    except SyntaxError as error:  # of what libcst takes and Python does not, repairs cannot be told
        if is_python(text):
            raise
        return f"!{REFUSED}: {error.msg}"


def is_python(text: str) -> bool:
    """Tell whether Python takes a text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def is_parsed(text: str) -> bool:
    """Tell whether libcst takes a text; it refuses some that Python takes, as a form feed within an indentation."""
    try:
        cst.parse_module(text)
    except (cst.ParserSyntaxError, UnicodeError):
        return False
    return True


def parse_time(text: str) -> float:
    """Return the seconds that libcst takes to parse a text, or to refuse it."""
    began = time.process_time()
    with suppress(Exception):  # only the time matters
        cst.parse_module(text)
    return time.process_time() - began


def mutated(seed: int, number: int, sources: Sequence[str]) -> Iterator[str]:
    """Yield sources with one to three mutations each, the same for the same seed."""
    random = Random(seed)
    for _ in range(number):
        text = random.choice(sources)
        for _ in range(random.choice((1, 1, 2, 3))):
            text = random.choice(MUTATIONS)(random, text)
        yield text


def read(paths: Sequence[Path], longest: int) -> list[str]:
    """Return the texts of the files that can be read, and are no longer than so many characters, in order."""
    texts = []
    for path in sorted(paths):
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeError):
            continue
        if len(text) <= longest:
            texts.append(text)
    return texts
