"""What a project tells of its functions: in `pyproject.toml`, and as options of flake8."""

from __future__ import annotations

import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from flake8.exceptions import ExecutionError

from torchdevlint import project
from torchdevlint.checking.settings import KEYS, load
from torchdevlint.cli.main import main
from torchdevlint.flake8_plugin import Plugin
from torchdevlint.knowledge import DEFAULT
from torchdevlint.project import Project

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text("utf-8")
BLOCKS = dict(reversed(re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)))  # of each language the first


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mylib").mkdir()
    return tmp_path


def configure(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.torchdevlint]\n{text}\n", "utf-8")


def found(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    assert main(["check", "--no-cache", "--output-format", "concise", *options]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    return [f"{line.split(':')[1]} {line.split()[1]}" for line in lines if not line.startswith("[*]")]


def test_the_page(package: Path) -> None:
    (package / "pyproject.toml").write_text(BLOCKS["toml"])
    (package / "setup.cfg").write_text(BLOCKS["ini"])
    (package / "mylib" / "train.py").write_text(BLOCKS["python"])
    [line] = BLOCKS["text"].splitlines()
    command = [sys.executable, "-m", "torchdevlint", "check", "--no-cache", "."]
    done = subprocess.run(command, cwd=package, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, line)
    command = [sys.executable, "-m", "flake8", "--select", "TDL", "mylib/train.py"]
    done = subprocess.run(command, cwd=package, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, f"{line.replace('[*] ', '')}\n", "")
    assert set(KEYS) <= set(re.findall(r"`([a-z-]+)`", PAGE))


BATCHES = """\
import torch
from torch import nn
{}
model = data.prepare(nn.Linear(4, 2))
x, y = data.load_batch(3)
nn.functional.mse_loss(model(x), y)
for a, b in data.Prefetcher(3):
    nn.functional.mse_loss(model(a), b)
    nn.functional.mse_loss(model(a), torch.ones(8, 2))
nn.functional.mse_loss(model(data.read("a")), y)
"""
TOLD = """\
functions-on-accelerator = ["mylib.data.load_batch", "mylib.data.Prefetcher"]
functions-on-host = ["mylib.data.read"]
functions-that-move = ["mylib.data.prepare"]
"""


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("from mylib import data", ["9 TDL103", "10 TDL102"]),
        ("from . import data", ["9 TDL103", "10 TDL102"]),
        ("import mylib.data as data", ["9 TDL103", "10 TDL102"]),
        ("from other import data", []),
        ("from .. import data", []),
        ("from .other import data", []),
    ],
)
def test_functions(package: Path, capsys: pytest.CaptureFixture[str], statement: str, lines: list[str]) -> None:
    (package / "mylib" / "train.py").write_text(BATCHES.format(statement))
    assert found(capsys) == []
    configure(package, TOLD)
    assert found(capsys) == lines


def test_relative_names_in_deeper_packages(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(package, TOLD)
    folder = package / "src" / "mylib" / "runs"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(BATCHES.format("from .. import data"))
    assert found(capsys) == ["9 TDL103", "10 TDL102"]


LOADERS = """\
import argparse
import torch
from torch import nn
from .loaders import DeviceLoader, batches

args = argparse.ArgumentParser().parse_args()
model = nn.Linear(4, 2).cuda()
chosen = nn.Linear(4, 2).to(args.device)


class Shuffled(DeviceLoader):
    seed = 3


class OnHost(DeviceLoader):
    def __iter__(self):
        yield torch.ones(3, 4), torch.ones(3, 2)


"""
FOR = "for x, y in {}:\n    print(x.numpy())\n"
FED = "for x, y in {}:\n    {}(x)\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (FOR.format("DeviceLoader(3)"), "TDL113"),
        (FOR.format("Shuffled(3)"), "TDL113"),
        (FOR.format("OnHost(3)"), None),
        (FOR.format("DeviceLoader(3, 'cuda:1')"), "TDL113"),
        (FOR.format("DeviceLoader(3, 'cpu')"), None),
        (FOR.format("DeviceLoader('a name', torch.device('cpu'))"), None),
        (FOR.format("DeviceLoader(3, device='cpu')"), None),
        (FED.format("DeviceLoader(3)", "model"), None),
        (FED.format("DeviceLoader(3, 'cpu')", "model"), "TDL102"),
        (FED.format("DeviceLoader(3, args.device)", "chosen"), None),
        (FED.format("DeviceLoader(3, device=args.device)", "chosen"), None),
        ("for i, batch in enumerate(DeviceLoader(3)):\n    print(batch['x'].numpy())\n", "TDL113"),
        ("x, y = next(iter(DeviceLoader(3)))\nx.numpy()\n", "TDL113"),
        ("loader = DeviceLoader(3)\nx = loader.seen.numpy()\n", None),
        ("def f(loader: DeviceLoader | None):\n    return [x.numpy() for x, y in loader]\n", "TDL113"),
        ("def f(loader: batches):\n    return [x.numpy() for x, y in loader]\n", None),
        ("class A:\n    pass\nfor x in A():\n    x.numpy()\n", None),
    ],
)
def test_what_moves_its_batches(package: Path, capsys: pytest.CaptureFixture[str], text: str, code: str | None) -> None:
    path = package / "mylib" / "train.py"
    path.write_text(LOADERS + text)
    only = () if code is None else (f"{len(path.read_text().splitlines())} {code}",)
    assert found(capsys, "--select", "TDL1") == []
    configure(package, 'moves-its-batches = ["mylib.loaders.DeviceLoader"]')
    assert tuple(found(capsys, "--select", "TDL1")) == only


def test_what_moves_its_batches_is_told_to_flake8(package: Path) -> None:
    (package / "mylib" / "train.py").write_text(LOADERS + FOR.format("DeviceLoader(3)"))
    (package / "setup.cfg").write_text("[flake8]\ntdl-moves-its-batches = mylib.loaders.DeviceLoader\n")
    command = [sys.executable, "-m", "flake8", "--select", "TDL1", "mylib/train.py"]
    done = subprocess.run(command, cwd=package, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[1:2], done.stderr) == (1, ["TDL113"], "")


def test_a_class_of_the_file_that_is_derived_from_one_of_the_project(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(package, 'functions-on-accelerator = ["mylib.Field"]')
    text = "import torch\nfrom mylib import Field\nclass Mine(Field):\n    pass\nMine().x + torch.ones(3)\n"
    (package / "mylib" / "train.py").write_text(text)
    assert found(capsys) == []


def test_the_default_device(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "import torch\n\nx = torch.ones(3)\nprint(x.numpy())\nprint(x + torch.ones(3).cpu())\n"
    (package / "mylib" / "train.py").write_text(text)
    assert found(capsys) == []
    for device, lines in {"cuda": ["4 TDL113", "5 TDL101"], "cpu": [], "": []}.items():
        configure(package, f'default-device = "{device}"')
        assert found(capsys, "--select", "TDL1") == lines


def test_the_default_device_is_that_of_the_file_where_it_sets_one(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "import torch\n\ntorch.set_default_device('cpu')\nx = torch.ones(3)\nprint(x.numpy())\n"
    (package / "mylib" / "train.py").write_text(text)
    configure(package, 'default-device = "cuda"')
    assert found(capsys) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('default-device = "cudda"', "`default-device` is to be a device, as `cuda` or `cuda:0`, and `cudda` is none"),
        ("default-device = 0", "`default-device` is to be a string"),
        (
            'functions-on-host = ["read"]',
            "`functions-on-host` is to be dotted names, as `package.function`, and `read` is none",
        ),
        ('functions-that-move = ["a.b-c"]', "`functions-that-move` is to be dotted names,"),
        ('moves-its-batches = ["Loader"]', "`moves-its-batches` is to be dotted names, as `package.function`, and"),
        ('move-its-batches = ["a.B"]', "has no key `move-its-batches`; did you mean `moves-its-batches`?"),
        ('function-on-host = ["a.b"]', "has no key `function-on-host`; did you mean `functions-on-host`?"),
    ],
)
def test_what_cannot_be_used(package: Path, capsys: pytest.CaptureFixture[str], text: str, told: str) -> None:
    configure(package, text)
    assert main(["check"]) == 2
    assert told in capsys.readouterr().err


def test_what_config_shows_can_be_read(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(package, TOLD + 'default-device = "cuda"\nper-file-ignores = { "a" = ["TDL1"] }')
    for options in ([], ["--isolated"]):
        assert main(["config", *options]) == 0
        told = capsys.readouterr().out
        (package / "shown.toml").write_text(told)
        assert main(["config", "--config", "shown.toml"]) == 0
        again = capsys.readouterr().out
        assert [line.split("  # ")[0] for line in again.splitlines()] == [
            line.split("  # ")[0] for line in told.splitlines()
        ]
    assert load(package / "pyproject.toml").project.moving == ("mylib.data.prepare",)


# flake8


def test_options_of_flake8(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_selection", "_idle", "_project"):
        monkeypatch.setattr(Plugin, name, getattr(Plugin, name))
    Plugin.parse_options(Namespace(tdl_functions_on_host=["mylib.read"], tdl_default_device="cuda"))
    assert Plugin._project == Project("cuda", (), ("mylib.read",), ())
    for options, told in (
        ({"tdl_default_device": "gpu"}, "torchdevlint: `tdl-default-device` is to be a device, as"),
        ({"tdl_moves_its_batches": ["Loader"]}, "torchdevlint: `tdl-moves-its-batches` is to be dotted names, as"),
        ({"tdl_functions_that_move": ["move"]}, "torchdevlint: `tdl-functions-that-move` is to be dotted names, as"),
    ):
        with pytest.raises(ExecutionError, match=re.escape(told)):
            Plugin.parse_options(Namespace(**options))


def test_knowledge() -> None:
    assert project.knowledge_of(Project(), "a.py") is None
    told = Project(on_host=("mylib.data.read",), root="/somewhere")
    known = project.knowledge_of(told, "/somewhere/mylib/train.py")
    assert known is not None
    assert known.names[".data.read"] == known.names["mylib.data.read"]
    assert "mylib.data.read" not in DEFAULT.names
    assert known.names["torch.zeros"] == DEFAULT.names["torch.zeros"]
    outside = project.knowledge_of(told, "/elsewhere/train.py")
    assert outside is not None
    assert ".data.read" not in outside.names
