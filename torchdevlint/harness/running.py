"""Runs a user's script or module on simulated devices, as Python would run it on real ones."""

from __future__ import annotations

import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

from torchdevlint.harness.explanation import explain
from torchdevlint.harness.scripts import is_users, places, prepare, run_as_main, show


@dataclass(frozen=True, slots=True)
class Target:
    """What to run: the path of a script, or the name of a module, and its arguments."""

    name: str
    is_module: bool
    arguments: tuple[str, ...]


def run(target: Target) -> object:
    """Run a target in this process and return its exit code, as `sys.exit` takes it.

    The traceback of an exception goes to standard error, followed by one line that explains a device error.
    `KeyboardInterrupt` is raised on.
    """
    try:
        _start(target)
    except SystemExit as end:
        return end.code
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 (Python shows what a script raises, whatever it is)
        sys.stdout.flush()
        sys.stderr.write(show(error))
        explanation = explain(error, [*places(error, is_users)])
        if explanation is not None:
            sys.stderr.write(explanation + "\n")
        return 1
    return 0


def _start(target: Target) -> None:
    if target.is_module:
        sys.argv = [target.name, *target.arguments]
        sys.path[0] = str(Path.cwd())
        runpy.run_module(target.name, run_name="__main__", alter_sys=True)
    else:
        script = Path(target.name)
        prepare(script, list(target.arguments))
        run_as_main(compile(script.read_bytes(), target.name, "exec", dont_inherit=True), target.name)
