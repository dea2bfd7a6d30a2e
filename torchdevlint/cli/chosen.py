"""The settings of a command: those of the configuration, and over them those of the command line."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from torchdevlint.checking import selectors, settings
from torchdevlint.checking.settings import Settings
from torchdevlint.cli.failure import Failure
from torchdevlint.engine import all_rules
from torchdevlint.reports import FORMATS
from torchdevlint.reports.others import OTHERS
from torchdevlint.rule import Severity


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options that the configuration has keys for, and those that say where it is."""
    group = parser.add_argument_group("settings, also in [tool.torchdevlint] of pyproject.toml")
    group.add_argument(
        "--select", action="append", metavar="CODES", help="codes, or beginnings of codes, and no others"
    )
    group.add_argument("--extend-select", action="append", metavar="CODES", help="further codes (TDL9 is advice)")
    group.add_argument("--ignore", action="append", metavar="CODES", help="codes to leave out")
    group.add_argument(
        "--exclude", action="append", metavar="PATTERN", help="what to leave out, instead of the default"
    )
    group.add_argument("--extend-exclude", action="append", metavar="PATTERN", help="what else to leave out")
    group.add_argument("--force-exclude", action="store_true", default=None, help="leave out named files, too")
    group.add_argument(
        "--no-respect-gitignore", dest="respect_gitignore", action="store_false", default=None,
        help="check what `.gitignore` files name, too",
    )  # fmt: skip
    group.add_argument("--fail-on", choices=[one.value for one in Severity], help="exit with 1 from there on")
    group.add_argument("--output-format", choices=[*FORMATS], help="default: full on a terminal, else concise")
    add_configuration(parser)


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the configuration is."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--config", metavar="FILE", type=Path, help="a pyproject.toml to read instead of the nearest")
    where.add_argument("--isolated", action="store_true", help="read no configuration")


def configured(arguments: argparse.Namespace) -> tuple[Path | None, Settings]:
    """Return the file of the configuration, if there is one, and its settings. Raises `BadSettings`."""
    path = None if arguments.isolated else arguments.config or settings.nearest(Path.cwd())
    return path, settings.load(path) if path is not None else Settings()


def in_force(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the configuration, and over them those of the command line. Raises `Failure`."""
    try:
        path, chosen = configured(arguments)
        codes = (*OTHERS, *(rule.code for rule in all_rules()))
        given = {name: getattr(arguments, name) for name in _GIVEN if getattr(arguments, name) is not None}
        values: dict[str, object] = {}
        for name in ("select", "extend_select", "ignore"):
            option = given.get(name)
            where = f"--{name.replace('_', '-')}" if option is not None else f"{path}: `{name.replace('_', '-')}`"
            texts = option if option is not None else getattr(chosen, name)
            empty = option is None and not texts and name != "select"
            values[name] = texts if texts is None or empty else selectors.parse(texts, codes, where)
        values["per_file_ignores"] = tuple(
            replace(one, codes=selectors.parse(one.codes, codes, f"{path}: `per-file-ignores`"))
            for one in chosen.per_file_ignores
        )
    except (settings.BadSettings, selectors.UnknownCode) as reason:
        raise Failure(reason) from None
    for name in ("exclude", "extend_exclude"):
        if name in given:
            values[name] = tuple(part for text in given[name] for part in text.split(",") if part)
    for name in ("force_exclude", "respect_gitignore", "output_format"):
        if name in given:
            values[name] = given[name]
    if "fail_on" in given:
        values["fail_on"] = Severity(given["fail_on"])
    made = replace(chosen, **values, origins={**chosen.origins, **dict.fromkeys(given, "command line")})  # type: ignore[arg-type] # each is of its field's type
    if made.output_format is not None and made.output_format not in FORMATS:
        raise Failure(f"{path}: there is no `output-format` {made.output_format}; there are {', '.join(FORMATS)}")
    return made


_GIVEN = (
    "select", "extend_select", "ignore", "exclude", "extend_exclude", "force_exclude", "respect_gitignore", "fail_on",
    "output_format",
)  # fmt: skip
