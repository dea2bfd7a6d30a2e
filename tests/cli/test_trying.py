"""What a report marks as fixable is what `--fix` mends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from cells import notebook

from torchdevlint.checking import outcomes, trying
from torchdevlint.checking.documents import Document
from torchdevlint.checking.outcomes import Task
from torchdevlint.edits import Edit
from torchdevlint.options import on_by_default

HEAD = "import torch\nfrom torch import nn\n"
READ = f"{HEAD}x = torch.ones(3).cuda()\nprint(x.numpy())\n"
TOO_LONG = f"{HEAD}x = torch.ones(3).cuda()\nprint('{'a' * 64}', x.numpy())  # why\n"
BROKEN = f"{HEAD}x = torch.ones(3).cuda()\nprint('{'a' * 64}', x.numpy())\n"
TWO_IN_A_LINE = f"{HEAD}x = torch.ones(3).cuda()\ny = torch.ones(3).cuda()\nprint(x.numpy(), y.numpy(), '{'a' * 54}')\n"
MIXED = f"{READ}y = torch.ones(3)\ny.cuda()\nprint(y)\n"
BOTH_OR_NONE = f"{HEAD}x, y = torch.ones(3).cuda(), torch.ones(3).cuda()\nprint(x.numpy(), y.numpy(), '{{}}')  # why\n"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "train.py"


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torchdevlint", "check", "--ignore", "TDL5", *options]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)


def told(text: str) -> tuple[int, int, int]:
    """How many findings a report marks, and how many it says `--fix` and `--unsafe-fixes` mend."""
    safe = re.search(r"^\[\*\] (\d+) fixable with --fix", text, re.MULTILINE)
    unsafe = re.search(r"(\d+) (?:more|fixable) with (?:--fix )?--unsafe-fixes", text)
    marked = sum(" [*] " in line for line in text.splitlines())
    return marked, int(safe[1]) if safe else 0, int(unsafe[1]) if unsafe else 0


@pytest.mark.parametrize(
    ("text", "safe", "unsafe"),
    [
        (READ, 1, 0),
        (TOO_LONG, 0, 0),
        (BROKEN, 1, 0),
        (TWO_IN_A_LINE, 2, 0),
        (BOTH_OR_NONE.format("a" * 36), 2, 0),
        (BOTH_OR_NONE.format("a" * 40), 0, 0),
        (MIXED, 1, 1),
    ],
    ids=[
        "fits",
        "does not fit",
        "is broken",
        "two in a line that is broken",
        "both in a line",
        "none in a line",
        "one of each kind",
    ],
)
def test_what_is_marked_is_mended(file: Path, text: str, safe: int, unsafe: int) -> None:
    for name in ("train.py", "other.py"):
        file.with_name(name).write_text(text)
    for _ in range(2):  # found, and remembered
        assert told(run(file.parent, "train.py").stdout) == (safe, safe, unsafe)
    done = run(file.parent, "--fix", "train.py")
    assert done.stderr == f"{safe} finding{'s' if safe != 1 else ''} fixed\n"
    done = run(file.parent, "--fix", "--unsafe-fixes", "other.py")
    assert done.stderr == f"{safe + unsafe} finding{'s' if safe + unsafe != 1 else ''} fixed\n"


def test_how_long_a_line_may_be_is_a_setting(file: Path) -> None:
    file.write_text(TOO_LONG)
    (file.parent / "pyproject.toml").write_text("[tool.torchdevlint]\nline-length = 100\n")
    assert told(run(file.parent).stdout) == (1, 1, 0)
    assert run(file.parent, "--fix").stderr == "1 finding fixed\n"


def test_notebooks_and_standard_input(file: Path) -> None:
    for name, text in {"a.ipynb": READ, "b.ipynb": TOO_LONG}.items():
        file.with_name(name).write_text(json.dumps(notebook(text)))
    assert told(run(file.parent, "--select", "TDL1").stdout) == (1, 1, 0)
    command = [sys.executable, "-m", "torchdevlint", "check", "--select", "TDL1", "-", "--stdin-filename"]
    for name, text in {"a.py": READ, "a.ipynb": json.dumps(notebook(READ))}.items():
        done = subprocess.run([*command, name], input=text, check=False, capture_output=True, text=True)
        assert told(done.stdout) == (1, 1, 0)


def test_what_cannot_be_edited_has_no_fix(file: Path) -> None:
    wants = "TDL113".__eq__
    file.write_bytes(f"# coding: utf-7\n# +AGE-\n{READ}".encode("ascii"))
    assert [one.repair for one in outcomes.check(Task(str(file), wants)).findings] != [None]
    assert [one.repair for one in trying.check(Task(str(file), wants)).findings] == [None]


def test_what_is_not_mended_is_not_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    names = "abcdefgh"
    text = HEAD + "".join(f"{name} = torch.ones(3).cuda()\nprint({name}.numpy())\n" for name in names)
    made = Document.edited

    def edited(document: Document, edits: Iterable[Edit]) -> Document:
        done = made(document, edits)
        return document if "e.cpu()" in done.text else done

    monkeypatch.setattr(Document, "edited", edited)
    found = trying.check(Task("train.py", lambda code: on_by_default(code) and code != "TDL502", text)).findings
    assert [one.line for one in found if one.repair is None] == [12]
    assert len(found) == len(names)
