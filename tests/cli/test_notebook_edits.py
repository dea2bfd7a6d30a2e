"""Edits of a notebook's program change the sources of its cells and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cells import notebook
from hypothesis import given
from hypothesis import strategies as st

from torchdevlint.checking import notebooks
from torchdevlint.checking.documents import NotEditable
from torchdevlint.checking.notebooks import BadNotebook
from torchdevlint.cli.main import main
from torchdevlint.edits import Edit
from torchdevlint.positions import Span

SOURCES = st.lists(st.text(st.sampled_from('ab "\\\té😀\u2028/'), max_size=6), min_size=1, max_size=4)


@given(
    sources=st.lists(SOURCES, min_size=1, max_size=3), pick=st.data(), as_list=st.booleans(), ascii_only=st.booleans()
)
def test_edits_are_those_of_the_sources(
    sources: list[list[str]], pick: st.DataObject, *, as_list: bool, ascii_only: bool
) -> None:
    texts = ["\n".join(f"#{line}" for line in source) for source in sources]  # comments: any text is Python
    data = notebook(*texts)
    for cell, source in zip(data["cells"][1:], sources, strict=True):
        joined = "\n".join(f"#{line}" for line in source)
        cell["source"] = [f"{line}\n" for line in joined.split("\n")] if as_list else joined
    before = json.dumps(data, indent=1, ensure_ascii=ascii_only)
    read = notebooks.parse(before)
    rows = [(number, row) for number, source in enumerate(sources) for row in range(len(source))]
    line = pick.draw(st.integers(1, len(rows)))
    number, row = rows[line - 1]
    width = len(sources[number][row]) + 1
    start, end = sorted((pick.draw(st.integers(0, width)), pick.draw(st.integers(0, width))))
    put = pick.draw(st.text(st.sampled_from('xy"\\é\n'), max_size=3))
    after = notebooks.parse(read.edited([Edit(Span(line, start, line, end), put)]).text)
    expected = json.loads(before)
    lines = "".join(expected["cells"][number + 1]["source"]).split("\n")
    lines[row] = lines[row][:start] + put + lines[row][end:]
    found = json.loads(after.text)
    assert "".join(found["cells"][number + 1]["source"]) == "\n".join(lines)
    found["cells"][number + 1] = expected["cells"][number + 1] = None
    assert found == expected
    if as_list and "\n" in put and len(read.cells[number].strings) > 1:
        own = after.cells[number]
        assert all(text.count("\n") <= 1 for text in own.texts)


def test_edits_across_lines_and_out_of_cells() -> None:
    read = notebooks.parse(json.dumps(notebook("f(\n  x,\n  y\n)", "y"), indent=1))
    assert read.plain() == "_ = \\\nf(\n  x,\n  y\n)\n_ = \\\ny\n"
    done = read.edited([Edit(Span(2, 2, 5, 0), "x"), Edit(Span(7, 0, 7, 1), "z")])
    assert [cell.source for cell in done.cells] == ["f(x)", "z"]
    for span in (Span(1, 0, 2, 1), Span(2, 0, 7, 1)):
        with pytest.raises(NotEditable):
            read.edited([Edit(span, "x")])
    with pytest.raises(NotEditable):
        notebooks.Notebook("\ud800").encode()
    assert list(read.places([0, 99])) == []


def test_strings_that_are_no_lines() -> None:
    data = notebook("", as_list=True)
    data["cells"][1]["source"] = ["x = ", "1\ny =", " 2", ""]
    read = notebooks.parse(json.dumps(data))
    assert read.plain() == "x = 1\ny = 2\n"
    done = read.edited([Edit(Span(1, 0, 1, 5), "a = 3"), Edit(Span(2, 4, 2, 5), "b")])
    assert done.plain() == "a = 3\ny = b\n"
    assert json.loads(done.text)["cells"][1]["source"] == ["a = 3\ny =", " b", ""]


def test_a_line_that_goes_leaves_no_empty_string() -> None:
    def changed(source: list[str], *edits: Edit) -> list[str]:
        data = notebook("", as_list=True)
        data["cells"][1]["source"] = source
        read = notebooks.parse(json.dumps(data, indent=1))
        found: list[str] = json.loads(read.edited(edits).text)["cells"][1]["source"]
        return found

    three = ["a=1\n", "b=1\n", "c=1"]
    assert changed(three, Edit(Span(1, 0, 2, 0), "")) == ["b=1\n", "c=1"]
    assert changed(three, Edit(Span(2, 0, 3, 0), ""), Edit(Span(3, 0, 3, 0), "x;")) == ["a=1\n", "x;c=1"]
    assert changed(three, Edit(Span(3, 0, 3, 3), "")) == ["a=1\n", "b=1\n"]
    assert changed(three, Edit(Span(3, 0, 3, 3), ""), Edit(Span(3, 0, 3, 0), "x")) == ["a=1\n", "b=1\n", "x"]
    assert changed(three, Edit(Span(1, 0, 3, 3), "")) == [""]
    assert changed(three, Edit(Span(1, 3, 2, 0), "\n"), Edit(Span(2, 0, 3, 0), "")) == ["a=1\n", "c=1"]
    assert changed(three, Edit(Span(2, 0, 3, 0), ""), Edit(Span(3, 0, 3, 3), "")) == ["a=1\n"]
    assert changed(["", "a=1\n", "b=1"], Edit(Span(1, 0, 2, 0), "")) == ["", "", "b=1"]
    assert changed(["a=1"], Edit(Span(1, 0, 1, 3), "")) == [""]


def test_bad_notebooks_are_told_apart() -> None:
    with pytest.raises(BadNotebook):
        notebooks.decode(b"\xff")


def test_a_fix_that_would_reach_from_one_cell_into_another_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = "import torch\nfrom torch import nn\nmodel = nn.Linear(3, 3)\n"
    build += "optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)"
    book = tmp_path / "a.ipynb"
    book.write_text(
        json.dumps(notebook(build, "model = model.to('cuda')", "optimizer.step()\nmodel(torch.ones(3).cuda())"))
    )
    before = book.read_bytes()
    assert main(["check", "--no-cache", "--select", "TDL3", "--fix", "--unsafe-fixes", str(book)]) == 1
    assert "TDL301" in capsys.readouterr().out
    assert book.read_bytes() == before
