"""Distributions: objects that are where their parameters are, and so is what is drawn from them.

Sources: torch/distributions (`log_prob`, `cdf` and `rsample` of each class; `Gamma.log_prob` moves its value).
"""

from __future__ import annotations

from torchdevlint.knowledge.rows import Combine, Distribution, Mix, ObjectType, RankRule, Row, Sample
from torchdevlint.knowledge.words import words

_VALUE = Combine(operands=("input", "value"), rank=RankRule.UNKNOWN)
_PROPERTY = Sample(graph=True)

DISTRIBUTION = ObjectType(
    "distribution",
    methods={
        **dict.fromkeys(words("sample sample_n"), Sample()),
        "rsample": Sample(graph=True),
        **dict.fromkeys(words("log_prob cdf icdf"), _VALUE),
        **dict.fromkeys(words("entropy perplexity"), Sample(graph=True, reduced=True)),
    },
    attributes=dict.fromkeys(words("mean stddev variance mode loc scale probs logits concentration rate"), _PROPERTY),
)


def _of(parameters: str, mix: Mix = Mix.ZERO_DIM, events: int = 0) -> Distribution:
    return Distribution(DISTRIBUTION, Combine(operands=tuple(parameters.split(" ")), mix=mix), events)


_BY_NAME = {
    **dict.fromkeys(words("Normal LogNormal Laplace"), _of("loc scale")),
    "Beta": _of("concentration1 concentration0", Mix.STRICT),
    "Uniform": _of("low high"),
    **dict.fromkeys(words("Exponential Poisson"), _of("rate")),
    **dict.fromkeys(words("Bernoulli Geometric"), _of("probs logits")),
    "Categorical": _of("probs logits", events=-1),
    "OneHotCategorical": _of("probs logits"),
    "Dirichlet": _of("concentration"),
    "MultivariateNormal": _of("loc covariance_matrix precision_matrix scale_tril"),
}

DISTRIBUTIONS: dict[str, Row] = {
    **{f"torch.distributions.{name}": row for name, row in _BY_NAME.items()},
    "torch.distributions.kl_divergence": Combine(operands=("p", "q"), rank=RankRule.UNKNOWN),
}
