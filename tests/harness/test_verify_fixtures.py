"""Fixtures are found by their names, and what their rule reports is known with statement and partners."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchdevlint.harness.fixtures import BadFixture, find, partners, reports, statement

SOURCE = '''"""A script."""
# runtime: sim ok
import torch

x = torch.zeros(
    3,
).cuda()
y = (
    x
    + torch.ones(3)
)
'''


def write(path: Path, text: str = SOURCE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_cases_are_files_and_scripts_of_folders_with_a_declaration(tmp_path: Path) -> None:
    rule = tmp_path / "tdl101_mixed_devices"
    write(rule / "good.py")
    write(rule / "bad_project" / "train.py")
    write(rule / "bad_project" / "model.py", "import torch\n")
    write(rule / "helper.py")
    write(rule / "notes.txt")
    write(rule / "good_silent" / "a.py", "")
    write(tmp_path / "elsewhere" / "bad.py")
    found = [(case.rule, case.name, len(case.declarations)) for case in find([tmp_path])]
    assert found == [
        ("", "elsewhere/bad.py", 1),
        ("TDL101", "tdl101_mixed_devices/bad_project/train.py", 1),
        ("TDL101", "tdl101_mixed_devices/good.py", 1),
        ("TDL101", "tdl101_mixed_devices/good_silent", 0),
    ]


def test_a_fixture_can_be_named_itself(tmp_path: Path) -> None:
    path = write(tmp_path / "tdl101_mixed_devices" / "good.py")
    assert [case.script for case in find([path])] == [path]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (None, "", "there is no such file"),
        ("train.py", SOURCE, "there is no fixture"),
        ("bad.py", "# runtime: cpu", "line 1: `` is no prediction"),
    ],
)
def test_what_cannot_be_found_or_read_is_told(tmp_path: Path, name: str | None, text: str, said: str) -> None:
    path = tmp_path / "missing" if name is None else write(tmp_path / name, text)
    with pytest.raises(BadFixture, match=said):
        list(find([path]))


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_bytes(b"# \xff\n")
    with pytest.raises(BadFixture, match="cannot be read"):
        list(find([path]))


def test_a_report_has_the_lines_of_its_statement_and_of_its_partners(tmp_path: Path) -> None:
    (case,) = find([write(tmp_path / "tdl101_mixed_devices" / "bad.py")])
    (report,) = reports(case)
    assert report.statement == range(8, 12)
    assert report.partners == (range(8, 12), range(5, 8))


def test_a_fixture_that_cannot_be_analysed_is_told(tmp_path: Path) -> None:
    (case,) = find([write(tmp_path / "bad.py")])
    case.script.write_text(SOURCE + "z = '" + "x" * 300_000 + "'\n", "utf-8")
    with pytest.raises(BadFixture, match="not analysed"):
        reports(case)


def test_the_statement_on_a_line() -> None:
    tree = ast.parse("if (\n    a\n):\n    b = [\n        1,\n    ]\n\nif a: b = 1\n")
    assert [statement(tree, line) for line in (2, 5, 7, 8)] == [range(1, 4), range(4, 7), range(7, 8), range(8, 9)]


def test_partners_are_the_lines_a_message_names() -> None:
    assert partners("`x` is on cpu (line 3) but `w` is on cuda (from `loader`, line 12)") == [3, 12]
