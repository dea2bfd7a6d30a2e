"""Settings: the table in `pyproject.toml`, the options over it, and one sentence for what cannot be used."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchdevlint.checking.settings import KEYS
from torchdevlint.cli.main import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HARDCODED = "import torch\n\nx = torch.ones(3).to('cuda')\ny = torch.ones(3)\ny.cuda()\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for folder in ("src", "scripts"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text(HARDCODED)
    return tmp_path


def configure(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.torchdevlint]\n{text}\n", "utf-8")


def found(capsys: pytest.CaptureFixture[str], *options: str) -> set[str]:
    assert main(["check", *options]) in (0, 1)
    return {" ".join(line.split(":")[0:1] + line.split()[1:2]) for line in capsys.readouterr().out.splitlines()}


ALL = {f"{folder}/a.py {code}" for folder in ("src", "scripts") for code in ("TDL201", "TDL501", "TDL502")}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ALL),
        ('select = ["TDL2"]', {"src/a.py TDL201", "scripts/a.py TDL201"}),
        ('ignore = ["TDL5"]', {"src/a.py TDL201", "scripts/a.py TDL201"}),
        ('ignore = ["TDL5"]\nextend-select = ["TDL502"]', {one for one in ALL if "TDL501" not in one}),
        ('exclude = ["scripts"]', {one for one in ALL if "src" in one}),
        ('extend-exclude = ["scr*/"]', {one for one in ALL if "src" in one}),
        ('per-file-ignores = { "scripts/*" = ["TDL5"] }', ALL - {"scripts/a.py TDL501", "scripts/a.py TDL502"}),
        ('per-file-ignores = { "a.py" = ["TDL201", "TDL50"] }', set()),
        ("respect-gitignore = false\nforce-exclude = true", ALL),
    ],
)
def test_keys(project: Path, capsys: pytest.CaptureFixture[str], text: str, left: set[str]) -> None:
    configure(project, text)
    assert found(capsys) == left


def test_the_nearest_file_with_the_table_counts(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, 'per-file-ignores = { "scripts/*" = ["TDL"] }')
    (project / "scripts" / "pyproject.toml").write_text("[tool.other]\n")
    monkeypatch.chdir(project / "scripts")
    assert found(capsys) == set()
    assert len(found(capsys, "--isolated")) == 3
    assert len(found(capsys, "--config", "pyproject.toml")) == 3


def test_options_win(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(project, 'select = ["TDL2"]\nfail-on = "error"\noutput-format = "json"')
    assert found(capsys, "--select", "TDL501", "--output-format", "concise") == {
        "src/a.py TDL501",
        "scripts/a.py TDL501",
    }
    assert main(["check", "--select", "TDL501"]) == 0
    assert capsys.readouterr().out.startswith("[\n")
    assert main(["check", "--select", "TDL501", "--fail-on", "warning"]) == 1


@pytest.mark.parametrize("name", ["torchdevlnt", "torch-dev-lint", "Torchdevlint"])
def test_a_slip_in_the_name_of_the_table(project: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.{name}]\nselect = ['TDL501']\n", "utf-8")
    assert main(["check"]) == 2
    told = f"pyproject.toml: [tool.{name}] is no table of this tool; did you mean [tool.torchdevlint]?\n"
    assert capsys.readouterr().err.endswith(told)


@pytest.mark.parametrize("text", ["[tool.torchlint]", "[tool.torchdevlint]\n[tool.torchdevlints]"])
def test_tables_of_others(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(f"{text}\n", "utf-8")
    assert main(["config"]) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("selcet = []", "pyproject.toml: [tool.torchdevlint] has no key `selcet`; did you mean `select`?"),
        ("colour = 1", "pyproject.toml: [tool.torchdevlint] has no key `colour`"),
        ('select = "TDL1"', "pyproject.toml: `select` is to be a list of strings"),
        ("ignore = [1]", "pyproject.toml: `ignore` is to be a list of strings"),
        ("force-exclude = 1", "pyproject.toml: `force-exclude` is to be true or false"),
        ("output-format = 1", "pyproject.toml: `output-format` is to be a string"),
        ('output-format = "xml"', "pyproject.toml: there is no `output-format` xml; there are full, concise, json,"),
        ('fail-on = "all"', "pyproject.toml: `fail-on` is to be one of error, warning, advice"),
        ("per-file-ignores = []", "pyproject.toml: `per-file-ignores` is to be a table of patterns and lists of codes"),
        ('select = ["TDL777"]', "pyproject.toml: `select`: there is no code TDL777"),
        ('per-file-ignores = { "a" = ["E501"] }', "pyproject.toml: `per-file-ignores`: there is no code E501"),
        ("select = [", "pyproject.toml: this is not TOML: "),
        (f"select = {'[' * 1500}", "pyproject.toml: it is nested too deeply"),
        ("line-length = 0", "pyproject.toml: `line-length` is to be a number from 1 on"),
        (f"line-length = {'1' * 5000}", "pyproject.toml: it holds a number of too many digits"),
    ],
)
def test_what_cannot_be_used(project: Path, capsys: pytest.CaptureFixture[str], text: str, told: str) -> None:
    configure(project, text)
    assert main(["check"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"torchdevlint: {project}/{told}" if "TOML" in told else "torchdevlint: ")
    assert told in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("text", ["[[tool.torchdevlint]]\nselect = []", "[tool]\ntorchdevlint = 3"])
@pytest.mark.parametrize("options", [[], ["--config", "pyproject.toml"]])
def test_what_is_no_table(project: Path, capsys: pytest.CaptureFixture[str], text: str, options: list[str]) -> None:
    (project / "pyproject.toml").write_text(text)
    assert main(["check", *options]) == 2
    assert capsys.readouterr().err.endswith("pyproject.toml: [tool.torchdevlint] is to be a table\n")


def test_a_tool_that_is_no_table_has_no_settings(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").write_text("tool = 3\n")
    assert found(capsys) == ALL


def test_a_configuration_that_is_not_there(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--config", "no.toml"]) == 2
    assert capsys.readouterr().err == "torchdevlint: no.toml: No such file or directory\n"


def test_config_shows_what_is_in_force(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(project, 'ignore = ["TDL5"]\nper-file-ignores = { "a.py" = ["TDL2"] }')
    assert main(["config", "--select", "TDL", "--fail-on", "error"]) == 0
    told = capsys.readouterr().out
    lines = dict(line.split(" = ", 1) for line in told.splitlines() if " = " in line)
    assert lines["select"] == '["TDL"]  # command line'
    assert lines["fail-on"] == '"error"  # command line'
    assert lines["ignore"] == f'["TDL5"]  # {project}/pyproject.toml'
    assert lines["per-file-ignores"] == f'{{ "a.py" = ["TDL2"] }}  # {project}/pyproject.toml'
    assert lines["force-exclude"] == "false  # default"
    assert "# output-format is not set: full on a terminal, concise elsewhere  # default\n" in told
    assert [*tomllib.loads(told)["tool"]["torchdevlint"]] == [key for key in KEYS if key != "output-format"]
