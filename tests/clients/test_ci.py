"""CI, as docs/ci.md tells how to set it up: an exit status, lines to read, and what servers show."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from recipes import BROKEN, BUG, CLEAN, FOUND, ROOT, block, blocks, run, with_scripts

CI = "docs/ci.md"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
WORKFLOWS = [yaml.safe_load(text) for text in blocks(CI, "yaml") if "jobs:" in text]
OURS = "example/torchdevlint@"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    found = tmp_path / "project"
    found.mkdir()
    (found / "train.py").write_text(BUG, "utf-8")
    return found


def shell(lines: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run the lines of a step as GitHub's and GitLab's runners do: the first that fails ends it."""
    result = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", lines],
        cwd=folder, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    return result.returncode, result.stdout


# flake8


@pytest.mark.parametrize(
    ("source", "status", "told"),
    [(BUG, 1, f"./train.py:4:1: {FOUND}\n"), (CLEAN, 0, ""), (BROKEN, 1, " E9")],
    ids=["bug", "clean", "broken"],
)
@pytest.mark.parametrize("document", [CI, "README.md"])
def test_flake8(project: Path, document: str, source: str, status: int, told: str) -> None:
    (project / "train.py").write_text(source, "utf-8")
    seen, output = run(block(document, "console", "flake8 --select TDL,E9 .").split(), project)
    assert seen == status
    assert told in output
    assert bool(output) is bool(status)


# GitHub


def prepared(step: dict[str, Any], given: dict[str, str], temporary: Path) -> tuple[str, dict[str, str]]:
    """Return the lines of a step of the action and their environment, with the inputs that a workflow gives."""
    inputs = {name: given.get(name, one["default"]) for name, one in ACTION["inputs"].items()}
    assert given.keys() <= inputs.keys()
    assert "${{" not in step["run"], "what users give goes through variables, not into the script"
    variables = step.get("env", {})
    for name, value in inputs.items():
        variables = {key: text.replace(f"${{{{ inputs.{name} }}}}", value) for key, text in variables.items()}
    assert "${{" not in str(variables)
    return step["run"], with_scripts(**variables, RUNNER_TEMP=str(temporary), GITHUB_ACTION_PATH=str(ROOT))


Act = Callable[[Path, dict[str, str]], tuple[int, str]]


@pytest.fixture(scope="module")
def act(tmp_path_factory: pytest.TempPathFactory) -> Act:
    """Return what runs the action's last step in a checkout; those before it, which install, have run once."""
    temporary = tmp_path_factory.mktemp("runner")
    *steps, last = ACTION["runs"]["steps"]
    for step in steps:
        assert shell(prepared(step, {}, temporary)[0], temporary, prepared(step, {}, temporary)[1]) == (0, "")

    def act(checkout: Path, given: dict[str, str]) -> tuple[int, str]:
        lines, environment = prepared(last, given, temporary)
        return shell(lines, checkout, environment)

    return act


def steps_of(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


def used_in(workflow: dict[str, Any]) -> dict[str, str]:
    [step] = [step for step in steps_of(workflow) if step["uses"].startswith(OURS)]
    given: dict[str, str] = step.get("with", {})
    return given


def test_there_are_two_workflows() -> None:
    annotating, scanning = WORKFLOWS
    assert used_in(annotating).keys() == ACTION["inputs"].keys()
    assert {step["uses"].partition("@")[0] for step in steps_of(scanning)} >= {"github/codeql-action/upload-sarif"}


@pytest.mark.needs_index
def test_the_action_annotates(project: Path, act: Act) -> None:
    given = used_in(WORKFLOWS[0])
    status, output = act(project, given)
    assert status == 1
    assert output.startswith("::error title=torchdevlint (TDL201 discarded-move),file=train.py,line=4,col=1,")
    (project / "train.py").write_text(CLEAN, "utf-8")
    assert act(project, {}) == (0, "")
    # warnings pass with the options of the workflow, and fail without
    (project / "train.py").write_text("import torch\n\nx = torch.ones(3, device='cuda')\n", "utf-8")
    assert act(project, given)[0] == 0
    assert act(project, {})[0] == 1
    # a pattern is a pattern, whatever files there are, and paths are several
    (project / "old").mkdir()
    (project / "train.py").rename(project / "old" / "train.py")
    assert act(project, {"paths": "old .", "args": "--extend-exclude o*/train.py"}) == (0, "")


@pytest.mark.needs_index
def test_the_action_writes_sarif(project: Path, act: Act) -> None:
    assert act(project, used_in(WORKFLOWS[1])) == (0, "")
    [upload] = [step for step in steps_of(WORKFLOWS[1]) if "upload-sarif" in step["uses"]]
    [found] = json.loads((project / upload["with"]["sarif_file"]).read_text("utf-8"))["runs"][0]["results"]
    assert found["ruleId"] == "TDL201"
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "train.py"


def test_two_lines_do_what_the_action_does(project: Path) -> None:
    install, check = yaml.safe_load(block(CI, "yaml", "    steps:\n      - run: pip"))["steps"]
    assert install["run"].startswith("pip install ")
    status, output = shell(check["run"], project, with_scripts())
    assert status == 1
    assert output.startswith("::error title=torchdevlint")


# other servers


def test_gitlab(project: Path) -> None:
    job = yaml.safe_load(block(CI, "yaml", "codequality"))["torchdevlint"]
    install, *others = job["script"]
    assert install.startswith("pip install ")
    assert shell("\n".join(others), project, with_scripts()) == (1, "")
    assert job["artifacts"]["when"] == "always"
    [found] = json.loads((project / job["artifacts"]["reports"]["codequality"]).read_text("utf-8"))
    assert (found["check_name"], found["severity"], found["location"]["path"]) == ("TDL201", "major", "train.py")


def test_junit(project: Path) -> None:
    assert run(block(CI, "console", "junit").split(), project) == (1, "")
    suites = ET.parse(project / "torchdevlint.xml").getroot()  # noqa: S314 (it is our own)
    assert (suites.get("tests"), suites.get("failures")) == ("1", "1")
