"""The command `clean`, and the options that say where outcomes are kept from one run to the next."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from torchdevlint.checking import cache, settings, trying
from torchdevlint.checking.outcomes import Outcome, Task
from torchdevlint.cli import telling
from torchdevlint.cli.chosen import add_configuration, configured
from torchdevlint.cli.failure import Failure

VARIABLE = "TORCHDEVLINT_CACHE_DIR"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to those of the parser."""
    parser = commands.add_parser("clean", help="remove what is kept of earlier runs")
    add_cache_dir(parser)
    add_configuration(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Remove the cache, and say so. Raises `Failure` for a folder that is none, or that cannot be removed."""
    try:
        folder = folder_of(arguments, configured(arguments)[1].root)
        if cache.clean(folder):
            telling.say(f"{folder} is removed")
    except settings.BadSettings as reason:
        raise Failure(reason) from None
    except cache.NoCache as reason:
        raise Failure(f"{reason} is no cache of torchdevlint, and stays") from None
    except OSError as error:
        raise Failure(f"the cache is not removed: {error.strerror or error}") from None
    return 0


def add_cache_dir(group: argparse._ActionsContainer) -> None:
    """Add the option that says where the cache is."""
    text = f"where outcomes are kept (default: ${VARIABLE}, or {cache.FOLDER} beside the configuration)"
    group.add_argument("--cache-dir", metavar="FOLDER", type=Path, help=text)


def checker(arguments: argparse.Namespace, root: Path) -> Callable[[Task], Outcome]:
    """Return what checks a file: with a cache, unless nobody wants one."""
    return trying.check if arguments.no_cache else cache.opened(folder_of(arguments, root))


def folder_of(arguments: argparse.Namespace, root: Path) -> Path:
    """Return where the cache is."""
    chosen: Path | None = arguments.cache_dir
    return chosen or Path(os.environ.get(VARIABLE) or root / cache.FOLDER)
