"""Paths as patterns and reports write them: relative to a folder, with forward slashes, on every system."""

from __future__ import annotations

import os
from types import ModuleType


def below(path: str, folder: str, flavour: ModuleType = os.path) -> str | None:
    """Return a path relative to a folder, with forward slashes; None for one that is not in it.

    ``flavour`` is `posixpath` or `ntpath`. On Windows case does not matter, nor the kind of slash, and a path may be on
    another drive.
    """
    try:
        found: str = flavour.relpath(path, folder)
    except ValueError:  # on another drive
        return None
    if found == flavour.pardir or found.startswith(f"{flavour.pardir}{flavour.sep}"):
        return None
    return found.replace(flavour.sep, "/")
