"""The program: derive all rows, and write or compare them."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Sequence
from itertools import islice

from torchdevlint.knowledge import NAMES, OF_TENSORS
from torchdevlint.knowledge.derived import FILE, METHOD, line_of
from torchdevlint.knowledge.rows import Row

COMMAND = "python -m torchdevlint.harness.derive"
_SHOWN = 40


def derive() -> str:
    """Return the text of the file for the installed PyTorch; simulates a machine in this process from here on."""
    import torch

    from torchdevlint.harness.simulator import install

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # of deprecated functions, whose rows are as good
    install()

    from torch.testing._internal.common_modules import module_db

    from torchdevlint.harness.derive import classes, factories, losses, modules
    from torchdevlint.harness.derive.judging import row_of
    from torchdevlint.harness.derive.observing import observe
    from torchdevlint.harness.derive.samples import Samples
    from torchdevlint.harness.derive.signatures import offers

    by_hand = {*NAMES} - NAMES.derived | {METHOD + name for name in {*OF_TENSORS} - OF_TENSORS.derived}
    samples = Samples()
    wanted = [offer for offer in offers() if offer.name not in by_hand]
    rows: dict[str, Row] = {}
    for found in (factories.rows(wanted), classes.rows(), modules.rows(module_db), losses.functions(wanted, samples)):
        rows |= found
    rows |= losses.modules(lambda name: NAMES.get(name) if name in by_hand else rows.get(name))
    for offer in wanted:
        row = row_of(observe(offer, samples)) if offer.name not in rows else None
        if row is not None:
            rows[offer.name] = row
    lines = [line_of(name, row) for name, row in rows.items() if name not in by_hand]
    version = torch.__version__.partition("+")[0]
    return "\n".join([f"# torch {version}, derived by `{COMMAND}`", *sorted(lines)]) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write the file, or with `--check` compare it; 1 if it is stale."""
    text = derive()
    if "--check" not in arguments:
        FILE.write_text(text, encoding="utf-8")
        return 0
    committed = FILE.read_text(encoding="utf-8")
    if committed == text:
        return 0
    changes = difflib.unified_diff(committed.splitlines(), text.splitlines(), "committed", "derived", n=0, lineterm="")
    sys.stderr.write("\n".join([*islice(changes, _SHOWN), f"{FILE} is stale: run `{COMMAND}`", ""]))
    return 1
