"""What the README says is so: its output, its excerpt, its table of rules, its commands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLE = "docs/examples/train.py"

# each of the six mistakes that the README begins with, and the codes that may tell of it
MISTAKES = {
    "an optimizer built before the move": {"TDL301", "TDL302"},
    "a move thrown away": {"TDL201"},
    "labels left behind": {"TDL103"},
    "losses added up with their graphs": {"TDL304"},
    "a checkpoint loaded without map_location": {"TDL401"},
    "a device written into the code": {"TDL501", "TDL502"},
}


def block(language: str, containing: str) -> str:
    """Return the fenced block of README.md in a language that contains some text."""
    for found in re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL):
        if containing in found:
            return str(found)
    raise AssertionError(f"no {language} block with {containing!r}")


@pytest.fixture(scope="module")
def output() -> str:
    result = subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", "--select", "TDL", EXAMPLE],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (result.returncode, result.stderr) == (1, "")
    return result.stdout


def test_the_output_is_real(output: str) -> None:
    assert block("text", EXAMPLE) == output


def test_the_example_makes_each_mistake(output: str) -> None:
    codes = set(re.findall(r": (TDL\d{3}) ", output))
    assert {mistake for mistake, told_by in MISTAKES.items() if not codes & told_by} == set()


def test_the_excerpt_is_of_the_example() -> None:
    excerpt = [line.strip() for line in block("python", ".cuda()").splitlines()]
    script = [line.strip() for line in (ROOT / EXAMPLE).read_text("utf-8").splitlines()]
    assert any(script[i : i + len(excerpt)] == excerpt for i in range(len(script)))


def test_the_table_has_each_rule() -> None:
    table = re.findall(r"^\| \[TDL(\d{3})\]\(\S+\) \| ([a-z-]+) \| ", README, re.MULTILINE)
    changelog = re.findall(r"^- TDL(\d{3}) ([a-z-]+): ", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    stems = sorted(path.stem for path in ROOT.glob("torchdevlint/rules/tdl*.py"))
    assert table == sorted(set(table))
    assert [f"tdl{code}_{name.replace('-', '_')}" for code, name in table] == stems
    assert set(table) <= set(changelog)


def test_the_commands() -> None:
    assert f"pip install . && flake8 --select TDL {EXAMPLE}\n" in README
    test_command = 'pip install ".[test]" && pytest'
    assert f"\n{test_command}\n" in README
    assert test_command in (ROOT / ".ci" / "run").read_text("utf-8")


def test_links_lead_somewhere() -> None:
    for document in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), (document.name, target)
