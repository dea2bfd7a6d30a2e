"""Declarations are read as they stand, and what cannot be read is told in one sentence with its line."""

from __future__ import annotations

import pytest

from torchdevlint.harness.declarations import (
    Backend,
    BadDeclaration,
    BoundsGraph,
    BuildsGraph,
    Costs,
    Declaration,
    Exemption,
    GrowsGraph,
    GrowsMemory,
    NeverUpdates,
    Prediction,
    Races,
    Raises,
    RunsClean,
    Setting,
    Stays,
    Warns,
    parse,
)

PREDICTIONS: dict[str, tuple[Backend, Prediction, Setting]] = {
    'sim raises RuntimeError "same device"': (Backend.SIM, Raises(("RuntimeError",), "same device"), Setting()),
    "cpu raises AssertionError": (Backend.CPU, Raises(("AssertionError",)), Setting()),
    "cpu raises A|B at 'x = f(\"y\")'": (Backend.CPU, Raises(("A", "B"), "", 'x = f("y")'), Setting()),
    'cuda raises A "b" at "c" devices=2': (Backend.CUDA, Raises(("A",), "b", "c"), Setting(devices=2)),
    "sim raises A devices=2": (Backend.SIM, Raises(("A",)), Setting(devices=2)),
    "sim ok": (Backend.SIM, RunsClean(), Setting()),
    "cpu ok after=sim": (Backend.CPU, RunsClean(), Setting(after=Backend.SIM)),
    "sim ok optimizer=Adagrad": (Backend.SIM, RunsClean(), Setting(optimizer="Adagrad")),
    "cpu grows graph": (Backend.CPU, GrowsGraph(), Setting()),
    "cpu bounds graph \"meters['loss']\"": (Backend.CPU, BoundsGraph("meters['loss']"), Setting()),
    "sim stays host": (Backend.SIM, Stays("host"), Setting()),
    "sim stays accelerator": (Backend.SIM, Stays("accelerator"), Setting()),
    "cpu stays dtype": (Backend.CPU, Stays("dtype"), Setting()),
    "sim never updates parameters=replaced": (Backend.SIM, NeverUpdates(), Setting(replaced=True)),
    "sim ok needs=ignite": (Backend.SIM, RunsClean(), Setting(needs=("ignite",))),
    "sim raises A needs=timm,ignite": (Backend.SIM, Raises(("A",)), Setting(needs=("timm", "ignite"))),
    "sim races": (Backend.SIM, Races(), Setting()),
    "cpu builds graph": (Backend.CPU, BuildsGraph(), Setting()),
    "sim grows memory devices=2": (Backend.SIM, GrowsMemory(), Setting(devices=2)),
    "sim syncs 3": (Backend.SIM, Costs("syncs", 3), Setting()),
    "sim copies at most 20 devices=2": (Backend.SIM, Costs("copies", 20, most=True), Setting(devices=2)),
    'cpu warns FutureWarning "deprecated"': (Backend.CPU, Warns("FutureWarning", "deprecated"), Setting()),
}


@pytest.mark.parametrize("text", PREDICTIONS)
def test_a_declaration_is_read(text: str) -> None:
    backend, prediction, setting = PREDICTIONS[text]
    assert parse(f"# runtime: {text}\nimport torch\n") == (Declaration(backend, prediction, setting, text),)


def test_an_exemption_is_read() -> None:
    assert parse('#runtime: none "needs transformers"') == (Exemption("needs transformers"),)


def test_declarations_stand_before_and_after_the_docstring_and_not_in_it() -> None:
    text = '# runtime: cpu ok\n"""Says\n# runtime: nonsense\n"""\n# a comment\n# runtime: sim ok\nimport torch\n'
    assert [one.backend for one in parse(text) if isinstance(one, Declaration)] == [Backend.CPU, Backend.SIM]


def test_a_script_may_declare_nothing() -> None:
    assert parse('"""A script."""\nprint("# runtime: cpu ok")\n') == ()


BAD = {
    "# runtime:": "line 1: `` is no backend",
    "# runtime: gpu ok": "line 1: `gpu` is no backend",
    "# runtime: cpu": "line 1: `` is no prediction",
    "# runtime: cpu explodes soon": "line 1: `explodes soon` is no prediction",
    "# runtime: cpu raises": "line 1: `raises` is no prediction",
    "# runtime: cpu raises 1": "line 1: `raises 1` is no prediction",
    '# runtime: cpu raises A "("': r"line 1: `\(` is no regular expression",
    '# runtime: cpu raises A "b': "line 1: No closing quotation",
    "# runtime: cpu stays there": "line 1: `stays there` is no prediction",
    "# runtime: cpu bounds graph": "line 1: `bounds graph` is no prediction",
    "# runtime: cpu bounds graph devices=2": "line 1: `bounds graph devices=2` is no prediction",
    "# runtime: cpu ok now": "line 1: `now` is no setting",
    "# runtime: cpu ok devices=0": "line 1: `devices=0` is no number",
    "# runtime: cpu ok devices=two": "line 1: `devices=two` is no number",
    "# runtime: cpu ok after=tpu": "line 1: `tpu` is no backend",
    "# runtime: cpu ok parameters=kept": "line 1: `parameters=kept` is not",
    "# runtime: cpu ok needs=": "line 1: `needs=` is no setting",
    "# runtime: cpu ok needs=a,": "line 1: `needs=a,` is no setting",
    "# runtime: none": "line 1: `none` needs a reason",
    "# runtime: cpu ok\n# runtime: cpu ok": "line 2: `cpu ok` is declared twice",
    "import torch\n# runtime: cpu ok": "line 2: a declaration stands above the first statement",
    "-" * 99_999 + "1": "the script is no valid Python",
    "def f(:\n": "the script is no valid Python",
}


@pytest.mark.parametrize("text", BAD)
def test_what_cannot_be_read_is_told(text: str) -> None:
    with pytest.raises(BadDeclaration, match=BAD[text]):
        parse(text)
