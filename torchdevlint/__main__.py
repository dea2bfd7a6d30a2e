"""`python -m torchdevlint`: the same as the command `torchdevlint`."""

from __future__ import annotations

import sys

from torchdevlint.cli import command

sys.exit(command())
