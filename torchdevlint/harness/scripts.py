"""Runs a file as `python file` would, in this process, and tells which lines of a traceback are the user's."""

from __future__ import annotations

import builtins
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType

_HERE = Path(__file__).parents[1]
_PACKAGES = {"site-packages", "dist-packages"}
_PASSING_ON = {("torch", "_compile.py"), ("_dynamo", "eval_frame.py")}


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, with its text."""

    file: Path
    line: int
    source: str


def prepare(script: Path, arguments: list[str]) -> None:
    """Set `sys.argv` and `sys.path` as they are for `python script arguments`."""
    sys.argv = [str(script), *arguments]
    sys.path[0] = str(script.parent.absolute())


def run_as_main(code: CodeType, file: str) -> None:
    """Run compiled code as the module `__main__`; raises what it raises."""
    module = ModuleType("__main__")
    module.__file__ = file
    vars(module)["__builtins__"] = builtins
    # kept there after the run, as the objects of the script may need it when they are collected
    sys.modules["__main__"] = module
    exec(code, vars(module))  # noqa: S102 (running the user's script is the point)


def places(error: BaseException, is_own: Callable[[Path], bool]) -> Iterator[Place]:
    """Yield the lines of a traceback that stand in files of one's own, outermost first."""
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if is_own(file):
            yield Place(file, frame.lineno or 0, frame.line or "")


def innermost(error: BaseException, is_own: Callable[[Path], bool]) -> Place | None:
    """Return the innermost line of a traceback that stands in a file of one's own, if there is one."""
    return next(iter([*places(error, is_own)][::-1]), None)


@cache
def is_users(file: Path) -> bool:
    """Tell whether a file is neither Python's, nor an installed package's, nor this package's."""
    absolute = file.absolute()
    installed = (_HERE, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")))
    # packages of another environment may be on the path, too
    is_package = not _PACKAGES.isdisjoint(absolute.parts)
    return file.is_file() and not is_package and not any(absolute.is_relative_to(folder) for folder in installed)


def show(error: BaseException) -> str:
    """Return the traceback that Python would show, without the frames of what runs and simulates the script."""
    shown = traceback.TracebackException.from_exception(error)
    waiting = [shown]
    while waiting:
        one = waiting.pop()
        kept = [frame for frame in one.stack if not _is_machinery(frame.filename)]
        one.stack = traceback.StackSummary.from_list(kept)
        waiting.extend(linked for linked in (one.__cause__, one.__context__) if linked is not None)
    return "".join(shown.format())


def _is_machinery(file: str) -> bool:
    """Tell whether a file is this package's, runs modules, or passes calls on to the simulator's dispatcher."""
    path = Path(file)
    return file == "<frozen runpy>" or path.is_relative_to(_HERE) or path.parts[-2:] in _PASSING_ON
