"""The flake8 plugin: text in, findings out, and a failure in one file never stops the run."""

from __future__ import annotations

import ast
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from flake8.exceptions import ExecutionError

import torchdevlint
from torchdevlint import gate, project, selection
from torchdevlint.options import FAILURE, NotAnalysed, Options
from torchdevlint.project import Project
from torchdevlint.recursion import uninterrupted
from torchdevlint.selection import Selection

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

    from torchdevlint.engine import Diagnostic

_LONGEST_REASON = 200
_FUNCTIONS = {
    "functions-on-accelerator": "return tensors on the accelerator, or what yields them",
    "functions-on-host": "return tensors on the host, or what yields them",
    "functions-that-move": "return what they are given, on the accelerator",
    "moves-its-batches": "yield batches that they have moved to the accelerator",
}


class Plugin:
    """What flake8 makes for each file; what is ignored or silenced by `# noqa` is flake8's affair."""

    name = "torchdevlint"
    version = torchdevlint.__version__
    _selection: ClassVar[Selection] = Selection()
    _idle: ClassVar[bool] = False
    _project: ClassVar[Project] = Project()

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str = "stdin") -> None:
        """Take the source from flake8, which has read it from a file, an editor or standard input.

        The tree is not used, but a plugin that asks for it runs once a file, and only on valid Python.
        """
        self._lines = lines
        self._filename = filename

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Add the options that tell what no file of a project shows, named as the settings of the command."""
        manager.add_option(
            "--tdl-default-device", default="", metavar="DEVICE", parse_from_config=True,
            help="where tensors are made that are given no device (default: the host)",
        )  # fmt: skip
        for name, told in _FUNCTIONS.items():
            manager.add_option(
                f"--tdl-{name}", default="", metavar="NAMES", parse_from_config=True, comma_separated_list=True,
                help=f"dotted names of functions and classes that {told}",
            )  # fmt: skip

    @classmethod
    def parse_options(cls, options: Namespace) -> None:
        """Note which codes are selected, and what is told of the project. Raises `ExecutionError`."""
        given = vars(options)
        told: dict[str, tuple[str, ...]] = {}
        option = "tdl-default-device"
        try:
            device = project.device(given.get("tdl_default_device") or "")
            for name in _FUNCTIONS:
                option = f"tdl-{name}"
                told[name] = project.names(tuple(given.get(option.replace("-", "_")) or ()))
        except ValueError as reason:
            raise ExecutionError(f"torchdevlint: `{option}` {reason}") from None
        on_accelerator, on_host, moving, batches = (told[name] for name in _FUNCTIONS)
        cls._project = Project(device, on_accelerator, on_host, moving, batches)
        cls._selection = selection.from_flake8(options)
        cls._idle = not cls._selection.wants_any()

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """Yield line, column (flake8 adds 1 to it), text and origin of each finding."""
        if self._idle:
            return
        text = "".join(self._lines)
        # asked here too, because the engine's import costs more than most files
        if not gate.may_find(text):
            return
        for line, column, message in self._findings(text):
            yield line, column, message, Plugin

    def _findings(self, text: str) -> list[tuple[int, int, str]]:
        try:
            with uninterrupted():  # nothing that an import makes is garbage
                from torchdevlint.engine import analyse  # behind the gate

            wants = self._selection.wants
            options = Options(filename=self._filename, wants=wants, project=self._project)
            found: Iterable[Diagnostic]
            if gate.NBQA_MARK in text:
                from torchdevlint.checking import nbqa

                found = nbqa.findings(text, options)
            else:
                found = analyse(text, options=options)
            return [(d.line, d.column, f"{d.code} {d.message}") for d in found if wants(d.code)]
        except NotAnalysed as reason:
            return [(1, 0, f"{FAILURE} not analysed: {_one_line(reason)}")]
        except RecursionError:
            return [(1, 0, f"{FAILURE} not analysed: nested too deeply")]
        except Exception as error:  # noqa: BLE001 (an exception here would end the run for every file)
            message = f"{FAILURE} internal error: {type(error).__name__}: {_one_line(error)}"
            print(f"{self._filename}: {message}", file=sys.stderr)  # noqa: T201 (deselecting TDL000 hides nothing)
            return [(1, 0, message)]


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 1] + "…"
