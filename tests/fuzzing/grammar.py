"""Programs made from Python's own grammar, by hypothesmith: they mean nothing, and use whatever there is."""

from __future__ import annotations

import warnings

from hypothesis import HealthCheck, Phase, given, seed, settings


def programs(start: int, number: int) -> list[str]:
    """Return so many programs, each behind what lets it past the gate; the same for the same seed."""
    if not number:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a grammar library warns of is not about us
        import hypothesmith

        made: list[str] = []

        @seed(start)
        @settings(
            max_examples=number,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(hypothesmith.from_node())
        def collect(text: str) -> None:
            made.append(f"import torch\nx = torch.ones(1).cuda()\n{text}")

        collect()
    return made
