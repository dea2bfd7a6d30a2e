"""`torchdevlint run`: run a script on simulated devices."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from torchdevlint.cli.failure import Failure


def add_to(commands: Any) -> None:
    """Add the command to the subparsers of the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "run",
        help="run a script on simulated devices",
        usage="torchdevlint run [options] (script.py | -m module) [arguments]",
        description="Run a script on simulated CUDA devices: its own output and exit status, and one line that "
        "explains a device error. Options of this command stand before the script.",
    )
    parser.add_argument("--devices", type=_count, default=1, help="how many devices there are (default: 1)")
    parser.add_argument(
        "--visible",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether the script may see the devices (default: it may)",
    )
    parser.add_argument("--asynchronous", action="store_true", help="let copies that need not wait arrive late")
    parser.add_argument(
        "--report", choices=("text", "json"), help="tell copies, synchronisations and memory on standard error"
    )
    parser.add_argument("-m", dest="is_module", action="store_true", help="run a module instead of a script")
    parser.add_argument("target", metavar="script.py | module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script gets as its arguments")
    parser.set_defaults(execute=execute)


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 16:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 to 16")
    return int(text)


def execute(chosen: argparse.Namespace) -> int:
    """Run the script and return its own status; raises `Failure` where there is nothing to run."""
    if not chosen.is_module:
        _check_script(Path(chosen.target))
    try:
        importlib.import_module("torch")
    except ImportError as reason:
        raise Failure(f"run needs PyTorch, which cannot be imported: {reason}") from reason
    if chosen.is_module:
        _check_module(chosen.target)
    from torchdevlint.harness import traffic
    from torchdevlint.harness.running import Target, run
    from torchdevlint.harness.simulator import Machine, install

    simulation = install(Machine(chosen.devices, chosen.visible, chosen.asynchronous))
    status = run(Target(chosen.target, chosen.is_module, tuple(chosen.arguments)))
    if chosen.report is not None:
        found = traffic.traffic(simulation)
        sys.stdout.flush()
        sys.stderr.write(traffic.as_json(found) if chosen.report == "json" else traffic.as_text(found))
    if status is None or isinstance(status, int):
        return status or 0
    # a script may exit with a text: Python prints it and ends with 1
    sys.stderr.write(f"{status}\n")
    return 1


def _check_script(script: Path) -> None:
    if script.is_dir():
        raise Failure(f"{script} is a folder, not a script")
    if not script.is_file():
        raise Failure(f"there is no script {script}")


def _check_module(name: str) -> None:
    sys.path[0] = str(Path.cwd())
    try:
        there = importlib.util.find_spec(name) is not None
    except (ImportError, ValueError) as reason:
        raise Failure(f"there is no module {name}: {reason}") from reason
    if not there:
        raise Failure(f"there is no module {name}")
