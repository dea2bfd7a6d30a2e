"""What differs between systems: paths with drives and backslashes, encodings, line ends, processes, open files."""

from __future__ import annotations

import json
import ntpath
import os
import posixpath
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from torchdevlint.checking import running
from torchdevlint.checking.outcomes import Task, check
from torchdevlint.checking.paths import below
from torchdevlint.checking.selectors import PerFile
from torchdevlint.cli.main import main
from torchdevlint.options import on_by_default
from torchdevlint.reports import FORMATS, Report
from torchdevlint.reports.report import fingerprints, relative

SCHEMA = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text("utf-8"))
BUG = "import torch\n\ngröße = torch.ones(3)  # ✓\ngröße.to('cpu')\nprint(größe)\n"
MENDED = BUG.replace("größe.to", "größe = größe.to")
Capture = pytest.CaptureFixture[str]


def report_of(root: PureWindowsPath, *paths: str) -> Report:
    found = check(Task("a.py", on_by_default, BUG))
    return Report(tuple(replace(found, path=path) for path in paths), root)


# paths


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        (r"D:\work\src\a.py", r"D:\work", "src/a.py"),
        (r"d:\Work\src\A.py", r"D:\work", "src/A.py"),
        ("D:/work/src/a.py", "D:\\work\\", "src/a.py"),
        (r"D:\work\..\work\a.py", r"D:\work", "a.py"),
        (r"D:\work\..b\a.py", r"D:\work", "..b/a.py"),
        (r"D:\other\a.py", r"D:\work", None),
        (r"D:\\", r"D:\work", None),
        (r"E:\work\a.py", r"D:\work", None),
        (r"\\server\share\work\a.py", r"\\SERVER\share\work", "a.py"),
        (r"\\server\other\work\a.py", r"\\server\share\work", None),
    ],
)
def test_below_a_folder_on_windows(path: str, folder: str, found: str | None) -> None:
    assert below(path, folder, ntpath) == found


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        ("/work/src/a.py", "/work", "src/a.py"),
        ("/work/a\\b.py", "/work", "a\\b.py"),
        ("/work/..b/a.py", "/work", "..b/a.py"),
        ("/Work/a.py", "/work", None),
        ("/", "/work", None),
    ],
)
def test_below_a_folder_elsewhere(path: str, folder: str, found: str | None) -> None:
    assert below(path, folder, posixpath) == found


def test_a_link_to_the_folder_is_the_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    assert relative(str(tmp_path / "link" / "a.py"), tmp_path / "real") == "a.py"


def test_patterns_of_a_folder_mean_no_file_outside_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(BUG, "utf-8")
    monkeypatch.chdir(tmp_path / "inside")
    assert main(["check", "--force-exclude", "--exclude", "src/a.py", str(tmp_path / "src" / "a.py")]) == 1


def test_a_pattern_means_no_file_on_another_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, start: str) -> str:
        raise ValueError(path, start)

    monkeypatch.setattr(os.path, "relpath", refuse)
    assert not PerFile("src/*.py", ("TDL1",)).matches("E:/src/a.py", Path("/work"))


ROOT = PureWindowsPath(r"D:\work")
HERE, THERE = r"D:\work\my src\a.py", r"E:\other\a.py"


def test_reports_for_people_have_the_paths_of_the_system() -> None:
    for form in ("concise", "full"):
        told = FORMATS[form](report_of(ROOT, HERE))
        assert f"{HERE}:4:1" in told
    assert json.loads(FORMATS["json"](report_of(ROOT, HERE)))[0]["filename"] == HERE
    assert json.loads(FORMATS["jsonl"](report_of(ROOT, HERE)))["filename"] == HERE
    assert ET.fromstring(FORMATS["junit"](report_of(ROOT, HERE)))[0].get("name") == HERE  # noqa: S314 (it is our own)


def test_reports_for_services_have_paths_of_the_repository() -> None:
    here, there = FORMATS["github"](report_of(ROOT, HERE, THERE)).splitlines()
    assert ",file=my src/a.py,line=4," in here
    assert ",file=E%3A/other/a.py,line=4," in there
    found = json.loads(FORMATS["gitlab"](report_of(ROOT, HERE, THERE)))
    assert [one["location"]["path"] for one in found] == ["my src/a.py", "E:/other/a.py"]
    log = json.loads(FORMATS["sarif"](report_of(ROOT, HERE, THERE, r"\\server\share\ä.py")))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    assert [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in log["runs"][0]["results"]] == [
        {"uri": "my%20src/a.py", "uriBaseId": "SRCROOT"},
        {"uri": "file:///E:/other/a.py"},
        {"uri": "file://server/share/%C3%A4.py"},
    ]


def test_a_baseline_of_one_system_holds_on_another() -> None:
    windows = fingerprints(report_of(ROOT, HERE))
    found = check(Task("a.py", on_by_default, BUG))
    assert fingerprints(Report((replace(found, path="/work/my src/a.py"),), Path("/work"))) == windows


# encodings and line ends


def run(folder: Path, *arguments: str, encoding: str, given: bytes = b"") -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "torchdevlint", "check", *arguments],
        cwd=folder, input=given, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding}, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_what_a_terminal_cannot_show_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BUG, "utf-8")
    status, output, _ = run(tmp_path, "--output-format", "concise", encoding="ascii")
    assert status == 1
    assert rb"`gr\xf6\xdfe.to`" in output
    status, output, _ = run(tmp_path, "--diff", "--unsafe-fixes", encoding="cp1252")
    assert status == 1
    assert "+größe = größe.to('cpu')".encode("cp1252") in output
    assert rb"  # \u2713" in output


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "junit", "github"])
def test_programs_read_utf8(tmp_path: Path, form: str) -> None:
    (tmp_path / "a.py").write_text(BUG, "utf-8")
    assert run(tmp_path, "--output-format", form, encoding="cp932")[:2] == (
        1, FORMATS[form](Report((check(Task("a.py", on_by_default, BUG)),), tmp_path)).encode(),
    )  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_stay_on_their_way_through(tmp_path: Path, newline: str, mark: bytes) -> None:
    given, wanted = (mark + text.replace("\n", newline).encode() for text in (BUG, MENDED))
    assert run(tmp_path, "--fix", "--unsafe-fixes", "-", encoding="ascii", given=given) == (0, wanted, b"")


def test_input_that_is_not_encoded_as_it_declares_is_refused(tmp_path: Path) -> None:
    status, output, told = run(tmp_path, "--fix", "-", encoding="utf-8", given=BUG.encode("latin-1", "replace"))
    assert (status, output) == (2, b"")
    assert told == b"torchdevlint: stdin: it is not encoded as it declares\n"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("form", FORMATS)
def test_a_file_whose_name_is_no_text(tmp_path: Path, form: str) -> None:
    (tmp_path / os.fsdecode(b"\xff.py")).write_text(BUG, "utf-8")
    status, output, _ = run(tmp_path, "--output-format", form, encoding="utf-8")
    assert status == 1
    assert b"TDL201" in output
    assert b"\xff" not in output
    status, _, _ = run(tmp_path, "--output-format", form, "--output-file", "report", encoding="utf-8")
    assert status == 1
    assert (tmp_path / "report").read_bytes() == output


def test_where_there_is_no_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(BUG, "utf-8")
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["check", "a.py"]) == 1
    with (tmp_path / "a.py").open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        assert main(["check", "--fix", "--unsafe-fixes", "-"]) == 0


# processes


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_may_be_started_in_any_way(tmp_path: Path, method: str) -> None:
    for number in range(running.FEW + 1):
        (tmp_path / f"module_{number:02}.py").write_text(BUG, "utf-8")
    # as the command is started: by a script whose name is not that of a module
    (tmp_path / "start").write_text(
        "import multiprocessing, sys\n\nfrom torchdevlint.cli.main import main\n\nif __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({method!r})\n    sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "start", "check", "-j", "2", "--output-format", "concise"],
        cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    found = [line.partition(":4:1: TDL201 ")[0] for line in done.stdout.splitlines() if "TDL201" in line]
    assert found == [f"module_{number:02}.py" for number in range(running.FEW + 1)]


def test_there_are_never_too_many_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Pool:
        def __init__(self, workers: int, **_: object) -> None:
            asked.append(workers)
            raise NotImplementedError

    monkeypatch.setattr(running, "ProcessPoolExecutor", Pool)
    with pytest.raises(NotImplementedError):
        running.run(str, range(1000), 96)
    assert asked == [61]  # more are refused on Windows


# files that somebody has open


def test_a_file_that_is_open_elsewhere_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(13, "The process cannot access the file", str(self), 32, str(target))

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(BUG, "utf-8")
    monkeypatch.setattr(Path, "replace", refuse)
    assert main(["check", "--fix", "--unsafe-fixes", "a.py"]) == 1
    assert "torchdevlint: a.py is left as it is: The process cannot access the file" in capsys.readouterr().err
    assert main(["check", "--add-noqa", "a.py"]) == 1
    assert main(["check", "--output-file", "report.txt", "a.py"]) == 2
    assert "torchdevlint: report.txt cannot be written: " in capsys.readouterr().err
    assert (tmp_path / "a.py").read_text("utf-8") == BUG
    assert [path.name for path in tmp_path.iterdir() if path.name != ".torchdevlint_cache"] == ["a.py"]
