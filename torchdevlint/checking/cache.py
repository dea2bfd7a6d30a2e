"""Outcomes of files that were checked before: what is unchanged is not analysed again.

One entry is kept for each file and choice of options. It holds the digest of the text that it is for, so that another
text has another outcome, whatever the clock says. An entry is data and no program: who can write one can make a
finding, and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec

import torchdevlint
from torchdevlint.checking import trying
from torchdevlint.checking.outcomes import Outcome, Task
from torchdevlint.options import FAILURE

FOLDER = ".torchdevlint_cache"
TAG = "CACHEDIR.TAG"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# This is a cache of torchdevlint.\n"
"""What tells backup programs that a folder is a cache (https://bford.info/cachedir)."""


class NoCache(Exception):
    """A folder is not what this makes: the text is its path."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An outcome, and the digest of the bytes that it is the outcome of."""

    digest: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Cached:
    """Checks a file, or remembers what came of it; picklable, so that it can be sent to another process.

    ``maker`` names all that an outcome depends on beside the file and the task.
    """

    folder: Path
    maker: str

    def __call__(self, task: Task) -> Outcome:
        """Return what comes of one file. What cannot be read, remembered or kept is checked as if nothing were kept."""
        if task.text is not None:
            return trying.check(task)
        try:
            data = Path(task.path).read_bytes()
        except OSError:
            return trying.check(task)
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        place = self._place(task)
        known = _read(place)
        if known is not None and known.digest == digest:
            return known.outcome
        outcome = trying.check(task, data)  # of the very bytes that were looked up
        if not any(found.code == FAILURE for found in outcome.findings):
            _keep(place, _Entry(digest, outcome))
        return outcome

    def _place(self, task: Task) -> Path:
        name = hashlib.blake2b(f"{self.maker}\0{Path.cwd()}\0{task!r}".encode(errors="replace"), digest_size=16)
        return self.folder / name.hexdigest()[:2] / name.hexdigest()[2:]


def opened(folder: Path) -> Cached:
    """Return the cache in a folder, which is made, and marked as what it is, unless it cannot be written."""
    with suppress(OSError):
        if not (folder / TAG).exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".gitignore").write_text("*\n", "utf-8")
            (folder / TAG).write_text(_SIGNATURE, "utf-8")
    return Cached(folder, _maker())


def clean(folder: Path) -> bool:
    """Remove a cache; tell whether there was one. Raises `NoCache` for a folder of another kind, and `OSError`."""
    if not folder.exists():
        return False
    tag = folder / TAG
    if not tag.is_file() or tag.read_text("utf-8", errors="replace") != _SIGNATURE:
        raise NoCache(folder)
    shutil.rmtree(folder)
    return True


def _maker() -> str:
    """Return the names and states of all that makes outcomes: Python, the libraries and this package's own files."""
    package = Path(torchdevlint.__file__).parent
    files = sorted(path for path in package.rglob("*") if path.suffix in (".py", ".txt"))
    states = [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    versions = [version(name) for name in ("torchdevlint", "libcst", "flake8")]
    return f"{sys.version} {versions} {hashlib.blake2b(repr(states).encode(), digest_size=16).hexdigest()}"


def _read(place: Path) -> _Entry | None:
    """Return an entry, None where there is none that can be read."""
    try:
        return msgspec.msgpack.decode(place.read_bytes(), type=_Entry)
    except (OSError, msgspec.DecodeError):
        return None


def _keep(place: Path, entry: _Entry) -> None:
    """Write an entry whole, or not at all; it may be lost, which is why nothing waits for the disk."""
    with suppress(OSError, UnicodeEncodeError):  # the name of a file may be no text
        place.parent.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, suffix=".new")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.msgpack.encode(entry))
            Path(name).replace(place)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
