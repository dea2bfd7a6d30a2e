"""The command `torchdevlint`: the commands there are, and what they have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import torchdevlint
from torchdevlint.checking import running
from torchdevlint.cli import check, clean, config, rules, run, verify
from torchdevlint.cli.failure import Failure

_COMMANDS = (check, rules, config, clean, run, verify)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line.

    What it parses holds the function of the chosen command as ``execute``, and as ``misused`` one that tells how that
    command is used, what is wrong, and exits with 2.
    """
    made = argparse.ArgumentParser(prog="torchdevlint", description="Find PyTorch device bugs, and prove them.")
    made.add_argument("--version", action="version", version=f"torchdevlint {torchdevlint.__version__}")
    commands = made.add_subparsers(title="commands", metavar="command", required=True)
    for command in _COMMANDS:
        command.add_to(commands)
    for one in commands.choices.values():
        one.set_defaults(misused=one.error)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 2 with one sentence on standard error where it cannot do its work."""
    chosen, unknown = parser().parse_known_args(arguments)
    if unknown:
        chosen.misused(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        return int(chosen.execute(chosen))
    except (Failure, running.Died) as reason:
        print(f"torchdevlint: {reason}", file=sys.stderr)  # noqa: T201
        return 2
