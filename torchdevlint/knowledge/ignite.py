"""Ignite: engines that run a function on each batch, and helpers that place modules and batches.

Sources: ignite/engine/engine.py (`Engine.__init__`, `_run_once_on_dataset`), ignite/distributed/auto.py,
ignite/utils.py.
"""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Arrives,
    Feed,
    FrameworkDevice,
    LoaderType,
    MoveHelper,
    Prepare,
    Row,
    Transparent,
)

# An engine hands itself and the batch to its function, and moves neither.
_ENGINE = Feed((Arrives.ANYTHING, Arrives.BATCH))

IGNITE: dict[str, Row] = {
    "ignite.engine.Engine": _ENGINE,
    "ignite.engine.engine.Engine": _ENGINE,
    "ignite.utils.convert_tensor": MoveHelper(),
    "ignite.distributed.device": FrameworkDevice(),
    "ignite.distributed.auto_model": Prepare(),
    "ignite.distributed.auto_optim": Transparent(),
    "ignite.distributed.auto_dataloader": LoaderType(),
}
