"""`python -m torchdevlint`: the same as the command `torchdevlint`."""

from __future__ import annotations

import sys

from torchdevlint.cli.main import main

sys.exit(main())
