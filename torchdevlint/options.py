"""What a caller may decide about one analysis, and how an analysis says that it could not be done."""

from __future__ import annotations

import re
from collections.abc import Callable

from torchdevlint.project import Project
from torchdevlint.records import dataclass

ADVICE = "TDL9"
FAILURE = "TDL000"
"""The code of what says that a file could not be analysed."""
WIDTH = 79
"""How long a line may become by default."""
_TEST_FILE = re.compile(r"(?:^|/)(?:tests?/|testing/|(?:test_[^/]*|[^/]*_test|conftest)\.py$)")


class NotAnalysed(Exception):
    """The file is valid Python, but it is out of reach; the text says why, on one line."""


def on_by_default(code: str) -> bool:
    """Whether a code is reported when nobody chose any: all but advice."""
    return not code.startswith(ADVICE)


def line_name(line: int, at: int) -> str:
    """Return what a message at one line of a Python file calls another."""
    return f"line {line}"


def never(line: int) -> bool:
    """Say of no line that it is meant to fail."""
    return False


@dataclass(frozen=True, slots=True)
class Options:
    """The display path of a file, which codes may be reported in it, and whether with trace and repair.

    ``name_of`` tells what a message calls a line of the text, given that of the message. A notebook is a program that
    nobody imports. Repairs make no line longer than ``width``, and than three lines of the text are.
    """

    filename: str = "stdin"
    wants: Callable[[str], bool] = on_by_default
    details: bool = False
    name_of: Callable[[int, int], str] = line_name
    is_notebook: bool = False
    project: Project = Project()
    width: int = WIDTH
    fails: Callable[[int], bool] = never

    @property
    def importable(self) -> bool:
        """Whether other files may use what this one defines."""
        return not (self.is_test_file or self.is_notebook)

    @property
    def is_test_file(self) -> bool:
        """Whether the path is a test's, where a hardcoded device is a choice and not a slip."""
        return _TEST_FILE.search(self.filename.replace("\\", "/")) is not None
