"""Comments and baselines: findings that are there already do not stop anybody from using the linter today."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest
from trees import READ, Capture, lines

from torchdevlint.checking import baseline
from torchdevlint.checking.documents import Document, NotEditable, parse
from torchdevlint.cli.main import main
from torchdevlint.edits import Edit
from torchdevlint.positions import Span

CUDA = "import torch\n\nx = torch.ones(3)\ny = x.cuda()\n"


# comments are added


@pytest.mark.parametrize(
    ("source", "commented"),
    [
        (b"x.to('cpu')\n", b"x.to('cpu')  # noqa: TDL201\n"),
        (b"x.to('cpu')", b"x.to('cpu')  # noqa: TDL201"),
        (b"x.to('cpu')   \r\n", b"x.to('cpu')  # noqa: TDL201   \r\n"),
        (b"x.to('cpu')  # why\n", b"x.to('cpu')  # why  # noqa: TDL201\n"),
        (b"x.to('cpu')  # noqa: E501\n", b"x.to('cpu')  # noqa: E501,TDL201\n"),
        (b"x.to(\n    'cpu',\n)\n", b"x.to(  # noqa: TDL201\n    'cpu',\n)\n"),
        (b"x.to( \\\n    'cpu')\n", b"x.to( \\\n    'cpu')  # noqa: TDL201\n"),
        (b"x.to('''\ncpu''')\n", b"x.to('''\ncpu''')  # noqa: TDL201\n"),
        (b"x.cuda()\n", b"x.cuda()  # noqa: TDL201,TDL502\n"),
        (b"'\xc3\xa4'; x.to('cpu')\n", b"'\xc3\xa4'; x.to('cpu')  # noqa: TDL201\n"),
    ],
)
def test_comments_are_added(file: Path, capsys: Capture, source: bytes, commented: bytes) -> None:
    head = b"\xef\xbb\xbfimport torch\nx = torch.ones(3)\n".replace(b"\n", b"\r\n" if b"\r" in source else b"\n")
    file.write_bytes(head + source)
    assert main(["check", "--add-noqa"]) == 0
    assert file.read_bytes() == head + commented
    assert main(["check"]) == 0
    assert main(["check", "--add-noqa"]) == 0
    assert file.read_bytes() == head + commented
    assert capsys.readouterr().err.splitlines()[-1] == "0 findings silenced"


def test_a_reason_is_added(file: Path, capsys: Capture) -> None:
    assert main(["check", "--add-noqa", "--reason", "legacy"]) == 0
    assert "x.to('cpu')  # noqa: TDL201 legacy\n" in file.read_text()
    assert capsys.readouterr().err == "1 finding silenced\n"
    assert main(["check"]) == 0


def test_what_cannot_be_edited_stays(file: Path, capsys: Capture) -> None:
    data = b"# coding: ascii\n'\xff'\n" + READ.encode()
    file.write_bytes(data)
    assert main(["check", "--add-noqa"]) == 1
    assert "train.py:2:1 is left as it is: syntax error: 'ascii' codec can't" in capsys.readouterr().err
    assert file.read_bytes() == data


def test_failures_are_not_silenced(file: Path) -> None:
    file.write_text("def f(:\n")
    assert main(["check", "--add-noqa"]) == 1
    assert file.read_text() == "def f(:\n"


def test_permissions_and_links_stay(file: Path) -> None:
    real = file.with_name("real.py")
    file.rename(real)
    real.chmod(0o750)
    file.symlink_to(real)
    assert main(["check", "train.py", "--add-noqa"]) == 0
    assert file.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o750
    assert "noqa" in real.read_text()


# comments that silence nothing


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x.to('cpu')  # noqa: TDL201", []),
        ("x.to('cpu')  # noqa: TDL2", []),
        ("x.to('cpu')  # noqa", []),
        ("y = x  # noqa", []),
        ("y = x  # noqa: E501", []),
        ("y = x  # noqa: TDL201", ["train.py:4:8: TDL001 `# noqa` comment silences nothing: TDL201"]),
        ("x.to('cpu')  # noqa: TDL201, TDL1", ["train.py:4:14: TDL001 `# noqa` comment silences nothing: TDL1"]),
        ("x.to('''\ncpu''')  # noqa: TDL201", []),
        ("x.to(\n'cpu')  # noqa: TDL201", ["4:1: TDL201", "5:9: TDL001 `# noqa` comment silences nothing: TDL201"]),
        ("y = '# noqa: TDL201'", []),
    ],
)
def test_comments_that_silence_nothing(file: Path, capsys: Capture, line: str, told: list[str]) -> None:
    file.write_text(f"import torch\n\nx = torch.ones(3)\n{line}\n")
    assert main(["check", "--report-unused-noqa"]) == int(bool(told))
    shown = lines(capsys)
    assert len(shown) == len(told)
    assert all(end in one for one, end in zip(shown, told, strict=True))
    main(["check"])
    assert all("TDL001" not in one for one in lines(capsys))


def test_in_a_file_that_cannot_be_read_to_its_end(file: Path, capsys: Capture) -> None:
    file.write_text("x = (  # noqa: TDL201\n")
    assert main(["check", "--report-unused-noqa"]) == 1
    assert "TDL000" in capsys.readouterr().out


def test_it_is_advice(file: Path, capsys: Capture) -> None:
    file.write_text("y = 1  # noqa: TDL201\n")
    assert main(["check", "--report-unused-noqa", "--output-format", "json"]) == 1
    [one] = json.loads(capsys.readouterr().out)
    assert (one["name"], one["severity"]) == ("unused-noqa", "advice")


# baselines


def test_a_baseline_hides_what_is_known(file: Path, capsys: Capture) -> None:
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 0
    assert capsys.readouterr().err == "1 finding written to known.json\n"
    assert main(["check", "--baseline", "known.json"]) == 0
    file.write_text("# moved\n\n" + READ + "y = torch.ones(3)\ny.to('cpu')\n")
    assert main(["check", "--baseline", "known.json"]) == 1
    assert [line.split(" of ")[1].split(" is ")[0] for line in lines(capsys)] == ["`y.to`"]
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 0
    assert main(["check", "--baseline", "known.json"]) == 0


def test_a_further_place_of_what_is_known_is_new(file: Path, capsys: Capture) -> None:
    head = "import torch\n\nx = torch.ones(3).cuda()\n"
    file.write_text(head)
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 0
    file.write_text(f"{head}y = torch.ones(3).cuda()\n")
    capsys.readouterr()
    assert main(["check", "--baseline", "known.json"]) == 1
    told = capsys.readouterr()
    assert ", and 1 more" in told.out
    assert told.err == ""
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 0
    assert main(["check", "--baseline", "known.json"]) == 0
    file.write_text(head)
    capsys.readouterr()
    assert main(["check", "--baseline", "known.json"]) == 0
    assert capsys.readouterr().err == ""


def test_what_cannot_be_analysed_is_never_known(file: Path, capsys: Capture) -> None:
    file.write_text("def f(:\n")
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 0
    assert main(["check", "--baseline", "known.json"]) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "the baseline known.json cannot be read: No such file or directory"),
        ("{", "the baseline known.json is not JSON"),
        ("[" * 100_000, "the baseline known.json is nested too deeply"),
        ("[]", "known.json is no baseline that this version has written"),
        ('{"version": 2, "findings": {}, "places": 1}', "known.json is no baseline that this version has written"),
        ('{"version": 1}', "known.json is no baseline that this version has written"),
    ],
)
def test_what_is_no_baseline(file: Path, capsys: Capture, text: str | None, told: str) -> None:
    if text is not None:
        file.with_name("known.json").write_text(text)
    assert main(["check", "--baseline", "known.json"]) == 2
    assert capsys.readouterr().err == f"torchdevlint: {told}\n"


def test_a_baseline_is_seen_from_its_own_folder(file: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    (file.parent / "ci").mkdir()
    (file.parent / "src").mkdir()
    file.rename(file.parent / "src" / file.name)
    assert main(["check", "--baseline", "ci/known.json", "--write-baseline"]) == 0
    assert f' ../src/{file.name}"' in (file.parent / "ci" / "known.json").read_text()
    assert main(["check", "--baseline", "ci/known.json"]) == 0
    monkeypatch.chdir(file.parent / "src")
    capsys.readouterr()
    assert main(["check", "--baseline", "../ci/known.json"]) == 0
    assert capsys.readouterr().err == ""


def test_what_a_baseline_knows_and_is_gone_is_told(file: Path, capsys: Capture) -> None:
    (file.parent / "other.py").write_text(file.read_text())
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 0
    capsys.readouterr()
    file.write_text("")
    assert main(["check", "--baseline", "known.json", "other.py"]) == 0
    assert capsys.readouterr().err == ""  # nobody looked at the file
    assert main(["check", "--baseline", "known.json", "--select", "TDL4"]) == 0
    assert capsys.readouterr().err == ""  # nor for the code
    assert main(["check", "--baseline", "known.json"]) == 0
    assert re.fullmatch(r"\d findings? of known.json no longer there\n", capsys.readouterr().err)
    file.unlink()
    assert main(["check", "--baseline", "known.json", "other.py"]) == 0
    assert "no longer there" in capsys.readouterr().err


def test_paths_on_another_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    def relpath(path: str, start: object) -> str:
        raise ValueError

    monkeypatch.setattr("os.path.relpath", relpath)
    assert baseline._seen_from(Path("/a"), "/b/c.py") == "/b/c.py"


def test_a_baseline_needs_a_file(file: Path, capsys: Capture) -> None:
    assert main(["check", "--write-baseline"]) == 2
    assert capsys.readouterr().err == "torchdevlint: --write-baseline needs --baseline FILE\n"


# documents


def test_a_document_keeps_its_line_ends() -> None:
    document = parse(b"a\r\nb\rc\nd")
    assert document.lines() == ["a\r\n", "b\r", "c\n", "d"]
    assert document.plain() == "a\nb\nc\nd"
    edits = [Edit(Span(4, 0, 4, 1), "e"), Edit(Span(2, 0, 2, 0), "x\n"), Edit(Span(1, 0, 1, 1), "")]
    assert document.edited(edits).encode() == b"\r\nx\r\nb\rc\ne"


def test_a_document_without_a_line_end() -> None:
    assert parse(b"a").newline == "\n"
    assert parse(b"").lines() == []


def test_a_character_that_the_encoding_lacks() -> None:
    document = parse(b"# coding: latin-1\nx\n").edited([Edit(Span(2, 0, 2, 1), "✓")])
    with pytest.raises(NotEditable, match="its encoding, iso-8859-1, lacks a character"):
        document.encode()


def test_an_encoding_that_does_not_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Document, "encode", lambda self: b"something else")
    with pytest.raises(NotEditable, match="does not survive a change"):
        parse(b"x\n")
