"""The command `config`: which settings are in force, and where each came from."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from enum import Enum

from torchdevlint.checking.settings import KEYS
from torchdevlint.cli.chosen import add_settings, in_force


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to those of the parser."""
    parser = commands.add_parser("config", help="show the settings in force, and where they came from")
    add_settings(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print a line a setting, as the table of a `pyproject.toml`, with its origin."""
    chosen = in_force(arguments)
    values = asdict(chosen)
    values["select"] = ("TDL",) if chosen.select is None else chosen.select
    sys.stdout.write("[tool.torchdevlint]\n")
    for key in KEYS:
        name = key.replace("-", "_")
        value = values[name]
        if key == "per-file-ignores":
            value = value or {}
        line = f"{key} = {_as_toml(value)}" if value is not None else f"# {key} is not set: {_UNSET}"
        sys.stdout.write(f"{line}  # {chosen.origin(name)}\n")
    return 0


_UNSET = "full on a terminal, concise elsewhere"


def _as_toml(value: object) -> str:
    """Return a value as TOML writes it."""
    match value:
        case Enum():
            return json.dumps(value.value)
        case dict():
            return "{}"
        case tuple() if value and isinstance(value[0], dict):
            return "{ " + ", ".join(f"{json.dumps(one['pattern'])} = {_as_toml(one['codes'])}" for one in value) + " }"
        case tuple():
            return "[" + ", ".join(map(_as_toml, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
