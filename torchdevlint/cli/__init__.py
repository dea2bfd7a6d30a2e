"""The command `torchdevlint`."""

from __future__ import annotations

INTERRUPTED = 130
"""The exit status of a program that an interrupt ended, as shells give it."""


def command() -> int:
    """Run the command; an interrupt ends it without a traceback, while it imports what it needs, too."""
    try:
        from torchdevlint.cli.main import main

        return main()
    except KeyboardInterrupt:
        return INTERRUPTED
