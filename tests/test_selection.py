"""Which codes are reported: flake8's own decision, and advice only where a selector names it."""

from __future__ import annotations

import sys
from argparse import Namespace
from itertools import product
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from flake8.main.cli import main as flake8
from flake8.style_guide import Decision, DecisionEngine

from torchdevlint import selection
from torchdevlint.flake8_plugin import Plugin
from torchdevlint.options import Options, on_by_default

CODES = ("TDL000", "TDL101", "TDL401", "TDL901", "TDL904")

SELECT = (None, "T", "TDL", "TDL9", "TDL904", "TDL10", "E,W")
EXTEND_SELECT = (None, "TDL", "TDL9", "TDL904")
IGNORE = (None, "TDL", "TDL9", "TDL101")
EXTEND_IGNORE = (None, "TDL904")


def parsed(
    select: str | None = None,
    extend_select: str | None = None,
    ignore: str | None = None,
    extend_ignore: str | None = None,
) -> Namespace:
    """Return the options that flake8 hands to plugins."""

    def split(value: str | None) -> list[str] | None:
        return None if value is None else [part for part in value.split(",") if part]

    return Namespace(
        select=split(select),
        extend_select=split(extend_select),
        ignore=split(ignore),
        extend_ignore=split(extend_ignore),
        extended_default_select=["E", "F", "W", "C90", "TDL"],
        extended_default_ignore=[],
    )


def wanted(**options: str) -> list[str]:
    chosen = selection.from_flake8(parsed(**options))
    return [code for code in CODES if chosen.wants(code)]


DEFAULT = ["TDL000", "TDL101", "TDL401"]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        pytest.param({}, DEFAULT, id="advice is off by default"),
        pytest.param({"select": "TDL"}, DEFAULT, id="naming the plugin does not turn advice on"),
        pytest.param({"select": "T"}, DEFAULT, id="nor does a letter"),
        pytest.param({"extend_select": "TDL"}, DEFAULT, id="nor does extending by the plugin"),
        pytest.param({"extend_select": "TDL9"}, [*DEFAULT, "TDL901", "TDL904"], id="naming advice turns it on"),
        pytest.param({"select": "TDL9"}, ["TDL901", "TDL904"], id="advice alone"),
        pytest.param({"select": "TDL,TDL904"}, [*DEFAULT, "TDL904"], id="one piece of advice beside the rest"),
        pytest.param({"select": "TDL10"}, ["TDL101"], id="a family"),
        pytest.param({"ignore": "E501"}, DEFAULT, id="an own ignore list changes nothing"),
        pytest.param({"select": "TDL", "ignore": "TDL4"}, ["TDL000", "TDL101"], id="the longer selector wins"),
        pytest.param({"extend_select": "TDL9", "ignore": "TDL904"}, [*DEFAULT, "TDL901"], id="advice ignored again"),
        pytest.param({"select": "E,W"}, [], id="something else"),
        pytest.param({"select": ""}, [], id="nothing"),
        pytest.param({"ignore": "TDL"}, [], id="the plugin ignored"),
        pytest.param({"ignore": "TDL", "select": "TDL401"}, ["TDL401"], id="the plugin ignored but for a code"),
    ],
)
def test_wants(options: dict[str, str], codes: list[str]) -> None:
    assert wanted(**options) == codes
    assert selection.from_flake8(parsed(**options)).wants_any() is bool(codes)


VALUES = (None, "", "E", "T", "TD", "TDL", "TDL1", "TDL9", "TDL101", "TDL904", "TDL,E", "TDL9,TDL10")


def test_shows_what_flake8_shows() -> None:
    for values in product(VALUES, VALUES, VALUES, (None, "T", "TDL", "TDL9,TDL101")):
        options = parsed(*values)
        chosen, theirs = selection.from_flake8(options), DecisionEngine(options)
        for code in CODES:
            assert chosen.shows(code) is (theirs.decision_for(code) is Decision.Selected), (values, code)


def test_options_that_a_flake8_does_not_have() -> None:
    chosen = selection.from_flake8(Namespace(select=["TDL"]))
    assert chosen.wants("TDL101")
    assert not chosen.wants("TDL901")


@pytest.fixture
def finds_everything(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put an engine in place that reports each code, whatever it was asked for; return the paths it saw."""
    seen = []

    def analyse(text: str, *, options: Options) -> list[SimpleNamespace]:
        assert "torch" in text
        seen.append(options.filename)
        return [SimpleNamespace(code=code, message="found", line=1, column=0) for code in CODES]

    engine = ModuleType("torchdevlint.engine")
    engine.analyse = analyse  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torchdevlint.engine", engine)
    # flake8 tells the class what is selected, and a run in this process would tell the next test
    for attribute in ("_selection", "_idle"):
        monkeypatch.setattr(Plugin, attribute, getattr(Plugin, attribute))
    return seen


# pyflakes runs beside, and that of the oldest flake8 uses what newer Pythons will not have
@pytest.mark.filterwarnings("ignore:ast\\.:DeprecationWarning:pyflakes")
def test_all_combinations_through_flake8(
    finds_everything: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("import torch\n\ntorch.ones(2).cuda()\n", "utf-8")
    names = ("--select", "--extend-select", "--ignore", "--extend-ignore")
    for values in product(SELECT, EXTEND_SELECT, IGNORE, EXTEND_IGNORE):
        arguments = [f"{name}={value}" for name, value in zip(names, values, strict=True) if value is not None]
        finds_everything.clear()
        status = flake8(["--isolated", "--jobs=1", "--format=%(code)s", *arguments, "train.py"])
        shown = capsys.readouterr().out.split()

        named = [v for value in values[:2] if value for v in value.split(",") if len(v) >= 4]
        theirs = DecisionEngine(parsed(*values))
        expected = [
            code
            for code in CODES
            if theirs.decision_for(code) is Decision.Selected
            and (on_by_default(code) or any(code.startswith(v) for v in named))
        ]
        assert shown == expected, arguments
        assert status == bool(expected), arguments
        # nothing is analysed in vain; TDL902, say, may still be wanted where none of CODES is
        if not theirs_show_any(theirs):
            assert finds_everything == [], arguments


def theirs_show_any(engine: DecisionEngine) -> bool:
    return any(engine.decision_for(f"TDL{n:03}") is Decision.Selected for n in range(1000))
