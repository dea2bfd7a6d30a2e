"""Runs programs on a simulated machine: many in one process, which is forked from one that has imported torch."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .sketch import Program, Switch

Ending = Literal["clean", "device", "absent", "other"]
"""How a run ends: clean, with an error of devices that meet, for want of any GPU, or with an error of the grammar."""

_ABSENT = re.compile(r"No CUDA GPUs are available|Attempting to deserialize object on a CUDA device")


_SHOWN = {"0": "GPU", "0,1": "two GPUs", "": "no GPU"}
"""What a run sees, by the value of `CUDA_VISIBLE_DEVICES`."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a program: the GPUs that are visible, as CUDA is told, and the switches that are on."""

    visible: str
    on: tuple[Switch, ...]

    def __str__(self) -> str:
        return " ".join([_SHOWN[self.visible], *map(str, self.on)])

    def text(self, program: Program) -> str:
        text = program.text
        for switch in self.on:
            if switch.kind == "constant":
                text = text.replace(switch.off, switch.on, 1)
        return text

    def arguments(self) -> list[str]:
        return [word for switch in self.on if switch.kind == "argument" for word in switch.on.split()]


@dataclass(frozen=True, slots=True)
class Run:
    """What one trial ended in."""

    trial: Trial
    ending: Ending
    told: str = ""
    lines: tuple[int, ...] = ()


def trials(program: Program) -> list[Trial]:
    """Return the ways to run a program: with a GPU all of them, and one without, where everything is in one place.

    A program that spreads a module over GPUs is run with two of them, too.
    """
    ways = itertools.product(*((None, switch) for switch in program.switches))
    chosen = [tuple(switch for switch in way if switch is not None) for way in ways]
    seen = ["0", "0,1"] if "DataParallel" in program.text else ["0"]
    return [*(Trial(visible, on) for visible in seen for on in chosen), Trial("", ())]


def import_torch() -> None:
    """Import what programs need and simulate a machine, in this process and for good."""
    import torch._dynamo
    import torch.utils.data

    from torchdevlint.harness.simulator import Machine, install

    install(Machine(devices=2))
    torch.set_num_threads(1)


def run_all(programs: Sequence[Program]) -> list[list[Run]]:
    """Run the trials of every program, in processes that end then: what they see differs.

    What has raised once is not run again.
    """
    planned = [trials(program) for program in programs]
    found: dict[tuple[int, int], Run] = {}
    for visible in _SHOWN:
        jobs = [
            (i, k, trial.text(programs[i]), trial.arguments())
            for i, ways in enumerate(planned)
            for k, trial in enumerate(ways)
            if trial.visible == visible
        ]
        for i, k, ending, told, lines in _forked(jobs, visible) if jobs else ():
            found[i, k] = Run(planned[i][k], ending, told, tuple(lines))
    return [[found[i, k] for k in range(len(ways)) if (i, k) in found] for i, ways in enumerate(planned)]


def _forked(jobs: list[tuple[int, int, str, list[str]]], visible: str) -> list[Any]:
    reading, writing = os.pipe()
    sys.stdout.flush()
    process = os.fork()
    if not process:
        try:
            os.close(reading)
            os.environ["CUDA_VISIBLE_DEVICES"] = visible
            with os.fdopen(writing, "w") as stream, tempfile.TemporaryDirectory() as folder:
                stream.write(json.dumps([*_run_jobs(jobs, folder)]))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        said = stream.read()
    os.waitpid(process, 0)
    if not said:
        raise RuntimeError("the process that runs the programs ended before it had run them all")
    return list(json.loads(said))


def _run_jobs(jobs: list[tuple[int, int, str, list[str]]], folder: str) -> Iterator[tuple[Any, ...]]:
    raised = -1
    for i, k, text, given in jobs:
        if i == raised:
            continue
        ending, told, lines = _run(text, given, folder)
        if ending == "device":
            raised = i
        yield i, k, ending, told, lines


def _run(text: str, arguments: list[str], folder: str) -> tuple[Ending, str, list[int]]:
    import torch

    from torchdevlint.harness.scripts import run_as_main

    os.chdir(folder)
    with Path(os.devnull).open("w") as nowhere:
        torch.manual_seed(0)
        sys.argv = ["train.py", *arguments]
        try:
            with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
                run_as_main(compile(text, "train.py", "exec"), "train.py")
        except BaseException as error:  # noqa: BLE001 (whatever a program raises is what is asked for)
            return _ended(error)
        finally:
            torch.set_default_device(None)
            for left in Path(folder).iterdir():
                left.unlink()
    return "clean", "", []


def _ended(error: BaseException) -> tuple[Ending, str, list[int]]:
    from torchdevlint.harness.simulator import is_device_error

    if isinstance(error, SystemExit) and error.code in (None, 0):
        return "clean", "", []
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "train.py"]
    told = f"line {lines[-1] if lines else '?'}: {type(error).__name__}: {str(error).strip()[:200]}"
    if _ABSENT.search(str(error)):
        return "absent", told, lines
    if is_device_error(error):
        return "device", told, lines
    return "other", told, lines
