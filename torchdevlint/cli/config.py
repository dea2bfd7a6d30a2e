"""The command `config`: which settings are in force, and where each came from."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from enum import Enum
from pathlib import Path

from torchdevlint.checking.settings import KEYS
from torchdevlint.cli.chosen import add_settings, in_force


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to those of the parser."""
    parser = commands.add_parser("config", help="show the settings in force, and where they came from")
    add_settings(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print a line a setting, as TOML, with its origin."""
    chosen = in_force(arguments)
    values = asdict(chosen)
    for key in KEYS:
        name = key.replace("-", "_")
        sys.stdout.write(f"{key} = {_as_toml(values[name])}  # {chosen.origin(name)}\n")
    return 0


def _as_toml(value: object) -> str:
    """Return a value as TOML writes it; what is not set stands as a comment could not, so it is an empty text."""
    match value:
        case None:
            return '""'
        case Enum():
            return json.dumps(value.value)
        case tuple() if value and isinstance(value[0], dict):
            return "{ " + ", ".join(f"{json.dumps(one['pattern'])} = {_as_toml(one['codes'])}" for one in value) + " }"
        case tuple():
            return "[" + ", ".join(map(_as_toml, value)) + "]"
        case Path():
            return json.dumps(value.as_posix())
        case _:
            return json.dumps(value, ensure_ascii=False)
