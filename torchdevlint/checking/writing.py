"""Files are written whole or not at all: whatever happens meanwhile, a reader finds the old one or the new one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def replace_bytes(path: Path, data: bytes) -> None:
    """Replace what a file holds, at once; a link stays one, and permissions stay. Raises `OSError`.

    What is no file (`/dev/null`, a pipe) is written to: to put a file in its place would take it from everybody.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode & 0o7777)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
