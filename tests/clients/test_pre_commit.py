"""The hooks, in a repository of another project, with the real pre-commit."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from recipes import BROKEN, BUG, CLEAN, FOUND, MENDABLE, MENDED, ROOT, SCRIPTS, blocks, with_scripts

pytestmark = pytest.mark.needs_index

OWN, FLAKE8 = (yaml.safe_load(text) for text in blocks("docs/ci.md", "yaml") if "rev:" in text)
# as flake8's own repository declares it
FLAKE8_HOOK = "- {id: flake8, name: flake8, entry: flake8, language: python, types: [python], require_serial: true}\n"
BOTH = ({"id": "torchdevlint"}, {"id": "torchdevlint-fix"})
FLAKE8_PROJECT = '[project]\nname = "hook"\nversion = "0"\ndependencies = ["flake8"]\n'


def git(*arguments: str, cwd: Path) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True, text=True
    ).stdout.strip()


def released(repository: Path) -> dict[str, Any]:
    """Commit what is in a folder, and return where pre-commit finds it."""
    git("init", "--quiet", cwd=repository)
    git("add", ".", cwd=repository)
    git("commit", "--quiet", "-m", "a release", cwd=repository)
    return {"repo": repository.as_uri(), "rev": git("rev-parse", "HEAD", cwd=repository)}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which pre-commit keeps its environments from test to test."""
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Make a git repository of what the package is built from, as pre-commit clones one."""
    repository = tmp_path_factory.mktemp("torchdevlint")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, repository)
    shutil.copytree(ROOT / "torchdevlint", repository / "torchdevlint", ignore=shutil.ignore_patterns("__pycache__"))
    return released(repository)


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git("init", "--quiet", cwd=tmp_path)
    return tmp_path


@pytest.fixture
def run(project: Path, cache: Path) -> Run:
    def run(repository: dict[str, Any], *hook: dict[str, Any]) -> tuple[int, str]:
        """Run hooks on all files of the project, as they are committed."""
        config = {"repos": [{**repository, "hooks": [*hook]}]}
        (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
        git("add", ".", cwd=project)
        result = subprocess.run(
            [SCRIPTS / "pre-commit", "run", "--all-files"],
            cwd=project, env=with_scripts(PRE_COMMIT_HOME=str(cache)), capture_output=True, text=True, check=False,
        )  # fmt: skip
        return result.returncode, result.stdout + result.stderr

    return run


def written(project: Path, **sources: str) -> None:
    for name, source in sources.items():
        (project / f"{name}.py").write_text(source, "utf-8")


def test_it_finds(project: Path, run: Run, hooks: dict[str, Any]) -> None:
    [shown] = OWN["repos"][0]["hooks"]
    written(project, train=BUG, clean=CLEAN, other="import os\n\nprint(os.name)\n")
    status, told = run(hooks, shown)
    assert status == 1
    assert f"train.py:4:1: {FOUND}" in told
    assert told.count(".py:") == 1
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": BUG}
    (project / "explore.ipynb").write_text(
        json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), "utf-8"
    )
    written(project, train=CLEAN)
    status, told = run(hooks, shown)
    assert status == 1
    assert f"explore.ipynb:cell 1:4:1: {FOUND}" in told
    (project / "explore.ipynb").unlink()
    status, told = run(hooks, shown)
    assert (status, "Passed" in told) == (0, True), told
    # the options that users give hold: this is a warning
    written(project, train="import torch\n\nx = torch.ones(3, device='cuda')\n")
    assert run(hooks, shown)[0] == 0
    assert run(hooks, {"id": "torchdevlint"})[0] == 1
    # a file that cannot be parsed is no clean file
    written(project, train=BROKEN)
    assert run(hooks, {"id": "torchdevlint"})[0] == 1


def test_there_is_nothing_to_do_without_torch(project: Path, run: Run, hooks: dict[str, Any]) -> None:
    written(project, train="import os\n\nprint(os.name)\n")
    (project / "README.md").write_text("torch\n", "utf-8")
    status, told = run(hooks, *BOTH)
    assert (status, told.count("Passed")) == (0, 2), told


def test_it_mends(project: Path, run: Run, hooks: dict[str, Any]) -> None:
    written(project, train=MENDABLE)
    status, told = run(hooks, {"id": "torchdevlint-fix"})
    assert status == 1
    assert "files were modified by this hook" in told
    assert (project / "train.py").read_text("utf-8") == MENDED
    assert run(hooks, {"id": "torchdevlint-fix"})[0] == 0
    # what it cannot mend it reports
    written(project, train=BUG)
    status, told = run(hooks, {"id": "torchdevlint-fix"})
    assert status == 1
    assert f"train.py:4:1: {FOUND}" in told
    assert (project / "train.py").read_text("utf-8") == BUG


def test_what_is_excluded_is_left_alone(project: Path, run: Run, hooks: dict[str, Any]) -> None:
    written(project, train=MENDABLE)
    assert run(hooks, *({**hook, "exclude": "^train"} for hook in BOTH))[0] == 0
    (project / "pyproject.toml").write_text('[tool.torchdevlint]\nextend-exclude = ["train.py"]\n')
    assert run(hooks, *BOTH)[0] == 0
    (project / "pyproject.toml").write_text('[tool.torchdevlint]\nignore = ["TDL304"]\n')
    assert run(hooks, *BOTH)[0] == 0
    assert (project / "train.py").read_text("utf-8") == MENDABLE


def test_files_come_in_several_batches(project: Path, run: Run, hooks: dict[str, Any]) -> None:
    folder = project.joinpath("a" * 200, "b" * 200, "c" * 200)
    folder.mkdir(parents=True)
    files = [folder / f"module_{number:03}.py" for number in range(240)]
    assert sum(len(str(file.relative_to(project))) for file in files) > 128 * 1024, "more than one command line holds"
    for file in files:
        file.write_text(MENDABLE if file in (files[0], files[120], files[-1]) else "", "utf-8")
    status, told = run(hooks, *BOTH)
    assert status == 1
    assert re.findall(r"module_(\d+)\.py:\d+:\d+: (TDL\d+)", told) == [(n, "TDL304") for n in ("000", "120", "239")]
    assert [file.read_text("utf-8") for file in (files[0], files[120], files[-1])] == [MENDED] * 3
    assert run(hooks, *BOTH)[0] == 0


def test_the_hook_of_flake8(
    tmp_path_factory: pytest.TempPathFactory, project: Path, run: Run, hooks: dict[str, Any]
) -> None:
    stand_in = tmp_path_factory.mktemp("flake8")
    (stand_in / ".pre-commit-hooks.yaml").write_text(FLAKE8_HOOK)
    (stand_in / "pyproject.toml").write_text(FLAKE8_PROJECT)
    (stand_in / "hook.py").touch()
    [shown] = FLAKE8["repos"][0]["hooks"]
    [needed] = shown["additional_dependencies"]
    here = needed.replace("https://example.org/torchdevlint@REVISION", f"{hooks['repo']}@{hooks['rev']}")
    assert here != needed
    written(project, train=BUG, broken=BROKEN)
    repository = released(stand_in)
    status, told = run(repository, {**shown, "additional_dependencies": [here]})
    assert status == 1
    assert f"train.py:4:1: {FOUND}" in told
    assert re.search(r"broken\.py:3:\d+: E9", told)
    (project / "broken.py").unlink()
    written(project, train=CLEAN)
    assert run(repository, {**shown, "additional_dependencies": [here]})[0] == 0
