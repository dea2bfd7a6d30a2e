"""`torchdevlint run` runs a script as Python would, and explains a device error in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.needs_torch

BATCH = """\
import sys
import torch
from torch import nn

import helper


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(2, 1).to(device)
    x = torch.zeros(4, 2)
    print(helper.NAME, sys.argv[1:], __name__, torch.cuda.device_count(), flush=True)
    return model(x)


if __name__ == "__main__":
    main()
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torchdevlint", "run", *arguments]
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), root])
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text('NAME = "beside"\n', "utf-8")
    (tmp_path / "train.py").write_text(BATCH, "utf-8")
    return tmp_path


@pytest.mark.parametrize("target", [["train.py"], ["-m", "train"]])
def test_a_device_error_has_its_traceback_and_one_line_more(folder: Path, target: list[str]) -> None:
    done = run(folder, "--devices", "2", *target, "--lr", "0.1", "-v")
    assert done.returncode == 1
    assert done.stdout == "beside ['--lr', '0.1', '-v'] __main__ 2\n"
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].endswith('train.py", line 17, in <module>')
    assert "torchdevlint" not in "\n".join(lines[:-1])
    assert lines[-2].startswith("RuntimeError: Expected all tensors to be on the same device")
    assert lines[-1] == (
        "torchdevlint: train.py, line 13: TDL102 `x` is on cpu (line 11) but `model` is on cuda (line 10)"
    )


def test_the_report_tells_copies_by_line(folder: Path) -> None:
    done = run(folder, "--report", "json", "train.py")
    found = json.loads(done.stderr.splitlines()[-1])
    copies = {(one["kind"], Path(one["file"]).name, one["line"]): one for one in found}
    assert copies["host to device", "train.py", 10]["bytes"] == 12
    assert copies["host to device", "train.py", 10]["times"] == 2


@pytest.mark.parametrize(
    ("text", "options", "status", "out", "err"),
    [
        ("print(1)\n", [], 0, "1\n", ""),
        ("raise SystemExit(7)\n", [], 7, "", ""),
        ("raise SystemExit\n", [], 0, "", ""),
        ("raise SystemExit('no data')\n", [], 1, "", "no data\n"),
        ("import torch\nprint(torch.cuda.is_available())\n", ["--no-visible"], 0, "False\n", ""),
        ("print(1)\n", ["--report", "text"], 0, "1\n", "no copies, no synchronisations\n"),
    ],
)
def test_output_and_exit_status_are_the_script_s(
    tmp_path: Path, text: str, options: list[str], status: int, out: str, err: str
) -> None:
    (tmp_path / "script.py").write_text(text, "utf-8")
    done = run(tmp_path, *options, "script.py")
    assert (done.returncode, done.stdout, done.stderr) == (status, out, err)


def test_other_exceptions_are_shown_as_python_shows_them(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("try:\n    {}['a']\nexcept KeyError:\n    raise ValueError('b')\n", "utf-8")
    done = run(tmp_path, "script.py")
    native = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.replace(f"{tmp_path}{os.sep}", "") == native.stderr.replace(f"{tmp_path}{os.sep}", "")


def test_copies_arrive_late_if_asked(tmp_path: Path) -> None:
    text = "import torch\nx = torch.ones(2).cuda()\nprint(x.to('cpu', non_blocking=True).tolist())\n"
    (tmp_path / "script.py").write_text(text, "utf-8")
    assert run(tmp_path, "script.py").stdout == "[1.0, 1.0]\n"
    assert run(tmp_path, "--asynchronous", "script.py").stdout == "[0.0, 0.0]\n"


def test_an_interrupt_is_no_error_of_the_script(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("raise KeyboardInterrupt\n", "utf-8")
    done = run(tmp_path, "script.py")
    assert done.returncode == 130
    assert done.stderr == ""
