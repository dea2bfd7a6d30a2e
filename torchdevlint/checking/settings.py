"""What a run is told: the keys of `[tool.torchdevlint]`, the options of the command, and where each came from."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from torchdevlint import project
from torchdevlint.checking.discovery import EXCLUDED
from torchdevlint.checking.selectors import PerFile
from torchdevlint.options import WIDTH
from torchdevlint.project import Project
from torchdevlint.rule import Severity

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "pyproject.toml"
TABLE = ("tool", "torchdevlint")
ALIKE = 0.9
"""How alike the name of a table must be to ours to be taken for a slip: one letter left out, doubled or exchanged."""
DEFAULT = "default"


class BadSettings(Exception):
    """Settings that cannot be used; the text is a sentence that names the place."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force; every field but the last two is a key of the configuration, with dashes."""

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[PerFile, ...] = ()
    exclude: tuple[str, ...] = EXCLUDED
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    fail_on: Severity = Severity.ADVICE
    output_format: str | None = None
    line_length: int = WIDTH
    default_device: str = ""
    functions_on_accelerator: tuple[str, ...] = ()
    functions_on_host: tuple[str, ...] = ()
    functions_that_move: tuple[str, ...] = ()
    moves_its_batches: tuple[str, ...] = ()
    root: Path = field(default_factory=Path.cwd)
    origins: Mapping[str, str] = field(default_factory=dict)

    def origin(self, name: str) -> str:
        """Return where a setting came from."""
        return self.origins.get(name, DEFAULT)

    @property
    def project(self) -> Project:
        """What the project tells of its functions."""
        return Project(
            self.default_device,
            self.functions_on_accelerator,
            self.functions_on_host,
            self.functions_that_move,
            self.moves_its_batches,
            str(self.root),
        )


KEYS = tuple(one.name.replace("_", "-") for one in fields(Settings) if one.name not in ("root", "origins"))


def load(path: Path) -> Settings:
    """Return the settings in a `pyproject.toml`; those of a file without our table are the defaults.

    Raises `BadSettings` for a file that cannot be read, an unknown key or a value of the wrong kind.
    """
    table = _table(path)
    settings = Settings(root=path.resolve().parent)
    origins: dict[str, str] = {}
    values: dict[str, object] = {}
    for key, value in (table or {}).items():
        reader = _READERS.get(key)
        if reader is None:
            close = difflib.get_close_matches(key, KEYS, n=1)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            raise BadSettings(f"{path}: [tool.torchdevlint] has no key `{key}`{hint}")
        try:
            values[key.replace("-", "_")] = reader(value)
        except ValueError as reason:
            raise BadSettings(f"{path}: `{key}` {reason}") from None
        origins[key.replace("-", "_")] = str(path)
    return replace(settings, **values, origins=origins)  # type: ignore[arg-type] # each reader returns its field's type


def nearest(folder: Path) -> Path | None:
    """Return the `pyproject.toml` with our table that is nearest, here or in a folder above."""
    for one in (folder, *folder.parents):
        path = one / FILE
        if path.is_file() and _table(path) is not None:
            return path
    return None


def _table(path: Path) -> dict[str, object] | None:
    try:
        found: object = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadSettings(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise BadSettings(f"{path}: this is not TOML: {error}") from None
    except RecursionError:
        raise BadSettings(f"{path}: it is nested too deeply") from None
    except ValueError:
        raise BadSettings(f"{path}: it holds a number of too many digits") from None
    for name in TABLE:
        found = _under(found, name, path) if isinstance(found, dict) else None
    if found is not None and not isinstance(found, dict):
        raise BadSettings(f"{path}: [tool.torchdevlint] is to be a table")
    return found


def _under(table: dict[str, object], name: str, path: Path) -> object:
    """Return what stands under a name; raises `BadSettings` where it is missing and a name much like it is there."""
    close = difflib.get_close_matches(name, table, n=1, cutoff=ALIKE) if name == TABLE[-1] else []
    if close and name not in table:
        raise BadSettings(f"{path}: [tool.{close[0]}] is no table of this tool; did you mean [tool.{name}]?")
    return table.get(name)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError("is to be a list of strings")
    return tuple(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("is to be true or false")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("is to be a number from 1 on")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("is to be a string")
    return value


def severity(value: object) -> Severity:
    """Return a severity by its name. Raises `ValueError` for what is none."""
    try:
        return Severity(_text(value).lower())
    except ValueError:
        raise ValueError(f"is to be one of {', '.join(one.value for one in Severity)}") from None


def _per_file(value: object) -> tuple[PerFile, ...]:
    if not isinstance(value, dict):
        raise ValueError("is to be a table of patterns and lists of codes")
    return tuple(PerFile(pattern, _texts(codes)) for pattern, codes in value.items())


def _names(value: object) -> tuple[str, ...]:
    return project.names(_texts(value))


def _device(value: object) -> str:
    return project.device(_text(value))


_READERS: dict[str, Callable[[object], object]] = {
    "select": _texts,
    "extend-select": _texts,
    "ignore": _texts,
    "per-file-ignores": _per_file,
    "exclude": _texts,
    "extend-exclude": _texts,
    "force-exclude": _flag,
    "respect-gitignore": _flag,
    "fail-on": severity,
    "output-format": _text,
    "line-length": _number,
    "default-device": _device,
    "functions-on-accelerator": _names,
    "functions-on-host": _names,
    "functions-that-move": _names,
    "moves-its-batches": _names,
}
