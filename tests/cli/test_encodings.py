"""`torchdevlint check` reads each encoding as Python does, and tells what Python cannot decode."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from trees import THROWN_AWAY, lines

from torchdevlint.checking import sources
from torchdevlint.cli.main import main


@pytest.mark.parametrize(
    "data",
    ["# coding: latin-1\nx = 'é'\n".encode("latin-1"), b"# coding: nonsense\nx = '\xe9'\n", b"x = '\xe9'\n"],
    ids=["declared", "a declaration of nothing", "undeclared"],
)
def test_any_encoding_is_read(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(data)
    assert sources.decoded(data) == sources.read(str(path))
    assert "x = 'é'" in sources.decoded(data)[0]


UNDECODED = {
    b"# coding: nonsense\n": "1:1: TDL000 syntax error: unknown encoding: nonsense",
    b"# coding: ascii\n# \xe9\n": "2:1: TDL000 syntax error: 'ascii' codec can't decode byte 0xe9 in position 18",
    b"# \xe9\n": "1:1: TDL000 syntax error: invalid or missing encoding declaration",
    b"\xef\xbb\xbf# coding: latin-1\n": "1:1: TDL000 syntax error: encoding problem: utf-8",
    b"# coding: rot13\n": "1:1: TDL000 syntax error: 'rot13' is not a text encoding",
}


@pytest.mark.parametrize("head", UNDECODED)
def test_what_python_does_not_decode_is_a_finding(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    (project / "train.py").unlink()
    (project / "b.py").write_bytes(head)
    (project / "a.py").write_bytes(head + THROWN_AWAY.encode())
    with pytest.raises(SyntaxError):
        compile((project / "a.py").read_bytes() + b"'\xe9'", "a.py", "exec")
    for options in (["--no-cache"], [], [], ["--fix"], ["--fix", "--unsafe-fixes"]):  # remembered nowhere
        assert main(["check", *options]) == 1
        told = lines(capsys)
        assert [line.split()[1] for line in told] == ["TDL000", "TDL201", "TDL000"]
        assert told[0].startswith(f"a.py:{UNDECODED[head]}")
        assert told[2].startswith(f"b.py:{UNDECODED[head]}")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(head + THROWN_AWAY.encode())))
    assert main(["check", "-"]) == 1
    assert lines(capsys)[0].startswith(f"stdin:{UNDECODED[head]}")
    assert main(["check", "--add-noqa"]) == 1
    assert capsys.readouterr().err.count("is left as it is") == 2


def test_the_plugin_opens_no_file(project: Path) -> None:
    (project / "train.py").write_bytes(b"# \xe9\n" + THROWN_AWAY.encode())
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "TDL", "--stdin-display-name"]
    for name in ("train.py", "gone.py"):
        text = f"# é ü\n{THROWN_AWAY}"
        done = subprocess.run([*command, name, "-"], cwd=project, check=False, capture_output=True, input=text.encode())
        assert [line.split()[1] for line in done.stdout.decode().splitlines()] == ["TDL201"]


@pytest.mark.parametrize("coding", ["rot13", "nonsense", "hex"])
def test_what_is_no_encoding_of_text(project: Path, capsys: pytest.CaptureFixture[str], coding: str) -> None:
    (project / "a.py").write_text(f"# coding: {coding}\n{THROWN_AWAY}")
    main(["check", "a.py"])
    assert "a.py:" in capsys.readouterr().out
