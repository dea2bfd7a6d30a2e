"""torchmetrics: metrics whose state is a tensor, and functional metrics."""

from __future__ import annotations

from torchdevlint.knowledge.rows import Combine, Mix, ModuleType, RankRule, Row
from torchdevlint.knowledge.words import words

_METRIC = ModuleType(inputs=("preds", "target"), output="opaque", metric=True, has_device=True)

# Metrics that keep their inputs in lists (AUROC, AveragePrecision, ROC …), or replace their state (R2Score,
# MaxMetric …), accept any device and are not here.
_CLASSIFICATION = words("""
Accuracy Precision Recall F1Score FBetaScore StatScores Specificity ConfusionMatrix JaccardIndex CohenKappa
MatthewsCorrCoef HammingDistance
""")

_REGRESSION = words("MeanSquaredError MeanAbsoluteError PearsonCorrCoef")

_FUNCTIONS = words("accuracy precision recall f1_score fbeta_score specificity hamming_distance")
_FUNCTIONS += ["mean_squared_error", "mean_absolute_error"]

_AGGREGATION = ModuleType(inputs=("value", "weight"), output="opaque", metric=True, has_device=True)

TORCHMETRICS: dict[str, Row] = {
    **dict.fromkeys(
        (
            f"{package}.{name}"
            for package in ("torchmetrics", "torchmetrics.aggregation")
            for name in words("MeanMetric SumMetric")
        ),
        _AGGREGATION,
    ),
    **{f"torchmetrics.{name}": _METRIC for name in (*_CLASSIFICATION, *_REGRESSION)},
    **{
        f"torchmetrics.classification.{task}{name}": _METRIC
        for name in _CLASSIFICATION
        for task in ("", "Binary", "Multiclass", "Multilabel")
    },
    **{f"torchmetrics.regression.{name}": _METRIC for name in _REGRESSION},
    **dict.fromkeys(
        (f"torchmetrics.functional.{name}" for name in _FUNCTIONS),
        Combine(operands=("preds", "target"), mix=Mix.ZERO_DIM, rank=RankRule.UNKNOWN),
    ),
    "torchmetrics.Metric": ModuleType(abstract=True, inputs=(), output="opaque", metric=True, has_device=True),
}
