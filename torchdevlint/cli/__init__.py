"""The command `torchdevlint`."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130
"""The exit status of a program that an interrupt ended, as shells give it."""
UNREAD = 141
"""The exit status of a program whose reader has gone away, as shells give it."""


def command() -> int:
    """Run the command; an interrupt ends it without a traceback, while it imports what it needs, too.

    So does a reader that has seen enough (`torchdevlint rules | head`).
    """
    try:
        from torchdevlint.cli.main import main

        status = main()
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still kept is written at the end
        return UNREAD
