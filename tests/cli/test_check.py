"""The command `check`: which files, which codes, which exit status, and the same findings as flake8 shows."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from trees import THROWN_AWAY, lines

from torchdevlint.checking import running
from torchdevlint.checking.outcomes import Task, check
from torchdevlint.cli.main import main
from torchdevlint.options import on_by_default

ROOT = Path(__file__).parents[2]
FIXTURES = sorted(ROOT.glob("fixtures/*/*.py"))
FOUND = "TDL201 result of `x.to` is thrown away: it does not change `x` itself"
HARDCODED = "import torch\n\nx = torch.ones(3).to('cuda')\ny = torch.ones(3)\ny.cuda()\n"


def test_a_finding_is_printed_and_is_a_failure(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 1
    assert lines(capsys) == [f"train.py:4:1: {FOUND}"]


def test_no_finding_is_none(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "clean.py"]) == 0
    assert lines(capsys) == []


def test_exit_zero(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--exit-zero"]) == 0
    assert len(lines(capsys)) == 1


@pytest.mark.parametrize(("threshold", "status"), [("error", 0), ("warning", 1), ("advice", 1)])
def test_the_exit_status_depends_on_the_severity(project: Path, threshold: str, status: int) -> None:
    (project / "train.py").write_text("import torch\n\nx = torch.ones(3).to('cuda')\n")
    assert main(["check", "train.py", "--fail-on", threshold]) == status


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ([], {"TDL201", "TDL501", "TDL502"}),
        (["--select", "TDL2"], {"TDL201"}),
        (["--select", "TDL201,TDL502"], {"TDL201", "TDL502"}),
        (["--select", "tdl201", "--select", "TDL502"], {"TDL201", "TDL502"}),
        (["--ignore", "TDL5"], {"TDL201"}),
        (["--select", "TDL5", "--ignore", "TDL502"], {"TDL501"}),
        (["--ignore", "TDL5", "--extend-select", "TDL502"], {"TDL201", "TDL502"}),
    ],
)
def test_codes_are_selected(
    project: Path, capsys: pytest.CaptureFixture[str], options: list[str], codes: set[str]
) -> None:
    (project / "train.py").write_text(HARDCODED)
    main(["check", "train.py", *options])
    assert {line.split()[1] for line in lines(capsys)} == codes


def test_an_unknown_code_is_misuse(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--select", "TDL20l"]) == 2
    assert "torchdevlint: --select: there is no code TDL20L; did you mean TDL20" in capsys.readouterr().err
    assert main(["check", "--ignore", "E501"]) == 2
    assert capsys.readouterr().err == "torchdevlint: --ignore: there is no code E501\n"


# files


def test_a_path_that_is_not_there_is_misuse(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "trian.py"]) == 2
    assert capsys.readouterr().err == "torchdevlint: trian.py is not there\n"


def test_what_tools_write_is_left_out_but_not_what_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("venv/lib", "data", "data/build"):
        (project / folder).mkdir(parents=True)
        (project / folder / "a.py").write_text(THROWN_AWAY)
    (project / "data" / "notes.txt").write_text("x.cuda()")
    main(["check"])
    assert [line.split(":")[0] for line in lines(capsys)] == ["data/a.py", "train.py"]
    main(["check", "venv", "data/build/a.py"])
    assert [line.split(":")[0] for line in lines(capsys)] == ["venv/lib/a.py", "data/build/a.py"]
    assert main(["check", "venv", "data/build/a.py", "train.py", "--force-exclude"]) == 1
    assert [line.split(":")[0] for line in lines(capsys)] == ["train.py"]


def test_excluded(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "old").mkdir()
    (project / "old" / "a.py").write_text(THROWN_AWAY)
    main(["check", "--extend-exclude", "tr*.py"])
    assert [line.split(":")[0] for line in lines(capsys)] == ["old/a.py"]
    main(["check", "--exclude", "old"])
    assert [line.split(":")[0] for line in lines(capsys)] == ["train.py"]
    main(["check", ".", "--exclude", "/old/"])
    assert [line.split(":")[0] for line in lines(capsys)] == ["train.py"]


def test_what_git_ignores_is_left_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("runs/\n*_old.py\n!keep_old.py\n")
    (project / "sub" / "runs").mkdir(parents=True)
    for name in ("sub/runs/a.py", "sub/b_old.py", "sub/keep_old.py", "sub/c.py"):
        (project / name).write_text(THROWN_AWAY)
    (project / "sub" / ".gitignore").write_text("c.py\n")
    main(["check", "sub"])
    assert [line.split(":")[0] for line in lines(capsys)] == ["sub/keep_old.py"]
    main(["check", "sub", "--no-respect-gitignore"])
    assert len(lines(capsys)) == 4
    main(["check", "sub/runs"])
    assert [line.split(":")[0] for line in lines(capsys)] == ["sub/runs/a.py"]
    main(["check", "sub/runs", "sub/c.py", "--force-exclude"])
    assert lines(capsys) == []
    (project / "sub" / "deep" / "er").mkdir(parents=True)
    (project / "sub" / "deep" / "er" / "d_old.py").write_text(THROWN_AWAY)
    main(["check", "sub/deep/er"])
    assert lines(capsys) == []


def test_a_file_is_checked_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "train.py", "train.py"])
    assert len(lines(capsys)) == 1


def test_links_to_folders_or_nowhere_are_not_followed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "loop").symlink_to(project)
    (project / "gone.py").symlink_to(project / "nowhere.py")
    main(["check"])
    assert len(lines(capsys)) == 1


@pytest.mark.parametrize("cached", ["--no-cache", "--cache-dir=cache"])
def test_a_folder_that_may_not_be_read(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cached: str
) -> None:
    listed = os.scandir

    def refuse(path: str) -> object:
        if Path(path).name == "shut":
            raise PermissionError(path)
        return listed(path)

    (project / "shut").mkdir()
    monkeypatch.setattr(os, "scandir", refuse)
    assert main(["check", ".", "--select", "TDL9", cached]) == 1
    assert lines(capsys) == ["shut:1:1: TDL000 not read: Is a directory"]
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert main(["check", "."]) == 2
    assert capsys.readouterr().err == "torchdevlint: . may not be read\n"


def test_standard_input(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + THROWN_AWAY.encode())))
    assert main(["check", "-", "--stdin-filename", "src/a.py"]) == 1
    assert lines(capsys) == [f"src/a.py:4:1: {FOUND}"]


def test_standard_input_beside_files_is_misuse(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-", "train.py"]) == 2
    assert capsys.readouterr().err == "torchdevlint: - stands for standard input, and for nothing beside other paths\n"


# what cannot be analysed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(:\n", "a.py:1:7: TDL000 syntax error: invalid syntax"),
        ("x = 1\0\n", "a.py:1:1: TDL000 syntax error: source code string cannot contain null bytes"),
        (
            "import torch\nx.cuda()\ny = '" + "a" * 200_001 + "'\n",
            "a.py:1:1: TDL000 not analysed: a line is longer than",
        ),
        ("x = " + "(" * 300 + ")" * 300, "a.py:1:"),
    ],
)
def test_what_cannot_be_parsed_is_a_finding(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    (project / "a.py").write_text(text)
    assert main(["check", "a.py", "clean.py"]) == 1
    assert [line[: len(told)] for line in lines(capsys)] == [told]


def test_what_cannot_be_read_is_a_finding(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").symlink_to(project / "nowhere.py")
    (project / "b.py").mkdir()
    assert check(Task("a.py", on_by_default)).findings[0].message == "not read: No such file or directory"
    assert check(Task("b.py", on_by_default)).findings[0].message == "not read: Is a directory"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RecursionError(), "not analysed: nested too deeply"),
        (ZeroDivisionError("division\nby zero"), "internal error: ZeroDivisionError: division by zero"),
    ],
)
def test_a_failure_in_one_file_is_a_finding(
    project: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("torchdevlint.checking.outcomes.analyse", fail)
    assert [d.message for d in check(Task("train.py", on_by_default)).findings] == [told]


NOQA = """\
import torch

a, b, c = torch.ones(1), torch.ones(2), torch.ones(3)
d, e, f = torch.ones(4), torch.ones(5), torch.ones(6)
a.to("cpu")  # noqa
b.to("cpu")  # noqa: TDL201
c.to("cpu")  # NOQA:E501,TDL2
d.to("cpu")  # noqa: E501
e.to(
    "cpu"
)  # noqa: TDL201
text = '''
'''; f.to("cpu")  # noqa
"""


def test_comments_silence_as_in_flake8(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(NOQA)
    flake8 = subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", "--select", "TDL", "train.py"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert main(["check", "train.py"]) == 1
    shown = lines(capsys)
    assert shown == flake8.stdout.splitlines()
    assert shown
    main(["check", "train.py", "--disable-noqa"])
    assert len(lines(capsys)) > len(shown)


def test_a_file_can_be_left_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text("# flake8: noqa\n" + THROWN_AWAY)
    assert main(["check", "train.py"]) == 0
    assert main(["check", "train.py", "--disable-noqa"]) == 1


# the same findings as the plugin


def test_the_plugin_says_the_same(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    flake8 = subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", "--select", "TDL", "fixtures"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert main(["check", "fixtures", "-j", "2", "--isolated", "--output-format", "concise"]) == 1
    told = [line.replace(" [*] ", " ") for line in lines(capsys)[:-1]]
    assert sorted(told) == sorted(flake8.stdout.splitlines())


def test_processes_change_nothing(project: Path) -> None:
    tasks = [Task(str(path), on_by_default) for path in FIXTURES[:40]]
    done: list[int] = []
    assert running.run(check, tasks, 1) == running.run(check, tasks, 3, done.append)
    assert sum(done) == len(tasks)
    assert running.jobs_by_default() >= 1


class Full(io.StringIO):
    """A standard output that takes nothing."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self._error = error

    def write(self, text: str) -> int:
        raise self._error


def test_standard_output_that_cannot_be_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", Full(OSError(28, "No space left on device")))
    assert main(["check", "train.py"]) == 2
    assert capsys.readouterr().err == "torchdevlint: standard output cannot be written: No space left on device\n"


def test_a_reader_that_has_gone_away(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Full(BrokenPipeError(32, "Broken pipe")))
    with pytest.raises(BrokenPipeError):
        main(["check", "train.py"])


@pytest.mark.parametrize("options", [[], ["--diff"]])
def test_no_standard_input(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["check", "-", *options]) == 2
    assert capsys.readouterr().err == "torchdevlint: there is no standard input\n"


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes among files there")
def test_what_is_no_file_is_written_to_and_not_replaced(project: Path) -> None:
    os.mkfifo(project / "pipe")
    reading = os.open(project / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(["check", "train.py", "-o", "pipe"]) == 1
        assert os.read(reading, 1000).decode() == f"train.py:4:1: {FOUND}\n"
    finally:
        os.close(reading)
    assert (project / "pipe").is_fifo()


def test_no_standard_output(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["check", "train.py"]) == 1


# the installed command


def test_the_installed_command(project: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("torchdevlint"), "check", "--output-format", "json"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    assert [one["code"] for one in json.loads(done.stdout)] == ["TDL201"]


# what would be forgotten is refused


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--select", ""], "--select names no code"),
        (
            ["--add-noqa", "--fix"],
            "--add-noqa silences what is there; give it without --fix, --diff and --write-baseline",
        ),
        (["--add-noqa", "-"], "--add-noqa writes into files, and - is none"),
        (["--add-noqa", "--reason", "two\nlines"], "--reason is one line of a comment"),
    ],
)
def test_misuse(project: Path, capsys: pytest.CaptureFixture[str], options: list[str], told: str) -> None:
    assert main(["check", *options]) == 2
    assert capsys.readouterr().err == f"torchdevlint: {told}\n"
    assert (project / "train.py").read_text() == THROWN_AWAY


@pytest.mark.parametrize("option", ["--diff", "--fix-only", "--add-noqa"])
def test_a_file_that_cannot_be_worked_on_is_a_failure(
    project: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    (project / "a.py").write_text("def f(:\n")
    assert main(["check", "a.py", option, "--select", "TDL101"]) == 1
    assert "torchdevlint: a.py:1:7 is left as it is: syntax error: invalid syntax\n" in capsys.readouterr().err


def test_a_file_that_cannot_be_parsed_is_told_whatever_is_selected(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text("def f(:\n")
    assert main(["check", "a.py", "--select", "TDL101"]) == 1
    assert lines(capsys) == ["a.py:1:7: TDL000 syntax error: invalid syntax"]


def test_a_number_of_processes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "clean.py", "-j", "0"]) == 0
    with pytest.raises(SystemExit) as end:
        main(["check", "-j", "-1"])
    assert end.value.code == 2
    assert capsys.readouterr().err.endswith("argument -j/--jobs: -1 is no number of processes\n")


def test_a_diff_is_written_to_a_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(f"{THROWN_AWAY}print(x)\n")
    assert main(["check", "--diff", "--unsafe-fixes", "train.py"]) == 1
    shown = capsys.readouterr().out
    assert main(["check", "--diff", "--unsafe-fixes", "train.py", "-o", "a.diff"]) == 1
    assert capsys.readouterr().out == ""
    assert shown
    assert (project / "a.diff").read_text() == shown


@pytest.mark.skipif(os.name == "nt", reason="a name there has no line ends")
def test_a_file_name_does_not_break_a_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a\nb.py").write_text(THROWN_AWAY)
    assert main(["check", "a\nb.py"]) == 1
    assert lines(capsys)[0] == f"a\\nb.py:4:1: {FOUND}"
