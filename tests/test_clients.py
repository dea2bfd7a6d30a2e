"""The places where people run a linter, with the real programs: CI, a pre-commit hook, an editor."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(sys.executable).parent

BUG = "import torch\n\nx = torch.ones(3)\nx.to('cuda' if torch.cuda.is_available() else 'cpu')\nprint(x)\n"
CLEAN = BUG.replace("\nx.to", "\nx = x.to")
BROKEN = "import torch\n\nx = torch.ones(3\n"


def in_readme(pattern: str) -> str:
    """Return the one line of the README that users are told to copy."""
    (line,) = re.findall(rf"^{pattern}$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    return str(line)


# CI: an exit status and lines to read


def ci(tmp_path: Path, source: str) -> tuple[int, str]:
    (tmp_path / "train.py").write_text(source, "utf-8")
    program, *arguments = in_readme(r"flake8 --select \S+ \.").split()
    result = subprocess.run([SCRIPTS / program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.stderr == ""
    return result.returncode, result.stdout


def test_ci_fails_on_a_bug(tmp_path: Path) -> None:
    status, output = ci(tmp_path, BUG)
    assert status == 1
    (line,) = output.splitlines()
    assert line.startswith("./train.py:4:1: TDL201 ")


def test_ci_passes_without_one(tmp_path: Path) -> None:
    assert ci(tmp_path, CLEAN) == (0, "")


def test_ci_fails_on_a_file_that_cannot_be_parsed(tmp_path: Path) -> None:
    status, output = ci(tmp_path, BROKEN)
    assert status == 1
    assert " E9" in output


# pre-commit: the hook of this repository in another one


def git(*arguments: str, cwd: Path) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def hook_repository(tmp_path: Path) -> Path:
    """Make a git repository of what the package is built from, as pre-commit clones one."""
    repository = tmp_path / "torchdevlint"
    repository.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, repository)
    shutil.copytree(ROOT / "torchdevlint", repository / "torchdevlint", ignore=shutil.ignore_patterns("__pycache__"))
    git("init", "--quiet", cwd=repository)
    git("add", ".", cwd=repository)
    git("commit", "--quiet", "-m", "a release", cwd=repository)
    return repository


@pytest.mark.needs_index
def test_pre_commit(tmp_path: Path, hook_repository: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    git("init", "--quiet", cwd=scratch)
    (scratch / ".pre-commit-config.yaml").write_text(
        "repos:\n"
        f"  - repo: {hook_repository.as_uri()}\n"
        f"    rev: {git('rev-parse', 'HEAD', cwd=hook_repository)}\n"
        "    hooks:\n"
        f"{in_readme('      - id: .*')}\n",
        "utf-8",
    )
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "cache")}

    def commit(source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        (scratch / "train.py").write_text(source, "utf-8")
        git("add", ".", cwd=scratch)
        return subprocess.run(
            [SCRIPTS / "pre-commit", "run", *arguments],
            cwd=scratch,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    found = commit(BUG)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "train.py:4:1: TDL201 " in found.stdout

    passed = commit(CLEAN)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "Passed" in passed.stdout

    # the users' own arguments come after ours, and flake8 takes the last of each
    config = scratch / ".pre-commit-config.yaml"
    config.write_text(f"{config.read_text('utf-8')}{in_readme('        args: .*')}\n", "utf-8")
    broken = commit(BROKEN)
    assert broken.returncode == 1
    assert "train.py:3:" in broken.stdout
    assert " E9" in broken.stdout

    # the command's hooks: one reports, the other mends, and a file that is left out stays so though it is named
    for hook in ("torchdevlint-check", "torchdevlint-fix"):
        config.write_text(re.sub(r"- id: .*", f"- id: {hook}", config.read_text("utf-8").partition("        args:")[0]))
        (scratch / "pyproject.toml").write_text("[tool.torchdevlint]\n")
        found = commit(BUG)
        assert found.returncode == 1, found.stdout + found.stderr
        assert "train.py:4:1: TDL201 " in found.stdout
        assert commit(CLEAN).returncode == 0
        (scratch / "pyproject.toml").write_text('[tool.torchdevlint]\nextend-exclude = ["train.py"]\n')
        assert commit(BUG).returncode == 0


# An editor: python-lsp-server with its flake8 plugin


class LanguageServer:
    """A language server on a pipe: messages out, and those that come back by a thread of its own."""

    def __init__(self, root: Path) -> None:
        environment = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
        self._process = subprocess.Popen(
            [SCRIPTS / "pylsp"],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._incoming: Queue[dict[str, Any]] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while header := self._process.stdout.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                header = self._process.stdout.readline()
            self._incoming.put(json.loads(self._process.stdout.read(length)))

    def send(self, method: str, params: dict[str, Any], **identity: int) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **identity}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.send(method, params, id=1)
        while (message := self._incoming.get(timeout=60)).get("id") != 1:
            pass
        return message

    def diagnostics(self) -> list[dict[str, Any]]:
        """Return what is published next for the document."""
        while (message := self._incoming.get(timeout=60)).get("method") != "textDocument/publishDiagnostics":
            pass
        found: list[dict[str, Any]] = message["params"]["diagnostics"]
        return found

    def close(self) -> None:
        self.request("shutdown", {})
        self.send("exit", {})
        self._process.wait(timeout=60)
        self._reader.join(timeout=60)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LanguageServer]:
    running = LanguageServer(tmp_path)
    yield running
    running.close()


def test_editor(tmp_path: Path, server: LanguageServer) -> None:
    others = ("autopep8", "mccabe", "pycodestyle", "pyflakes", "yapf")
    plugins: dict[str, Any] = {name: {"enabled": False} for name in others}
    plugins |= json.loads(in_readme(r'{"pylsp": .*'))["pylsp"]["plugins"]
    server.request("initialize", {"processId": os.getpid(), "rootUri": tmp_path.as_uri(), "capabilities": {}})
    server.send("initialized", {})
    server.send("workspace/didChangeConfiguration", {"settings": {"pylsp": {"plugins": plugins}}})

    document = {"uri": (tmp_path / "train.py").as_uri(), "version": 1}
    server.send("textDocument/didOpen", {"textDocument": {**document, "languageId": "python", "text": BUG}})
    (bug,) = server.diagnostics()
    assert (bug["code"], bug["source"]) == ("TDL201", "flake8")
    assert bug["range"]["start"] == {"line": 3, "character": 0}
    assert bug["severity"] == 2  # a warning

    document["version"] = 2
    server.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": CLEAN}]})
    assert server.diagnostics() == []
