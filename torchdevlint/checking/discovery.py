"""Which files a path stands for: folders are searched, ignore files are respected, what is named is taken."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from torchdevlint.checking.paths import below

SUFFIXES = frozenset({".ipynb", ".py", ".pyw"})
EXCLUDED = (
    ".bzr", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pyenv", ".pytest_cache",
    ".ruff_cache", ".svn", ".torchdevlint_cache", ".tox", ".venv", "__pycache__", "__pypackages__", "_build", "build",
    "dist", "node_modules", "site-packages", "venv",
)  # fmt: skip
"""What is left out where nobody says otherwise: what tools and package managers write."""


class BadPath(Exception):
    """A path that was named cannot be checked; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What is left out of a search: patterns as in `.gitignore`, relative to ``root``, and the ignore files there are.

    ``forced`` leaves out named files too, as a pre-commit hook wants it, which names every file.
    """

    root: Path
    exclude: tuple[str, ...] = EXCLUDED
    gitignore: bool = True
    forced: bool = False


@dataclass(frozen=True, slots=True)
class _Ignore:
    """The patterns of one folder, which hold for what is below it."""

    folder: str
    spec: GitIgnoreSpec

    def matches(self, path: str, is_folder: bool) -> bool | None:
        """Tell whether a path is ignored; None where no pattern says anything about it."""
        relative = below(path, self.folder)
        if relative is None:
            return None
        return self.spec.check_file(f"{relative}/" if is_folder else relative).include


def find(paths: Sequence[str], rules: Filter) -> list[str]:
    """Return the files that the paths stand for, each once, in the order of the paths and then of their names.

    Raises `BadPath` for a path that is empty, not there, or neither a file nor a folder that may be read.
    """
    excluded = _Ignore(os.fspath(rules.root), GitIgnoreSpec.from_lines(rules.exclude))
    found: dict[str, None] = {}
    for path in paths:
        if not path:
            raise BadPath("a path is empty; . is this folder")
        is_folder = Path(path).is_dir()
        if not is_folder and not Path(path).exists():
            raise BadPath(f"{path} is not there")
        if not is_folder and not Path(path).is_file():  # to read a pipe would wait for who writes into it
            raise BadPath(f"{path} is neither a file nor a folder")
        above = tuple(_ignored_above(path)) if rules.gitignore else ()
        left_out = _is_or_is_below(path, above, excluded, is_folder)
        if left_out and rules.forced:
            continue
        if is_folder and not os.access(path, os.R_OK | os.X_OK):
            raise BadPath(f"{path} may not be read")
        if not is_folder:
            found[path] = None
        elif left_out:  # named all the same: the patterns hold for what is below it only
            found.update(dict.fromkeys(_below(path, (), _Ignore(path, excluded.spec), rules)))
        else:
            found.update(dict.fromkeys(_below(path, above, excluded, rules)))
    return [path.removeprefix(f".{os.sep}") for path in found]


def _is_or_is_below(path: str, above: Iterable[_Ignore], excluded: _Ignore, is_folder: bool) -> bool:
    """Tell whether a path, or a folder above it, is left out."""
    whole, root = Path(path).resolve(), Path(excluded.folder).resolve()
    folders = [folder for folder in whole.parents if root in folder.parents]
    return _left_out(os.fspath(whole), above, excluded, is_folder) or any(
        _left_out(os.fspath(folder), above, excluded, is_folder=True) for folder in folders
    )


def _below(folder: str, ignores: tuple[_Ignore, ...], excluded: _Ignore, rules: Filter) -> Iterator[str]:
    own = _ignore_file(folder) if rules.gitignore else None
    if own is not None:
        ignores = (*ignores, own)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        yield folder  # a folder that may not be read: what is said of it is said where it is read
        return
    for entry in entries:
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not (Path(entry.name).suffix in SUFFIXES and entry.is_file()):
                continue
        except OSError:
            continue  # a link to itself, or what may not be asked, is no file for us
        if _left_out(entry.path, ignores, excluded, is_folder):
            continue
        if is_folder:
            yield from _below(entry.path, ignores, excluded, rules)
        else:
            yield entry.path


def _left_out(path: str, ignores: Iterable[_Ignore], excluded: _Ignore, is_folder: bool) -> bool:
    if excluded.matches(path, is_folder) or excluded.spec.match_file(f"{Path(path).name}{'/' if is_folder else ''}"):
        return True
    answer = None
    for ignore in ignores:  # the nearest folder has the last word
        said = ignore.matches(path, is_folder)
        answer = answer if said is None else said
    return bool(answer)


def _ignored_above(path: str) -> Iterator[_Ignore]:
    """Yield the ignore files of the folders above a path, up to the root of its repository, the outermost first."""
    above: list[Path] = []
    for folder in Path(path).resolve().parents:
        above.append(folder)
        if (folder / ".git").exists():
            break
    else:
        return  # no repository, no ignore files
    for folder in reversed(above):
        found = _ignore_file(os.fspath(folder))
        if found is not None:
            yield found


def _ignore_file(folder: str) -> _Ignore | None:
    try:
        with Path(folder, ".gitignore").open(encoding="utf-8", errors="replace") as lines:
            return _Ignore(folder, GitIgnoreSpec.from_lines(lines))
    except OSError:
        return None
