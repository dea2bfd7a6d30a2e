"""The derived rows are those of the installed PyTorch, and the file keeps what a row says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from torchdevlint.harness.derive import program
from torchdevlint.knowledge import NAMES, OF_TENSORS
from torchdevlint.knowledge.derived import FILE, Rows, line_of, read, release, row_of
from torchdevlint.knowledge.rows import (
    Combine,
    Follow,
    Like,
    Loss,
    Make,
    Mix,
    ModuleType,
    OptimizerType,
    Plain,
    RankRule,
    Row,
    Switch,
)

TEXT = FILE.read_text(encoding="utf-8")
COMMAND = [sys.executable, "-m", "torchdevlint.harness.derive"]


@pytest.mark.needs_torch
def test_the_rows_are_those_of_the_installed_pytorch() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("yaml")
    pytest.importorskip("expecttest")
    installed = torch.__version__.partition("+")[0]
    if installed != release(TEXT):
        pytest.skip(f"the rows are those of torch {release(TEXT)}, and torch {installed} is installed")
    done = subprocess.run([*COMMAND, "--check"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_stale_file_is_found_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "FILE", tmp_path / "derived.txt")
    monkeypatch.setattr(program, "derive", lambda: TEXT)
    assert program.main([]) == 0
    assert program.main(["--check"]) == 0
    program.FILE.write_text(TEXT.replace("torch.abs Follow", "torch.abs Plain"))
    assert program.main(["--check"]) == 1
    shown = capsys.readouterr().err
    assert "-torch.abs Plain" in shown
    assert "+torch.abs Follow" in shown
    assert f"is stale: run `{program.COMMAND}`" in shown


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (Plain(), "torch.f Plain"),
        (Follow(RankRule.UNKNOWN, count=-1, graph=False), "torch.f Follow rank=UNKNOWN count=-1 graph=False"),
        (Follow(in_place=True), "torch.f Follow in_place=True"),
        (
            Combine(("input", "", "index"), Mix.STRICT, RankRule.SAME, index=("index",)),
            "torch.f Combine operands=input,,index mix=STRICT rank=SAME index=index,",
        ),
        (Combine(("tensors",), sequence=True), "torch.f Combine operands=tensors, sequence=True"),
        (OptimizerType(stateless_without="momentum"), "torch.f OptimizerType stateless_without=momentum"),
        (Make(RankRule.SHAPE, shape=-1, packed=True), "torch.f Make shape=-1 packed=True"),
        (Like(RankRule.SHAPE), "torch.f Like rank=SHAPE"),
        (
            Loss(("input", "target", "", "weight"), weights=("weight",), strict=True),
            "torch.f Loss operands=input,target,,weight strict=True weights=weight,",
        ),
        (
            ModuleType(holds_tensors=False, inputs=("x", "y"), loss=Loss(("x", "y"), targets=("y",))),
            "torch.f ModuleType holds_tensors=False inputs=x,y loss=Loss loss.operands=x,y loss.targets=y,",
        ),
        (
            ModuleType(switches=(Switch("affine", 3), Switch("track", 4, on=False, buffers=True))),
            "torch.f ModuleType switches=+affine@3,-track@4:buffers",
        ),
    ],
)
def test_a_line_says_what_its_row_says(row: Row, line: str) -> None:
    assert line_of("torch.f", row) == line
    assert row_of(line.partition(" ")[2]) == row


def test_the_file_is_sorted_and_every_line_is_a_row() -> None:
    lines = TEXT.splitlines()[1:]
    assert lines == sorted(lines)
    # what is written by hand is not derived: after such a change, derive again
    assert len(lines) == len(NAMES.derived) + len(OF_TENSORS.derived)
    for name, row in [*NAMES.items(), *[(f"torch.Tensor.{name}", row) for name, row in OF_TENSORS.items()]]:
        if name.removeprefix("torch.Tensor.") in OF_TENSORS.derived or name in NAMES.derived:
            assert line_of(name, row) in lines


def test_a_row_written_by_hand_comes_first() -> None:
    functions, methods = read("# torch 1.0, derived\ntorch.a Follow\ntorch.b Plain\ntorch.Tensor.c Plain\n")
    assert methods == {"c": "Plain"}
    rows = Rows({"torch.a": Plain(), "torch.d": Follow()}, functions)
    assert dict(rows) == {"torch.a": Plain(), "torch.b": Plain(), "torch.d": Follow()}
    assert rows.derived == {"torch.b"}
    assert (rows.get("torch.e"), "torch.b" in rows, len(rows)) == (None, True, 3)
    with pytest.raises(KeyError):
        rows["torch.e"]
