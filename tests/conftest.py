"""How property tests run, where a busy machine is no failure, and where commands keep their cache."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


@pytest.fixture(autouse=True, scope="session")
def cache_of_commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the cache of every command that a test runs, here or in another process, out of the source tree."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHDEVLINT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
