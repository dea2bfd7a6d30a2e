"""The pages of the rules and the tables of the README are those that docstrings, fixtures and evidence make."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest

from torchdevlint import engine, pages

ROOT = Path(__file__).parents[1]


def test_what_is_there_is_up_to_date() -> None:
    wanted = pages.made(ROOT)
    stale = [path.name for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    left = {path.name for path in (ROOT / "docs" / "rules").iterdir()} - {path.name for path in wanted}
    assert (stale, left) == ([], set()), "run `python -m torchdevlint.pages`"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "evidence.json", tmp_path / "docs")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures", target_is_directory=True)
    (tmp_path / "README.md").write_text("# a\n\n<!-- rules -->\n<!-- /rules -->\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    few = engine.all_rules()[:3]
    monkeypatch.setattr(engine, "all_rules", lambda: few)

    def run() -> list[str]:
        with pytest.raises(SystemExit) as ended, pytest.warns(RuntimeWarning, match="found in sys.modules"):
            runpy.run_module("torchdevlint.pages", run_name="__main__")
        assert ended.value.code == 0
        return capsys.readouterr().out.splitlines()

    codes = [rule.code for rule in few]
    assert run() == [*(f"written docs/rules/{code}.md" for code in codes), "written README.md"]
    for page in (tmp_path / "docs" / "rules").iterdir():
        assert page.read_bytes() == (ROOT / "docs" / "rules" / page.name).read_bytes()
    assert "| [TDL103](docs/rules/TDL103.md) | label-not-moved | " in (tmp_path / "README.md").read_text("utf-8")
    (tmp_path / "docs" / "rules" / "TDL777.md").touch()
    assert run() == ["removed docs/rules/TDL777.md"]


def test_a_rule_whose_scripts_nobody_ran() -> None:
    told = pages.page(engine.all_rules()[0], ROOT, [])
    assert "has been run yet." in told
    assert "| script |" not in told
