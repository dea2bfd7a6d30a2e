"""Rows of frameworks name what is there, in those that are installed."""

from __future__ import annotations

import importlib

import pytest

from torchdevlint.knowledge import DEFAULT
from torchdevlint.knowledge.rows import ModuleType, ObjectType

PACKAGES = ("accelerate", "ignite", "lightning", "torch_geometric", "torchaudio", "torchmetrics", "transformers")

# What older releases have, and what the names are shortened to that are looked up.
ELSEWHERE = {
    *("transformers.AdamW", "transformers.optimization.AdamW", "transformers.MarianTokenizer"),
    *("transformers.AutoModelForVision2Seq", "transformers.AutoModelWithLMHead", "transformers.ViTFeatureExtractor"),
    *("transformers.DataCollatorForWholeWordMask", "lightning.callbacks.Callback"),
    *("lightning.callbacks.callback.Callback", "lightning.cli.LightningCLI"),
    "lightning.pytorch.utilities.apply_func.move_data_to_device",
    *("torchmetrics.SpatialCorrelationCoefficient", "torchmetrics.SourceAggregatedSignalDistortionRatio"),
    *("torchmetrics.classification.MultilabelCohenKappa", "torchmetrics.classification.BinaryExactMatch"),
    *(f"torchmetrics.image.{name}InceptionDistance" for name in ("Frechet", "Kernel")),
    "torchmetrics.image.InceptionScore",
}
OLDER_METHODS = {
    *("training_step_end", "validation_step_end", "test_step_end", "tune"),
    *("training_epoch_end", "validation_epoch_end", "test_epoch_end"),
    *("is_undirected", "has_isolated_nodes", "has_self_loops", "validate"),  # of one graph, not of a batch of them
}


def resolve(name: str) -> object:
    """Return what a dotted name stands for; raises AttributeError where there is nothing."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise AttributeError(name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", PACKAGES)
def test_rows_name_what_is_there(package: str) -> None:
    pytest.importorskip(package)
    for name in DEFAULT.names:
        plain = name.removesuffix(".from_pretrained").removesuffix(".from_config")
        if not name.startswith(f"{package}.") or plain in ELSEWHERE:
            continue
        found, row = resolve(name), DEFAULT.names[name]
        methods: set[str] = set()
        match row:
            case ObjectType():
                methods = {*row.methods, *row.overrides}
            case ModuleType():
                methods = {*dict(row.framework_methods), *row.early_methods}
            case _:
                continue
        if isinstance(found, type):
            assert {method for method in methods - OLDER_METHODS if not hasattr(found, method)} == set(), name
