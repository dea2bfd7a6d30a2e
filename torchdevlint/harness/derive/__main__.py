"""`python -m torchdevlint.harness.derive [--check]` writes the derived rows, or says whether they are those of PyTorch.

With `--check` nothing is written, and the exit status is 1 where the rows are not those of the installed PyTorch.
"""

from __future__ import annotations

import sys

from torchdevlint.harness.derive.program import main

sys.exit(main(sys.argv[1:]))
