"""Development sessions: the tests on each supported Python, the checks, the coverage."""

from __future__ import annotations

import re
from pathlib import Path

import nox

nox.options.sessions = ["tests", "checks"]
WITH_TORCH = "3.11"
RULES_OF_THE_PINNED = "tests/harness/test_simulator_rules.py"  # the table is of the release that CI runs


@nox.session(python=["3.10", "3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """Run the tests; only on one Python those that run PyTorch, whose wheels are gigabytes elsewhere."""
    if session.python == WITH_TORCH:
        session.install(".[test]")
        session.run("pytest", *session.posargs)
    else:
        session.log("the tests that need PyTorch are deselected: they run on Python %s", WITH_TORCH)
        session.install(".[test-without-torch]")
        session.run("pytest", "-m", "not needs_torch", *session.posargs)


@nox.session(python=["3.10", "3.13"])
@nox.parametrize("needs", ["oldest", "newest"])
def dependencies(session: nox.Session, needs: str) -> None:
    """Run the tests with the oldest of flake8, libcst and the like that are allowed, or with the newest there are."""
    allowed = nox.project.load_toml("pyproject.toml")["project"]["dependencies"]
    names = [requirement.partition(">=")[0] for requirement in allowed]
    session.install(".[test-without-torch]")
    if needs == "oldest":
        session.install(*(re.sub(r">=([\d.]+)", r"==\1", requirement) for requirement in allowed))
    else:
        session.install("--upgrade", "--upgrade-strategy", "eager", *names)
    session.run("pytest", "-m", "not needs_torch and not needs_index", *session.posargs)


@nox.session(python=WITH_TORCH)
@nox.parametrize("torch", ["newest", "2.4.1"])
def torches(session: nox.Session, torch: str) -> None:
    """Run the harness and all fixtures on another PyTorch; not in CI, for its wheels are gigabytes."""
    session.install(".[test-without-torch]", "expecttest", "numpy", "pyyaml")
    session.install("--upgrade", "torch" if torch == "newest" else f"torch=={torch}")
    session.run("pytest", "tests/harness", "--deselect", RULES_OF_THE_PINNED, *session.posargs)


@nox.session(python=WITH_TORCH)
def frameworks(session: nox.Session) -> None:
    """Look at the rows of frameworks and run the fixtures that need one; not in CI, for they bring many packages."""
    session.install(".[test,frameworks]")
    session.run("pytest", "tests/test_framework_rows.py")
    fixtures = [str(path) for path in sorted(Path("fixtures").rglob("*_needs_*.py"))]
    session.run("torchdevlint", "verify", "--seconds", "120", *fixtures, *session.posargs)


@nox.session(python=WITH_TORCH)
def coverage(session: nox.Session) -> None:
    """Fail where a line or a branch of the package is not tested."""
    session.install(".[test]")
    session.run("pytest", "--cov", *session.posargs)


@nox.session(python=WITH_TORCH)
def checks(session: nox.Session) -> None:
    """Lint, check the format and the types."""
    session.install(".[test-without-torch]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
