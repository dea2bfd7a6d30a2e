"""torchmetrics: metrics whose state is a tensor, and functional metrics.

Which metrics refuse tensors of another device was measured with torchmetrics 1.9. Those that keep their inputs in lists
(AUROC, AveragePrecision, ROC, the retrieval metrics …), or replace their state (R2Score, MaxMetric …), accept any
device and are not here.
"""

from __future__ import annotations

from torchdevlint.knowledge.rows import Combine, Mix, ModuleType, RankRule, Row
from torchdevlint.knowledge.words import words

_METRIC = ModuleType(inputs=("preds", "target"), output="opaque", metric=True, has_device=True)

# With these arguments the state is a list.
_CLASSIFIER = ModuleType(
    inputs=("preds", "target"),
    output="opaque",
    metric=True,
    has_device=True,
    empty_with=(("multidim_average", "samplewise"),),
)
_SIMILARITY = ModuleType(
    inputs=("preds", "target"),
    output="opaque",
    metric=True,
    has_device=True,
    empty_with=(("reduction", "none"), ("reduction", None)),
)

_CLASSIFICATION = words("""
Accuracy Precision Recall F1Score FBetaScore StatScores Specificity ConfusionMatrix JaccardIndex CohenKappa
MatthewsCorrCoef HammingDistance ExactMatch NegativePredictiveValue
""")

_RANKING = words("MultilabelCoverageError MultilabelRankingAveragePrecision MultilabelRankingLoss")

_REGRESSION = words("""
ConcordanceCorrCoef LogCoshError MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogError
MinkowskiDistance NormalizedRootMeanSquaredError PearsonCorrCoef RelativeSquaredError
SymmetricMeanAbsolutePercentageError TweedieDevianceScore WeightedMeanAbsolutePercentageError
""")

_IMAGE = words("""
StructuralSimilarityIndexMeasure SpatialCorrelationCoefficient SpectralAngleMapper UniversalImageQualityIndex
""")

_AUDIO = words("""
ScaleInvariantSignalDistortionRatio ScaleInvariantSignalNoiseRatio SignalDistortionRatio SignalNoiseRatio
SourceAggregatedSignalDistortionRatio
""")

# They hold a network (torchmetrics/image/fid.py, kid.py, inception.py, lpip.py).
_NETWORKS = {
    **dict.fromkeys(
        words("FrechetInceptionDistance KernelInceptionDistance InceptionScore"),
        ModuleType(inputs=("imgs",), output="opaque", metric=True, has_device=True),
    ),
    "LearnedPerceptualImagePatchSimilarity": ModuleType(
        inputs=("img1", "img2"), output="opaque", metric=True, has_device=True
    ),
}

_FUNCTIONS = words("accuracy precision recall f1_score fbeta_score specificity hamming_distance")
_FUNCTIONS += ["mean_squared_error", "mean_absolute_error"]

_AGGREGATION = ModuleType(inputs=("value", "weight"), output="opaque", metric=True, has_device=True)

_TASKS = {f"{task}{name}": _CLASSIFIER for name in _CLASSIFICATION for task in ("Binary", "Multiclass", "Multilabel")}

_MODULES: dict[str, dict[str, ModuleType]] = {
    "aggregation": dict.fromkeys(words("MeanMetric SumMetric"), _AGGREGATION),
    "classification": dict.fromkeys(_CLASSIFICATION, _CLASSIFIER),
    "regression": dict.fromkeys(_REGRESSION, _METRIC),
    "image": dict.fromkeys(_IMAGE, _SIMILARITY),
    "audio": dict.fromkeys(_AUDIO, _METRIC),
}

TORCHMETRICS: dict[str, Row] = {
    **{f"torchmetrics.{name}": row for rows in _MODULES.values() for name, row in rows.items()},
    **{f"torchmetrics.{module}.{name}": row for module, rows in _MODULES.items() for name, row in rows.items()},
    **{f"torchmetrics.classification.{name}": row for name, row in _TASKS.items()},
    **{f"torchmetrics.classification.{name}": _METRIC for name in _RANKING},
    **{f"torchmetrics.image.{name}": row for name, row in _NETWORKS.items()},
    **dict.fromkeys(
        (f"torchmetrics.functional.{name}" for name in _FUNCTIONS),
        Combine(operands=("preds", "target"), mix=Mix.ZERO_DIM, rank=RankRule.UNKNOWN),
    ),
    "torchmetrics.Metric": ModuleType(abstract=True, inputs=(), output="opaque", metric=True, has_device=True),
}
